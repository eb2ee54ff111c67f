package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;

/** Applications that start again, or without the web server. */
class RestartTest {
  @Component
  @RpcService
  static class Counter {
    public int one() {
      return 1;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Counter.class)
  static class App {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .csrf(csrf -> csrf.disable())
          .build();
    }
  }

  private static void assertServes(String uri) throws IOException {
    try (Peer peer = Repartee.connect(uri)) {
      assertThat(peer.call("one", Integer.class)).isEqualTo(1);
    }
  }

  /** Spring stops contexts in the cache of its test framework, and starts them again. */
  @Test
  void allEndpointsAreOpenAfterARestart() throws Exception {
    try (ConfigurableApplicationContext context = SpringApplication.run(
        App.class, "--server.port=0", "--repartee.listen[0]=tcp://127.0.0.1:0")) {
      context.stop();
      context.start();
      int port = ((WebServerApplicationContext) context).getWebServer().getPort();
      assertServes("ws://127.0.0.1:" + port + "/rpc");
      RpcServers servers = context.getBean(RpcServers.class);
      assertThat(servers.all()).hasSize(2);
      assertServes(servers.all().stream()
          .map(server -> server.endpoint().toString())
          .filter(uri -> uri.startsWith("tcp:"))
          .findFirst()
          .orElseThrow());
    }
  }

  /** As in a test with a mocked web environment, and in a WAR, whose servlets start later. */
  @Test
  void theContainerNeedNotHaveStartedTheServlet() {
    new WebApplicationContextRunner().withUserConfiguration(App.class).run(context -> {
      assertThat(context).hasNotFailed();
      assertThat(context.getBean(RpcServers.class).all()).isEmpty();
    });
  }
}
