package dev.repartee;

import dev.repartee.transport.Channel;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The paths of one HTTP port, each with its own service and options, and the filters before them.
 * Immutable; {@link Repartee#listen(String, HttpRoutes, Options)} serves it.
 *
 * <pre>{@code
 * HttpRoutes routes = HttpRoutes.builder()
 *     .at("/v1", first, options)
 *     .at("/admin", admin, guarded)
 *     .health("/health")
 *     .build();
 * }</pre>
 *
 * <p>A path is compared as it was sent, without the query and without percent-decoding. All other
 * paths are answered with status 404.
 */
public final class HttpRoutes {
  private static final HttpResponse OK = HttpResponse.json(200, "{\"status\":\"ok\"}");
  private static final HttpResponse UNAVAILABLE =
      HttpResponse.json(503, "{\"status\":\"unavailable\"}");

  private final Map<String, Route> routes;
  private final List<Step> steps;

  private HttpRoutes(Builder builder) {
    this.routes = Collections.unmodifiableMap(new LinkedHashMap<>(builder.routes));
    this.steps = List.copyOf(builder.steps);
  }

  /** The service of a path. Exactly one component is not null. */
  record Route(
      @Nullable ServerContext context,
      @Nullable PeerFactory peers,
      @Nullable HttpService http) {}

  /** A filter that may also depend on the state of the server. */
  private interface Step {
    @Nullable HttpResponse filter(HttpRequest request, boolean closing);
  }

  /** Returns the services by path. */
  Map<String, Route> routes() {
    return routes;
  }

  boolean hasFilters() {
    return !steps.isEmpty();
  }

  /** Returns the response of the first filter that has one, else null. */
  @Nullable HttpResponse filter(HttpRequest request, boolean closing) {
    for (Step step : steps) {
      HttpResponse response = step.filter(request, closing);
      if (response != null) {
        return response;
      }
    }
    return null;
  }

  /** Returns a builder without paths. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder of routes. */
  public static final class Builder {
    private final Map<String, Route> routes = new LinkedHashMap<>();
    private final List<Step> steps = new ArrayList<>();

    private Builder() {}

    /** Serves a service at a path with the default options. */
    public Builder at(String path, Service service) {
      return at(path, service, Options.DEFAULT);
    }

    /**
     * Serves a service at a path, over HTTP and WebSocket. The options hold for its calls. The
     * endpoint defines the limits of HTTP itself, such as the size of a body. If these options have
     * no authenticator, the path has the one of the endpoint.
     *
     * @throws IllegalArgumentException if the path has another form, or is in use
     */
    public Builder at(String path, Service service, Options options) {
      return add(path, new Route(new ServerContext(service, options), null, null));
    }

    /**
     * Serves the peers of a factory at a path, and its {@link PeerFactory#http} service; for
     * protocols on top, such as MCP.
     *
     * @throws IllegalArgumentException if the path has another form, or is in use
     */
    public Builder at(String path, PeerFactory peers) {
      return add(path, new Route(null, peers, null));
    }

    /**
     * Serves HTTP requests of any method at a path; WebSockets are refused there.
     *
     * @throws IllegalArgumentException if the path has another form, or is in use
     */
    public Builder at(String path, HttpService http) {
      return add(path, new Route(null, null, http));
    }

    private Builder add(String path, Route route) {
      if (!path.matches("/[^?#\\s]*")) {
        throw new IllegalArgumentException(
            "the path '" + path + "' has to start with a slash and to have no query, as in /v1");
      }
      if (routes.putIfAbsent(path, route) != null) {
        throw new IllegalArgumentException("the path '" + path + "' is taken by another service");
      }
      return this;
    }

    /** Adds a filter after the present filters and health checks. */
    public Builder filter(HttpFilter filter) {
      steps.add((request, closing) -> filter.filter(request));
      return this;
    }

    /** Adds a health check that depends on the server alone; see the method with a condition. */
    public Builder health(String path) {
      return health(path, () -> true);
    }

    /**
     * Adds a health check: GET and HEAD at the path are answered with 200 and {@code
     * {"status":"ok"}}, or with 503 and {@code {"status":"unavailable"}} while the condition is
     * false or the server closes. Filters that are added later do not apply to it.
     *
     * @param ready runs for each request on a thread that reads connections, and must not block; if
     *     it throws, the answer is 503
     */
    public Builder health(String path, BooleanSupplier ready) {
      steps.add((request, closing) -> {
        boolean asked = request.method().equals("GET") || request.method().equals("HEAD");
        if (!asked || !request.path().equals(path)) {
          return null;
        }
        return !closing && isReady(ready) ? OK : UNAVAILABLE;
      });
      return this;
    }

    private static boolean isReady(BooleanSupplier ready) {
      try {
        return ready.getAsBoolean();
      } catch (RuntimeException e) {
        return false;
      }
    }

    /** Returns the routes. */
    public HttpRoutes build() {
      return new HttpRoutes(this);
    }
  }

  /** Returns a factory that serves only HTTP requests. */
  static PeerFactory onlyHttp(HttpService service) {
    return new PeerFactory() {
      @Override
      public Peer open(Channel channel) {
        throw new IllegalStateException("no connections are served here");
      }

      @Override
      public HttpService http(String path) {
        return service;
      }
    };
  }
}
