package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;

/** The paths at which an application serves. */
class PathTest {
  @Component
  @RpcService("/")
  static class Root {
    public int root() {
      return 2;
    }
  }

  @Component
  @RpcService("/guarded")
  static class Guarded {
    public int secret() {
      return 3;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests ->
              requests.requestMatchers("/guarded").authenticated().anyRequest().permitAll())
          .csrf(csrf -> csrf.disable())
          .build();
    }
  }

  private static ConfigurableApplicationContext run(Class<?> bean, String... properties) {
    return SpringApplication.run(new Class<?>[] {App.class, bean}, properties);
  }

  private static String at(ConfigurableApplicationContext context, String path) {
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    return "http://127.0.0.1:" + port + path;
  }

  private static int status(String uri) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(uri))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"secret\"}"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  /** The mapping "/" of servlets is another: all paths that no other servlet has. */
  @Test
  void theRootIsServed() throws Exception {
    try (ConfigurableApplicationContext context = run(Root.class, "--server.port=0");
        Peer peer = Repartee.connect(at(context, "/"))) {
      assertThat(peer.call("root", Integer.class)).isEqualTo(2);
    }
  }

  @Test
  void aRuleForAPathHolds() throws Exception {
    try (ConfigurableApplicationContext context = run(Guarded.class, "--server.port=0")) {
      assertThat(status(at(context, "/guarded"))).isEqualTo(403);
    }
  }

  /** Spring Security puts the path of the DispatcherServlet before the patterns of its rules. */
  @Test
  void aRuleForAPathHoldsBelowThePathOfControllers() throws Exception {
    try (ConfigurableApplicationContext context =
        run(Guarded.class, "--server.port=0", "--spring.mvc.servlet.path=/api")) {
      // The default servlet of Jetty answers 405, the one of Tomcat 404.
      assertThat(status(at(context, "/guarded"))).isIn(404, 405);
      assertThat(status(at(context, "/api/guarded"))).isEqualTo(403);
    }
  }
}
