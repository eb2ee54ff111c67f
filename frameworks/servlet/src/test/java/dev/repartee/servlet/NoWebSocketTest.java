package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.handshake;
import static dev.repartee.testkit.RawConnection.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.examples.ExampleMethods;
import jakarta.servlet.Servlet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A container without {@code jakarta.websocket}. */
@Timeout(180)
class NoWebSocketTest {
  /** Loads the servlet itself, and no class of {@code jakarta.websocket}. */
  private static final class Loader extends URLClassLoader {
    Loader() {
      super(
          new URL[] {RpcServlet.class.getProtectionDomain().getCodeSource().getLocation()},
          NoWebSocketTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("jakarta.websocket.")) {
        throw new ClassNotFoundException(name);
      }
      if (name.startsWith("dev.repartee.servlet.")) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
      return super.loadClass(name, resolve);
    }
  }

  @Test
  void callsAreServedAndHandshakesAreNot() throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    try (Loader loader = new Loader()) {
      Servlet servlet = (Servlet) loader
          .loadClass(RpcServlet.class.getName())
          .getConstructor(Service.class, Options.class)
          .newInstance(new ExampleMethods().service(), Options.DEFAULT);
      ServletContextHandler context = new ServletContextHandler("/");
      context.addServlet(new ServletHolder(servlet), "/*");
      server.setHandler(context);
      server.start();
      String uri = server.getURI().toString();
      try (RawConnection raw = new RawConnection(uri)) {
        assertThat(raw.send(post("""
                {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""")).answer()).contains("\"result\":19");
        assertThat(raw.send(handshake()).answer())
            .startsWith("HTTP/1.1 501")
            .contains("This container has no WebSockets");
      }
    } finally {
      server.stop();
    }
  }
}
