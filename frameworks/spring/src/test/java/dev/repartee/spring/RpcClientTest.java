package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Interfaces with {@link RpcClient}, found in the package of the application. */
class RpcClientTest {
  @RpcClient(uri = "${pricing.uri}", timeout = "${pricing.timeout:10s}")
  interface Pricing {
    int price(String item);
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {
    @Bean
    RpcClientCustomizer token() {
      return (type, options) -> options.headers(() -> Map.of("X-Token", type.getSimpleName()));
    }
  }

  private Server server;

  private final CompletableFuture<Integer> never = new CompletableFuture<>();

  @BeforeEach
  void listen() throws Exception {
    Service service = Service.builder()
        .method("price", call -> {
          String item = call.params().elements().get(0).as(String.class);
          return item.equals("never")
              ? never
              : item.length() + (call.header("X-Token") == null ? 0 : 100);
        })
        .build();
    server = Repartee.listen("http://127.0.0.1:0", service);
  }

  @AfterEach
  void close() {
    never.complete(0);
    server.close();
  }

  private ApplicationContextRunner runner(String uri) {
    return new ApplicationContextRunner()
        .withUserConfiguration(App.class)
        .withPropertyValues("pricing.uri=" + uri);
  }

  @Test
  void aProxyCallsWithTheHeadersOfACustomizer() {
    runner(server.endpoint().toString())
        .run(context -> assertThat(context.getBean(Pricing.class).price("tea")).isEqualTo(103));
  }

  @Test
  void aCallHasTheTimeLimit() {
    runner(server.endpoint().toString())
        .withPropertyValues("pricing.timeout=50ms")
        .run(context -> assertThatThrownBy(() -> context.getBean(Pricing.class).price("never"))
            .isInstanceOf(CallTimeoutException.class));
  }

  @Test
  void aMalformedUriIsExplained() {
    runner("tpc://x").withUserConfiguration(Uses.class).run(context -> {
      FailureAnalysis analysis = new RpcSetupFailureAnalyzer().analyze(context.getStartupFailure());
      assertThat(analysis).isNotNull();
      assertThat(analysis.getDescription()).contains(Pricing.class.getName()).contains("tpc");
      assertThat(analysis.getAction()).contains("@RpcClient");
    });
  }

  @Configuration(proxyBeanMethods = false)
  static class Uses {
    @Bean
    Runnable uses(Pricing pricing) {
      return () -> pricing.price("tea");
    }
  }
}
