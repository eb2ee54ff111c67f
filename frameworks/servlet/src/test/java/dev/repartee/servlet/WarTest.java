package dev.repartee.servlet;

import static dev.repartee.testkit.RawConnection.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.examples.ExampleMethods;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.scan.StandardJarScanner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application with a {@code web.xml}, in Tomcat. */
@Timeout(180)
class WarTest {
  private static final String SUBTRACT = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String NOTIFICATION = """
      {"jsonrpc":"2.0","method":"update","params":[1]}""";

  private final Tomcat tomcat = new Tomcat();

  @TempDir
  Path folder;

  /** The servlet of the application. */
  public static final class Calculator extends RpcServlet {
    private static final long serialVersionUID = 1;

    public Calculator() {
      super(service(), Options.DEFAULT);
    }

    private static Service service() {
      return new ExampleMethods().service();
    }
  }

  /** Starts the application at {@code /app}. */
  private int start(String parameters) throws Exception {
    Path info = Files.createDirectories(folder.resolve("app/WEB-INF"));
    Files.writeString(info.resolve("web.xml"), webXml(parameters));
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    Context context = tomcat.addContext("/app", folder.resolve("app").toString());
    context.addLifecycleListener(new ContextConfig());
    context.setContainerSciFilter("jetty"); // both containers are on the class path
    // The application has no jars, and those of the test need seconds of CPU time to be scanned.
    ((StandardJarScanner) context.getJarScanner()).setScanClassPath(false);
    tomcat.start();
    return tomcat.getConnector().getLocalPort();
  }

  private static String webXml(String parameters) {
    return """
        <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.1" metadata-complete="true">
          <servlet>
            <servlet-name>rpc</servlet-name>
            <servlet-class>%s</servlet-class>
            %s
            <async-supported>true</async-supported>
          </servlet>
          <servlet-mapping>
            <servlet-name>rpc</servlet-name>
            <url-pattern>/rpc</url-pattern>
          </servlet-mapping>
        </web-app>
        """.formatted(Calculator.class.getName(), parameters);
  }

  private static String parameter(String name, String value) {
    return "<init-param><param-name>" + name + "</param-name><param-value>" + value
        + "</param-value></init-param>";
  }

  @AfterEach
  void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
  }

  private static String atApp(String request) {
    return request.replace("POST / ", "POST /app/rpc ");
  }

  @Test
  void itsParametersAreThoseOfTheServlet() throws Exception {
    int port = start(
        parameter("hosts", " rpc.example, www.example ") + parameter("notification-status", "202"));
    try (RawConnection raw = new RawConnection("http://127.0.0.1:" + port);
        Peer peer = Repartee.connect("ws://127.0.0.1:" + port + "/app/rpc")) {
      assertThat(peer.call("subtract", int.class, 42, 23)).isEqualTo(19);
      assertThat(raw.send(atApp(post(SUBTRACT)).replaceFirst("Host: [^\r]*", "Host: www.example"))
              .answer())
          .startsWith("HTTP/1.1 200");
      assertThat(raw.send(atApp(post(NOTIFICATION))).answer()).startsWith("HTTP/1.1 202");
    }
  }

  @Test
  void aMalformedParameterIsReported() throws Exception {
    int port = start(parameter("notification-status", "500"));
    try (RawConnection raw = new RawConnection("http://127.0.0.1:" + port)) {
      assertThat(raw.send(atApp(post(SUBTRACT))).answer())
          .startsWith("HTTP/1.1 500")
          .contains("the servlet &#39;rpc&#39; cannot start", "known are 200, 202, 204");
    }
  }
}
