package dev.repartee.spring;

import dev.repartee.HttpRoutes;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.springframework.context.SmartLifecycle;

/**
 * Opens the endpoints of {@code repartee.listen} when the application has started, and closes all
 * servers when it stops: before the web server, so that running calls can still be answered over
 * WebSocket.
 */
final class RpcListener implements SmartLifecycle {
  /** The schemes of endpoints with paths. */
  private static final Set<String> HTTP = Set.of("http", "https", "ws", "wss");

  private final RpcServices services;
  private final RpcServers servers;
  private final ReparteeProperties properties;
  private volatile boolean running;
  private volatile boolean stopped;

  RpcListener(RpcServices services, RpcServers servers, ReparteeProperties properties) {
    this.services = services;
    this.servers = servers;
    this.properties = properties;
  }

  @Override
  public void start() {
    running = true;
    if (stopped) {
      stopped = false;
      servers.restart();
    }
    List<String> uris = properties.listen();
    for (int i = 0; i < uris.size(); i++) {
      servers.add(listen("repartee.listen[" + i + "]", uris.get(i)));
    }
  }

  private Server listen(String property, String uri) {
    if (services.isEmpty()) {
      throw new RpcSetupException(
          "The property '" + property + "' has an endpoint, but no bean has @RpcService.",
          "Annotate a bean with @RpcService, or remove the property.",
          null);
    }
    try {
      if (HTTP.contains(Endpoint.parse(uri).scheme())) {
        HttpRoutes.Builder routes = HttpRoutes.builder();
        services.addTo(routes, "");
        return Repartee.listen(uri, routes.build(), services.options());
      }
      return Repartee.listen(uri, services.together(), services.options());
    } catch (IllegalArgumentException | IOException e) {
      throw new RpcSetupException(
          "The endpoint of the property '" + property + "' cannot be opened: " + e.getMessage()
              + ".",
          "Correct the property; an example is tcp://127.0.0.1:4000.",
          e);
    }
  }

  @Override
  public void stop() {
    servers.close(properties.closeTimeout());
    stopped = true;
    running = false;
  }

  @Override
  public void stop(Runnable callback) {
    new Thread(
            () -> {
              try {
                stop();
              } finally {
                callback.run();
              }
            },
            "repartee-stop")
        .start();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Returns a phase that stops before the web server, in the phase 1024 below the last one. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE - 512;
  }
}
