package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Service;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Servlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.Principal;
import java.util.EnumSet;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
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
    Calculator calculator = (minuend, subtrahend) -> minuend - subtrahend;
    Service service = Service.builder()
        .all(Service.of(Calculator.class, calculator))
        .method("whoami", call -> {
          Principal user = call.attributes().get(RpcServlet.USER);
          return user == null ? "nobody" : user.getName();
        })
        .build();
    AnnotationConfigWebApplicationContext spring = new AnnotationConfigWebApplicationContext();
    spring.register(Beans.class);
    ServletContextHandler context = new ServletContextHandler();
    RpcServlet servlet = new RpcServlet(service, options());
    add(context, servlet, "/servlet");
    FilterHolder login = new FilterHolder((request, response, next) -> next.doFilter(
        new HttpServletRequestWrapper((HttpServletRequest) request) {
          @Override
          public Principal getUserPrincipal() {
            return () -> "ann";
          }
        },
        response));
    login.setAsyncSupported(true);
    context.addFilter(login, "/ann", EnumSet.of(DispatcherType.REQUEST));
    add(context, servlet, "/ann");
    add(context, new DispatcherServlet(spring), "/");
    SERVER.setHandler(context);
    SERVER.start();
  }

  private static Options options() {
    return Options.builder().limits(limits -> limits.frameBytes(1 << 20)).build();
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

  @ParameterizedTest
  @ValueSource(strings = {"/servlet", "/rpc"})
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
  @ValueSource(strings = {"/servlet", "/rpc"})
  void aBodyThatIsTooLargeOrNotJsonIsRefused(String path) throws Exception {
    assertThat(post(path, "application/json", " ".repeat(1 << 20)).statusCode()).isEqualTo(413);
    assertThat(post(path, "text/plain", CALL).statusCode()).isEqualTo(415);
    assertThat(post(path, "application/json", "{").body()).contains("-32700");
  }

  @Test
  void aHandlerFindsTheUserOfTheContainer() throws Exception {
    String whoami = """
        {"jsonrpc":"2.0","method":"whoami","id":1}""";
    assertThat(post("/servlet", "application/json", whoami).body()).contains("nobody");
    assertThat(post("/ann", "application/json", whoami).body()).contains("ann");
  }
}
