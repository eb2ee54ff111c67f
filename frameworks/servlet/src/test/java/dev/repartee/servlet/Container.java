package dev.repartee.servlet;

import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.websocket.server.WsSci;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.websocket.jakarta.server.config.JakartaWebSocketServletContainerInitializer;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;

/** A running servlet container on a free port of the loopback address. */
interface Container extends AutoCloseable {
  /** Returns the port. */
  int port();

  /** Stops the application. The container and its connections stay. */
  void undeploy() throws IOException;

  @Override
  void close() throws IOException;

  /** Starts containers of one kind. */
  enum Kind {
    TOMCAT {
      @Override
      Container start(Settings settings, Consumer<ServletContext> setup) throws Exception {
        return tomcat(settings, setup);
      }
    },
    JETTY {
      @Override
      Container start(Settings settings, Consumer<ServletContext> setup) throws Exception {
        return jetty(settings, setup);
      }
    };

    /**
     * Starts a container with one application.
     *
     * @param setup adds the servlets and filters
     */
    abstract Container start(Settings settings, Consumer<ServletContext> setup) throws Exception;
  }

  /**
   * The settings of a container.
   *
   * @param path the path of the application, empty for the root
   * @param threads the executor of requests; null for that of the container
   * @param tls null for a port without TLS; otherwise it also serves HTTP/2
   */
  record Settings(
      String path, @Nullable Executor threads, @Nullable Tls tls) {
    static final Settings DEFAULT = new Settings("", null, null);
  }

  /**
   * The keys of a port with TLS, which asks clients for a certificate.
   *
   * @param trust the authorities of the clients
   */
  record Tls(KeyStore identity, KeyStore trust) {
    /** The password of the private key, and the default of Tomcat. */
    static final char[] PASSWORD = "changeit".toCharArray();
  }

  /** The log of Tomcat, which this reference keeps from being collected with its level. */
  Logger LOG = Logger.getLogger("org.apache");

  private static Container tomcat(Settings settings, Consumer<ServletContext> setup)
      throws Exception {
    LOG.setLevel(Level.OFF);
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder().toString());
    tomcat.setPort(0);
    Connector connector = tomcat.getConnector();
    connector.setProperty("address", "127.0.0.1");
    if (settings.threads != null) {
      connector.getProtocolHandler().setExecutor(settings.threads);
    }
    if (settings.tls != null) {
      secure(connector, settings.tls);
    }
    Context context = tomcat.addContext(settings.path, null);
    context.addServletContainerInitializer(new WsSci(), null);
    context.addServletContainerInitializer((types, added) -> setup.accept(added), null);
    tomcat.start();
    return new Container() {
      @Override
      public int port() {
        return tomcat.getConnector().getLocalPort();
      }

      @Override
      public void undeploy() throws IOException {
        end(context::stop);
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

  private static void secure(Connector connector, Tls tls) {
    SSLHostConfig host = new SSLHostConfig();
    host.setCertificateVerification("optional");
    host.setTrustStore(tls.trust);
    SSLHostConfigCertificate certificate =
        new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.EC);
    certificate.setCertificateKeystore(tls.identity);
    host.addCertificate(certificate);
    connector.addSslHostConfig(host);
    connector.addUpgradeProtocol(new Http2Protocol());
    connector.setProperty("SSLEnabled", "true");
    connector.setScheme("https");
    connector.setSecure(true);
  }

  private static Path folder() throws IOException {
    return Files.createTempDirectory("repartee-tomcat");
  }

  private static Container jetty(Settings settings, Consumer<ServletContext> setup)
      throws Exception {
    QueuedThreadPool threads = new QueuedThreadPool();
    threads.setVirtualThreadsExecutor(settings.threads);
    Server server = new Server(threads);
    ServerConnector connector =
        settings.tls == null ? new ServerConnector(server) : secure(server, settings.tls);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler context =
        new ServletContextHandler(settings.path.isEmpty() ? "/" : settings.path);
    JakartaWebSocketServletContainerInitializer.configure(context, null);
    context.addServletContainerInitializer((types, added) -> setup.accept(added));
    server.setHandler(context);
    server.start();
    return new Container() {
      @Override
      public int port() {
        return connector.getLocalPort();
      }

      @Override
      public void undeploy() throws IOException {
        end(context::stop);
      }

      @Override
      public void close() throws IOException {
        end(server::stop);
      }
    };
  }

  private static ServerConnector secure(Server server, Tls tls) {
    SslContextFactory.Server keys = new SslContextFactory.Server();
    keys.setKeyStore(tls.identity);
    keys.setKeyManagerPassword(new String(Tls.PASSWORD));
    keys.setTrustStore(tls.trust);
    keys.setWantClientAuth(true);
    HttpConfiguration http = new HttpConfiguration();
    http.addCustomizer(new SecureRequestCustomizer());
    ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol("http/1.1");
    return new ServerConnector(
        server,
        new SslConnectionFactory(keys, "alpn"),
        alpn,
        new HTTP2ServerConnectionFactory(http),
        new HttpConnectionFactory(http));
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
