package dev.repartee.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.Extension;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The handshakes of WebSockets; loaded only if the container has WebSockets. */
final class Upgrade {
  private Upgrade() {}

  /**
   * Answers a handshake that the policy has admitted.
   *
   * @param socket receives the events of the WebSocket
   * @param subprotocol the subprotocol that is spoken, or null for none
   */
  static void accept(
      HttpServletRequest request,
      HttpServletResponse response,
      Object container,
      ServletSocket socket,
      @Nullable String subprotocol)
      throws IOException, ServletException {
    // Containers check that this class is public, and get the object from the configurator.
    ServerEndpointConfig config = ServerEndpointConfig.Builder.create(Endpoint.class, "/")
        .subprotocols(subprotocol == null ? List.of() : List.of(subprotocol))
        .configurator(new Configurator(socket))
        .build();
    try {
      ((ServerContainer) container).upgradeHttpToWebSocket(request, response, config, Map.of());
    } catch (DeploymentException e) {
      throw new ServletException(e);
    }
  }

  private static final class Configurator extends ServerEndpointConfig.Configurator {
    private final ServletSocket socket;

    Configurator(ServletSocket socket) {
      this.socket = socket;
    }

    @Override
    public <T> T getEndpointInstance(Class<T> type) {
      return type.cast(socket);
    }

    @Override
    public boolean checkOrigin(String origin) {
      return true; // the policy has checked it
    }

    /** Compresses nothing: a small message could need much memory and time of the other side. */
    @Override
    public List<Extension> getNegotiatedExtensions(
        List<Extension> installed, List<Extension> requested) {
      return List.of();
    }
  }
}
