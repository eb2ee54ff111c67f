package dev.repartee.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.testkit.examples.ExampleMethods;
import java.nio.file.Path;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.WebResourceRoot;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.webresources.StandardRoot;
import org.apache.tomcat.websocket.server.WsSci;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application with its own copy of the library, as in {@code WEB-INF/lib}, in Tomcat. */
@Timeout(180)
class UndeployTest {
  private final Tomcat tomcat = new Tomcat();

  @TempDir
  Path folder;

  /** The servlet of the application. */
  public static final class Calculator extends RpcServlet {
    private static final long serialVersionUID = 1;

    public Calculator() {
      super(new ExampleMethods().service(), Options.DEFAULT);
    }
  }

  /** Starts the application at {@code /app}. */
  private Context start() throws Exception {
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("/app", folder.toString());
    StandardRoot files = new StandardRoot(context);
    for (Class<?> part :
        List.of(Repartee.class, RpcServlet.class, ExampleMethods.class, UndeployTest.class)) {
      files.createWebResourceSet(
          WebResourceRoot.ResourceSetType.PRE,
          "/WEB-INF/classes",
          part.getProtectionDomain().getCodeSource().getLocation(),
          "/");
    }
    context.setResources(files);
    context.addServletContainerInitializer(new WsSci(), null);
    Wrapper rpc = Tomcat.addServlet(context, "rpc", Calculator.class.getName());
    rpc.setAsyncSupported(true);
    rpc.addMapping("/rpc");
    tomcat.start();
    return context;
  }

  @AfterEach
  void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
  }

  @Test
  void itsThreadsEndWithTheApplication() throws Exception {
    Context context = start();
    ClassLoader loader = context.getLoader().getClassLoader();
    String uri = "ws://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/app/rpc";
    List<Thread> started;
    try (Peer peer = Repartee.connect(uri)) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      started = Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().startsWith("repartee-"))
          .filter(thread -> thread.getContextClassLoader() == loader)
          .toList();
      assertThat(started).extracting(Thread::getName).contains("repartee-sweeper");
      context.stop();
    }
    for (Thread thread : started) {
      thread.join();
    }
  }
}
