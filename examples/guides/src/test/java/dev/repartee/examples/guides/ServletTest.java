package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.util.EnumSet;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.websocket.jakarta.server.config.JakartaWebSocketServletContainerInitializer;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** Runs the servlet and the controller of docs/servlet.md on Jetty. */
@Timeout(60)
class ServletTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String NOTIFICATION = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23]}""";

  private static final Server SERVER =
      new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

  private final HttpClient http = HttpClient.newHttpClient();

  @EnableWebMvc
  @Import(RpcController.class)
  static class Beans {
    @Bean
    Calculator calculator() {
      return (minuend, subtrahend) -> minuend - subtrahend;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    AnnotationConfigWebApplicationContext spring = new AnnotationConfigWebApplicationContext();
    spring.register(Beans.class);
    Calculator calculator = (minuend, subtrahend) -> minuend - subtrahend;
    Service service = Service.builder()
        .all(Service.of(Calculator.class, calculator))
        .method("whoami", AdminServlet::whoami)
        .build();
    ServletContextHandler context = new ServletContextHandler();
    JakartaWebSocketServletContainerInitializer.configure(context, null);
    FilterHolder login = new FilterHolder((request, response, next) ->
        next.doFilter(new User((HttpServletRequest) request), response));
    login.setAsyncSupported(true);
    context.addFilter(login, "/admin", EnumSet.of(DispatcherType.REQUEST));
    context.addServletContainerInitializer(
        (types, added) -> RegisteredServlet.register(added, service));
    add(context, new CalculatorServlet(), "/servlet");
    add(context, AdminServlet.create(service), "/admin");
    add(context, new DispatcherServlet(spring), "/");
    SERVER.setHandler(context);
    SERVER.start();
  }

  /** A user with the name and the role in a header. */
  private static final class User extends HttpServletRequestWrapper {
    User(HttpServletRequest request) {
      super(request);
    }

    @Override
    public Principal getUserPrincipal() {
      String name = getHeader("X-User"); // now: later the request may be that of another user
      return () -> name;
    }

    @Override
    public boolean isUserInRole(String role) {
      return role.equals(getHeader("X-User"));
    }
  }

  private static void add(ServletContextHandler context, Servlet servlet, String path) {
    ServletHolder holder = new ServletHolder(servlet);
    holder.setAsyncSupported(true);
    context.addServlet(holder, path);
  }

  @AfterAll
  static void stop() throws Exception {
    SERVER.stop();
  }

  private HttpResponse<String> post(String path, String type, String body)
      throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(SERVER.getURI().resolve(path))
        .header("Content-Type", type)
        .POST(BodyPublishers.ofString(body))
        .build();
    return http.send(request, BodyHandlers.ofString());
  }

  /** Sends no body: a container that closes the connection before it has read all could reset it. */
  private static String statusOfABodyWithLength(String path, int length) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", SERVER.getURI().getPort())) {
      String head = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Type: application/json\r\nContent-Length: " + length + "\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
      return new String(line, US_ASCII).substring("HTTP/1.1 ".length());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/servlet", "/registered", "/rpc"})
  void aCallIsAnsweredAndANotificationIsNot(String path) throws Exception {
    HttpResponse<String> answer = post(path, "application/json; charset=utf-8", CALL);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type")).hasValue("application/json");
    assertThat(answer.body()).isEqualTo("""
        {"jsonrpc":"2.0","result":19,"id":1}""");

    HttpResponse<String> none = post(path, "application/json", NOTIFICATION);
    assertThat(none.statusCode()).isEqualTo(204);
    assertThat(none.body()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/servlet", "/registered", "/rpc"})
  void aBodyThatIsTooLargeOrNotJsonIsRefused(String path) throws Exception {
    if (path.equals("/rpc")) { // the controller reads up to its limit
      String large = " ".repeat(1 << 20);
      assertThat(post(path, "application/json", large).statusCode()).isEqualTo(413);
    } else {
      assertThat(statusOfABodyWithLength(path, Limits.DEFAULT.frameBytes())).isEqualTo("413");
    }
    assertThat(post(path, "text/plain", CALL).statusCode()).isEqualTo(415);
    assertThat(post(path, "application/json", "{").body()).contains("-32700");
  }

  @Test
  void onlyAdminsCallTheServletOfAdmins() throws Exception {
    String uri = "ws:" + SERVER.getURI().resolve("/admin").getSchemeSpecificPart();
    Options admin = Options.builder().header("X-User", "admin").build();
    try (Peer peer = Repartee.connect(uri, admin)) {
      assertThat(peer.call("whoami", String.class)).isEqualTo("admin");
    }
    assertThat(post("/admin", "application/json", CALL).body()).contains("403");
  }

  @Test
  void theEmbeddedContainersServe() throws Exception {
    Calculator calculator = (minuend, subtrahend) -> minuend - subtrahend;
    Service service = Service.of(Calculator.class, calculator);
    Tomcat tomcat = EmbeddedTomcat.start(0, service);
    Server jetty = EmbeddedJetty.start(0, service);
    try {
      int port = tomcat.getConnector().getLocalPort();
      assertThat(subtract("http://127.0.0.1:" + port + "/rpc")).isEqualTo(19);
      assertThat(subtract("ws://127.0.0.1:" + port + "/rpc")).isEqualTo(19);
      port = jetty.getURI().getPort();
      assertThat(subtract("http://127.0.0.1:" + port + "/v1")).isEqualTo(19);
      assertThat(subtract("ws://127.0.0.1:" + port + "/v1")).isEqualTo(19);
    } finally {
      tomcat.stop();
      jetty.stop();
    }
  }

  private static int subtract(String uri) throws IOException {
    try (Peer peer = Repartee.connect(uri)) {
      return peer.call("subtract", int.class, 42, 23);
    }
  }
}
