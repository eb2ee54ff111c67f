package dev.repartee.transport.http.server;

import dev.repartee.transport.FrameService;
import dev.repartee.transport.http.HttpAcceptor;
import dev.repartee.transport.http.HttpGate;
import dev.repartee.transport.http.HttpService;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The service of one path.
 *
 * @param acceptor serves the WebSockets
 * @param responder serves the POST requests; null if only WebSockets are served
 * @param http a service that handles the HTTP requests instead of the responder, or null
 * @param gate admits requests and WebSockets; null if all are admitted
 * @param metadata the paths of the HTTP service below {@code /.well-known/}, which have no gate:
 *     they tell clients how to authenticate (RFC 9728), or are public cards
 */
public record Route(
    HttpAcceptor acceptor,
    @Nullable FrameService responder,
    @Nullable HttpService http,
    @Nullable HttpGate gate,
    Set<String> metadata) {
  private static final String WELL_KNOWN = "/.well-known/";

  /**
   * Returns the service that an acceptor has for a path.
   *
   * @param status the status of notifications; empty for the status of the service
   */
  public static Route of(HttpAcceptor acceptor, String path, OptionalInt status) {
    HttpService http = acceptor.http(path);
    Set<String> metadata = http == null
        ? Set.of()
        : http.furtherPaths().stream()
            .filter(further -> further.startsWith(WELL_KNOWN))
            .collect(Collectors.toUnmodifiableSet());
    return new Route(acceptor, responder(acceptor, status), http, acceptor.gate(), metadata);
  }

  /**
   * Returns the gate of a request; null if everybody is admitted.
   *
   * @param path the path as the service gets it. A container may have decoded it: a question mark
   *     in it begins no query
   */
  public @Nullable HttpGate gate(String path) {
    return metadata.contains(path) ? null : gate;
  }

  private static @Nullable FrameService responder(HttpAcceptor acceptor, OptionalInt status) {
    try {
      return NotificationStatus.of(acceptor.responder(), status);
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /**
   * Returns the services of several paths. The additional paths of a service lead to it unless an
   * acceptor has the path, or an earlier service.
   *
   * @param status the status of notifications; empty for the status of each service
   */
  public static Map<String, Route> all(Map<String, HttpAcceptor> paths, OptionalInt status) {
    Map<String, Route> routes = new LinkedHashMap<>();
    paths.forEach((path, acceptor) -> routes.put(path, of(acceptor, path, status)));
    for (String path : paths.keySet()) {
      Route route = routes.get(path);
      HttpService http = route == null ? null : route.http();
      if (http != null) {
        http.furtherPaths().forEach(further -> routes.putIfAbsent(further, route));
      }
    }
    return Map.copyOf(routes);
  }
}
