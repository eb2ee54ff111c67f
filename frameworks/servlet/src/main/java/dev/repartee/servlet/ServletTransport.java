package dev.repartee.servlet;

import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.http.HttpAcceptor;
import dev.repartee.transport.http.HttpSender;
import dev.repartee.transport.http.HttpTransport;
import dev.repartee.transport.http.server.NotificationStatus;
import dev.repartee.transport.http.server.OriginGuard;
import dev.repartee.transport.http.server.Refusals;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.Route;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The transport of one servlet, which listens where the container does. Its endpoint has no address:
 * {@code servlet:#hosts=rpc.example.org}.
 */
final class ServletTransport implements HttpTransport {
  static final String SCHEME = "servlet";
  static final String HOSTS = "hosts";
  static final String ORIGINS = "origins";
  static final String SUBPROTOCOL = "subprotocol";
  static final Set<String> OPTIONS = Set.of(HOSTS, ORIGINS, SUBPROTOCOL, NotificationStatus.OPTION);

  /** Null until the server listens. */
  private @Nullable ServletListening listening;

  @Override
  public Set<String> schemes() {
    return Set.of(SCHEME);
  }

  @Override
  public Set<String> options() {
    return OPTIONS;
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) {
    throw new IllegalArgumentException("a servlet only listens; connect to http: or ws:");
  }

  @Override
  public @Nullable HttpSender sender(Endpoint endpoint, Limits limits) {
    return null;
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) {
    HttpAcceptor http = HttpAcceptor.of(acceptor);
    OptionalInt status = NotificationStatus.parse(
        endpoint.option(NotificationStatus.OPTION, ""), endpoint.toString());
    Map<String, HttpAcceptor> paths = http.paths();
    RequestPolicy policy = new RequestPolicy(
        paths == null ? Map.of() : Route.all(paths, status),
        paths == null ? Route.of(http, "/", status) : null,
        http.filter(),
        new OriginGuard("localhost", list(endpoint, HOSTS), list(endpoint, ORIGINS)),
        new Refusals(http),
        endpoint.options().get(SUBPROTOCOL),
        false,
        limits);
    ServletListening made = new ServletListening(endpoint, policy);
    listening = made;
    return made;
  }

  /** Returns the endpoint that {@link #listen} has made. */
  ServletListening listening() {
    return Objects.requireNonNull(listening);
  }

  private static Set<String> list(Endpoint endpoint, String key) {
    return Arrays.stream(endpoint.option(key, "").toLowerCase(Locale.ROOT).split(","))
        .map(String::strip)
        .filter(entry -> !entry.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }
}
