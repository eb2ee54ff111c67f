package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

/** The end of an application while calls run. */
class ShutdownTest {
  /** Not the common pool, which may have one thread: the close would begin after the call. */
  private static final Executor THREADS = task -> new Thread(task).start();

  @Component
  @RpcService
  static class Slow {
    final CountDownLatch started = new CountDownLatch(3);
    final CountDownLatch mayEnd = new CountDownLatch(1);

    public String run(Call call) throws InterruptedException {
      call.progress("begun");
      started.countDown();
      mayEnd.await();
      return "done";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Slow.class, OpenSecurity.class})
  static class App {}

  @ParameterizedTest
  @CsvSource({
    Containers.TOMCAT + ", false",
    Containers.TOMCAT + ", true",
    Containers.JETTY + ", false",
    Containers.JETTY + ", true"
  })
  void runningCallsAreAnsweredBeforeTheApplicationEnds(String container, boolean isVirtual)
      throws Exception {
    ConfigurableApplicationContext context = SpringApplication.run(
        App.class,
        "--server.port=0",
        "--server.shutdown=graceful",
        "--" + container,
        "--spring.threads.virtual.enabled=" + isVirtual);
    Slow slow = context.getBean(Slow.class);
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    String address = "127.0.0.1:" + port + "/rpc";
    CompletableFuture<HttpResponse<String>> http = post(address, "application/json");
    CompletableFuture<HttpResponse<String>> events = post(address, "text/event-stream");
    try (Peer peer = Repartee.connect("ws://" + address)) {
      CompletableFuture<String> webSocket =
          CompletableFuture.supplyAsync(() -> peer.call("run", String.class), THREADS);
      assertThat(slow.started.await(60, TimeUnit.SECONDS)).isTrue();
      CompletableFuture<Void> closed = CompletableFuture.runAsync(context::close, THREADS);
      assertThat(closed).isNotDone();
      slow.mayEnd.countDown();
      assertThat(webSocket.get(60, TimeUnit.SECONDS)).isEqualTo("done");
      assertThat(http.get(60, TimeUnit.SECONDS).body()).contains("done");
      assertThat(events.get(60, TimeUnit.SECONDS).body()).containsSubsequence("data:", "done");
      closed.get(30, TimeUnit.SECONDS);
    }
  }

  private static CompletableFuture<HttpResponse<String>> post(String address, String accepted) {
    return HttpClient.newHttpClient()
        .sendAsync(
            HttpRequest.newBuilder(URI.create("http://" + address))
                .header("Content-Type", "application/json")
                .header("Accept", accepted)
                .POST(HttpRequest.BodyPublishers.ofString(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"run\"}"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
