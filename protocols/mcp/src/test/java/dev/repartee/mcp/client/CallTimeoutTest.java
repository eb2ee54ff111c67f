package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests time-outs that progress reports extend. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallTimeoutTest {
  private final CountDownLatch never = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();
  private Server server;
  private McpClient client;

  private void connect(String transport, String revision) throws Exception {
    McpServer mcp = McpServer.builder("slow", "1")
        .tool(Tool.named("works")
            .description("Reports progress for a time")
            .input(Json.parse("""
                {"type":"object","properties":{"millis":{"type":"integer"}}}"""))
            .handle((call, arguments) -> {
              work(call, arguments.get("millis").as(int.class));
              return "done";
            }))
        .tool(Tool.named("hangs").description("Reports once").handle((call, arguments) -> {
          call.cancellation().onCancel(() -> cancelled.complete(true));
          begun.countDown();
          call.progress(1, 2);
          never.await();
          return "never";
        }))
        .build();
    String path = transport.equals("tcp") ? "" : "/mcp";
    server = mcp.listen(transport + "://127.0.0.1:0" + path);
    client = McpClient.builder("t", "1")
        .revisions(Revision.of(revision))
        .connect(server.endpoint().toString());
  }

  private void work(McpCall call, int millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (int i = 0; System.nanoTime() < end; i++) {
      call.cancellation().throwIfCancelled();
      call.progress(i, null, null);
      never.await(50, TimeUnit.MILLISECONDS);
    }
  }

  @AfterEach
  void close() {
    never.countDown();
    client.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({"http, 2026-07-28"})
  void progressStartsTheTimeOutAgain(String transport, String revision) throws Exception {
    connect(transport, revision);
    AtomicInteger reports = new AtomicInteger();

    assertThat(client
            .request("works")
            .argument("millis", 4_500)
            .timeout(Duration.ofSeconds(4))
            .extendTimeout(Duration.ofMinutes(1))
            .onProgress(progress -> reports.incrementAndGet())
            .call()
            .content())
        .containsExactly(Content.text("done"));
    assertThat(reports).hasPositiveValue();
  }

  @ParameterizedTest
  @CsvSource({"tcp, 2025-11-25", "http, 2026-07-28"})
  void aCallWithoutFurtherProgressEndsAndIsCancelled(String transport, String revision)
      throws Exception {
    connect(transport, revision);

    do { // on a busy machine the call may time out before the tool runs
      assertThatThrownBy(() -> client
              .request("hangs")
              .timeout(Duration.ofMillis(300))
              .extendTimeout(Duration.ofMinutes(1))
              .call())
          .isInstanceOf(CallTimeoutException.class)
          .hasMessageContaining("no progress in 300 ms");
    } while (begun.getCount() > 0);
    assertThat(cancelled.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"tcp, 2025-11-25", "http, 2026-07-28"})
  void noProgressExtendsACallBeyondItsLongestTime(String transport, String revision)
      throws Exception {
    connect(transport, revision);

    assertThatThrownBy(() -> client
            .request("works")
            .argument("millis", 60_000)
            .timeout(Duration.ofSeconds(20))
            .extendTimeout(Duration.ofMillis(500))
            .call())
        .isInstanceOf(CallTimeoutException.class);
  }
}
