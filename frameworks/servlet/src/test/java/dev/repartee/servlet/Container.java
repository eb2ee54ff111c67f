package dev.repartee.servlet;

import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.websocket.server.WsSci;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.websocket.jakarta.server.config.JakartaWebSocketServletContainerInitializer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** A running servlet container on a free port of the loopback address. */
interface Container extends AutoCloseable {
  /** Returns the port. */
  int port();

  @Override
  void close() throws IOException;

  /** Starts containers of one kind. */
  enum Kind {
    TOMCAT {
      @Override
      Container start(String path, Consumer<ServletContext> setup) throws Exception {
        return tomcat(path, setup);
      }
    },
    JETTY {
      @Override
      Container start(String path, Consumer<ServletContext> setup) throws Exception {
        return jetty(path, setup);
      }
    };

    /**
     * Starts a container with one application.
     *
     * @param path the path of the application, empty for the root
     * @param setup adds the servlets and filters
     */
    abstract Container start(String path, Consumer<ServletContext> setup) throws Exception;
  }

  /** The log of Tomcat, which this reference keeps from being collected with its level. */
  Logger LOG = Logger.getLogger("org.apache");

  private static Container tomcat(String path, Consumer<ServletContext> setup) throws Exception {
    LOG.setLevel(Level.OFF);
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder().toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext(path, null);
    context.addServletContainerInitializer(new WsSci(), null);
    context.addServletContainerInitializer((types, added) -> setup.accept(added), null);
    tomcat.start();
    return new Container() {
      @Override
      public int port() {
        return tomcat.getConnector().getLocalPort();
      }

      @Override
      public void close() throws IOException {
        end(() -> {
          tomcat.stop();
          tomcat.destroy();
        });
      }
    };
  }

  private static Path folder() throws IOException {
    return Files.createTempDirectory("repartee-tomcat");
  }

  private static Container jetty(String path, Consumer<ServletContext> setup) throws Exception {
    Server server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler(path.isEmpty() ? "/" : path);
    JakartaWebSocketServletContainerInitializer.configure(context, null);
    context.addServletContainerInitializer((types, added) -> setup.accept(added));
    server.setHandler(context);
    server.start();
    return new Container() {
      @Override
      public int port() {
        return ((ServerConnector) server.getConnectors()[0]).getLocalPort();
      }

      @Override
      public void close() throws IOException {
        end(server::stop);
      }
    };
  }

  /** A step that may fail. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private static void end(Step step) throws IOException {
    try {
      step.run();
    } catch (Exception e) {
      throw new IOException(e);
    }
  }
}
