package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;

/** The end of an application while calls run. */
class ShutdownTest {
  @Component
  @RpcService
  static class Slow {
    final CountDownLatch started = new CountDownLatch(2);
    final CountDownLatch mayEnd = new CountDownLatch(1);

    public String run() throws InterruptedException {
      started.countDown();
      mayEnd.await();
      return "done";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(Slow.class)
  static class App {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .csrf(csrf -> csrf.disable())
          .build();
    }
  }

  @Test
  void runningCallsAreAnsweredBeforeTheApplicationEnds() throws Exception {
    ConfigurableApplicationContext context =
        SpringApplication.run(App.class, "--server.port=0", "--server.shutdown=graceful");
    Slow slow = context.getBean(Slow.class);
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    String address = "127.0.0.1:" + port + "/rpc";
    CompletableFuture<HttpResponse<String>> http = HttpClient.newHttpClient()
        .sendAsync(
            HttpRequest.newBuilder(URI.create("http://" + address))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"run\"}"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    try (Peer peer = Repartee.connect("ws://" + address)) {
      CompletableFuture<String> webSocket =
          CompletableFuture.supplyAsync(() -> peer.call("run", String.class));
      assertThat(slow.started.await(20, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close);
      assertThat(closed).isNotDone();
      slow.mayEnd.countDown();
      assertThat(webSocket.get(20, TimeUnit.SECONDS)).isEqualTo("done");
      assertThat(http.get(20, TimeUnit.SECONDS).body()).contains("done");
      closed.get(30, TimeUnit.SECONDS);
    }
  }
}
