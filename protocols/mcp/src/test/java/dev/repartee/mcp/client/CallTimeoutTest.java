package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.Server;
import dev.repartee.internal.FakeClock;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests time-outs that progress reports extend. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallTimeoutTest {
  private final FakeClock clock = new FakeClock();
  private final CountDownLatch never = new CountDownLatch(1);
  private final CompletableFuture<Boolean> cancelled = new CompletableFuture<>();

  /** The reports that the tool has yet to send, and those that have arrived. */
  private final Semaphore wanted = new Semaphore(0);

  private final Semaphore arrived = new Semaphore(0);
  private Server server;
  private McpClient client;

  private void connect(String transport, String revision) throws Exception {
    McpServer mcp = McpServer.builder("slow", "1")
        .tool(Tool.named("works")
            .description("Sends five reports of progress")
            .handle((call, arguments) -> {
              for (int i = 0; i < 5; i++) {
                assertThat(wanted.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
                call.progress(i, null, null);
              }
              return "done";
            }))
        .tool(Tool.named("hangs").description("Reports once").handle((call, arguments) -> {
          call.cancellation().onCancel(() -> cancelled.complete(true));
          call.progress(1, 2);
          never.await();
          return "never";
        }))
        .build();
    String path = transport.equals("tcp") ? "" : "/mcp";
    server = mcp.listen(transport + "://127.0.0.1:0" + path);
    client = McpClient.builder("t", "1")
        .revisions(Revision.of(revision))
        .clock(clock)
        .connect(server.endpoint().toString());
  }

  private void awaitReport() throws InterruptedException {
    assertThat(arrived.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
  }

  @AfterEach
  void close() {
    never.countDown();
    wanted.release(5);
    client.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource({"http, 2026-07-28"})
  void progressStartsTheTimeOutAgain(String transport, String revision) throws Exception {
    connect(transport, revision);
    CompletableFuture<ToolResult> result = client
        .request("works")
        .timeout(Duration.ofSeconds(4))
        .extendTimeout(Duration.ofMinutes(1))
        .onProgress(progress -> arrived.release())
        .send();
    for (int i = 0; i < 4; i++) {
      wanted.release();
      awaitReport();
      clock.advance(Duration.ofMillis(3_999));
    }
    wanted.release();
    assertThat(result.get(60, TimeUnit.SECONDS).content()).containsExactly(Content.text("done"));
  }

  @ParameterizedTest
  @CsvSource({"tcp, 2025-11-25", "http, 2026-07-28"})
  void aCallWithoutFurtherProgressEndsAndIsCancelled(String transport, String revision)
      throws Exception {
    connect(transport, revision);

    CompletableFuture<ToolResult> result = client
        .request("hangs")
        .timeout(Duration.ofMillis(300))
        .extendTimeout(Duration.ofMinutes(1))
        .onProgress(progress -> arrived.release())
        .send();
    awaitReport();
    clock.advance(Duration.ofMillis(299));
    assertThat(result).isNotDone();
    clock.advance(Duration.ofMillis(1));
    assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(CallTimeoutException.class)
        .hasMessageContaining("no progress in 300 ms");
    assertThat(cancelled.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"tcp, 2025-11-25", "http, 2026-07-28"})
  void noProgressExtendsACallBeyondItsLongestTime(String transport, String revision)
      throws Exception {
    connect(transport, revision);

    CompletableFuture<ToolResult> result = client
        .request("works")
        .timeout(Duration.ofSeconds(20))
        .extendTimeout(Duration.ofMillis(500))
        .onProgress(progress -> arrived.release())
        .send();
    for (int i = 0; i < 4; i++) {
      wanted.release();
      awaitReport();
      clock.advance(Duration.ofMillis(100));
      assertThat(result).isNotDone();
    }
    clock.advance(Duration.ofMillis(100));
    assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(CallTimeoutException.class);
  }
}
