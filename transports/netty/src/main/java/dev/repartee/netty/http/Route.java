package dev.repartee.netty.http;

import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.http.HttpAcceptor;
import dev.repartee.transport.http.HttpService;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The service of one path.
 *
 * @param acceptor serves the WebSockets
 * @param responder serves the POST requests; null if only WebSockets are served
 * @param http a service that handles the HTTP requests instead of the responder, or null
 */
public record Route(
    HttpAcceptor acceptor,
    @Nullable FrameService responder,
    @Nullable HttpService http) {

  /** Returns the service that an acceptor has for a path. */
  public static Route of(Endpoint endpoint, HttpAcceptor acceptor, String path) {
    return new Route(acceptor, responder(endpoint, acceptor), acceptor.http(path));
  }

  private static @Nullable FrameService responder(Endpoint endpoint, HttpAcceptor acceptor) {
    try {
      return NotificationStatus.of(endpoint, acceptor.responder());
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /**
   * Returns the services of several paths. The additional paths of a service lead to it unless an
   * acceptor has the path, or an earlier service.
   */
  public static Map<String, Route> all(Endpoint endpoint, Map<String, HttpAcceptor> paths) {
    Map<String, Route> routes = new LinkedHashMap<>();
    paths.forEach((path, acceptor) -> routes.put(path, of(endpoint, acceptor, path)));
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
