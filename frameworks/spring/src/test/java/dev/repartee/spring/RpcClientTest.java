package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;

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

  /** Waits for the first attempt of a client, which precedes the endpoints. */
  @Configuration(proxyBeanMethods = false)
  static class Impatient {
    @Bean
    SmartInitializingSingleton impatient(Pricing pricing, Attempts attempts) {
      return () -> assertThat(attempts.first.join()).isNotNull();
    }
  }

  @Test
  @Timeout(60)
  void aStartWithoutTheOtherServiceIsQuiet() {
    try (Attempts attempts = new Attempts("mem:prices")) {
      runner("mem:prices")
          .withPropertyValues("repartee.listen[0]=mem:prices")
          .withBean(Prices.class)
          .withBean(Attempts.class, () -> attempts)
          .withUserConfiguration(Impatient.class)
          .run(context -> {
            assertThat(context.getBean(Pricing.class).price("tea")).isEqualTo(3);
            assertThat(attempts.all).allMatch(entry -> entry.getLevel() == Level.FINE);
          });
    }
  }

  @RpcService
  static final class Prices {
    public int price(String item) {
      return item.length();
    }
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

  @RpcClient(uri = "tpc://x", sslBundle = "own")
  interface Secured {
    void run();
  }

  @Configuration(proxyBeanMethods = false)
  static class OfBundle {
    @Bean
    SslBundleRegistrar bundle() throws Exception {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      return registry ->
          registry.registerBundle("own", SslBundle.of(SslStoreBundle.of(null, null, trusted)));
    }

    @Bean
    Runnable uses(Secured secured) {
      return secured::run;
    }
  }

  @Test
  void aClientThatCannotBeMadeLeavesNoFiles() {
    runner("").withUserConfiguration(OfBundle.class).run(context -> {
      String message =
          String.valueOf(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()));
      Matcher folder = Pattern.compile("repartee-tls-[0-9]+").matcher(message);
      assertThat(folder.find()).as(message).isTrue();
      assertThat(Path.of(System.getProperty("java.io.tmpdir"), folder.group())).doesNotExist();
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
