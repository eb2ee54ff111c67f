package dev.repartee.examples.guides;

import dev.repartee.HttpRoutes;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.servlet.RpcServlet;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.websocket.jakarta.server.config.JakartaWebSocketServletContainerInitializer;
import org.eclipse.jetty.server.Server;

public final class EmbeddedJetty {
  private EmbeddedJetty() {}

  public static Server start(int port, Service service) throws Exception {
    HttpRoutes routes =
        HttpRoutes.builder().health("/health").at("/v1", service).build();
    ServletHolder rpc = new ServletHolder(new RpcServlet(routes, Options.DEFAULT));
    rpc.setAsyncSupported(true);
    rpc.setInitOrder(1);
    ServletContextHandler context = new ServletContextHandler("/");
    JakartaWebSocketServletContainerInitializer.configure(context, null); // for WebSocket
    context.addServlet(rpc, "/*");
    Server server = new Server(port);
    server.setHandler(context);
    server.start();
    return server;
  }
}
