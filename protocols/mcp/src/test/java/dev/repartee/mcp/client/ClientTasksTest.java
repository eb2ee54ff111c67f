package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallTimeoutException;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Revision;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests tool calls that become tasks, from the view of a client. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientTasksTest {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final CountDownLatch released = new CountDownLatch(1);
  private Server server;
  private McpClient client;

  private void connect(String transport) throws Exception {
    McpServer mcp = McpServer.builder("tasks", "1")
        .tool(Tool.named("slow")
            .description("Waits")
            .tasks(Tool.TaskSupport.REQUIRED)
            .handle((call, arguments) -> {
              released.await();
              return "done";
            }))
        .tool(Tool.named("asks")
            .description("Asks within a task")
            .tasks(Tool.TaskSupport.OPTIONAL)
            .handle(
                (call, arguments) -> call.elicit("q", Elicitation.form("Name?", Json.parse("""
                    {"type":"object","properties":{"n":{"type":"string"}}}""")))
                    .content()
                    .get("n")
                    .as(String.class)))
        .tool(Tool.named("fails")
            .description("Fails")
            .tasks(Tool.TaskSupport.OPTIONAL)
            .handle((call, arguments) -> {
              throw new RpcException(-5, "broken");
            }))
        .tool(Tool.named("quick").description("Is no task").handle((call, a) -> "at once"))
        .build();
    server = mcp.listen(
        transport.equals("mem")
            ? "mem:client-tasks-" + NAMES.incrementAndGet()
            : "http://127.0.0.1:0/mcp");
    client = McpClient.builder("t", "1")
        .revisions(Revision.V2026_07_28)
        .onElicitation(form -> new Elicitation.Answer("accept", Json.parse("{\"n\":\"Ann\"}")))
        .connect(server.endpoint().toString());
  }

  @AfterEach
  void close() {
    released.countDown();
    client.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem", "http"})
  void aTaskIsStartedAndItsResultFetched(String transport) throws Exception {
    connect(transport);
    RemoteTask task = client.request("slow").start().get();

    assertThat(task.state().status()).isEqualTo(RemoteTask.Status.WORKING);
    CompletableFuture<?> result = task.result();
    released.countDown();
    assertThat(result.get()).isEqualTo(client.task(task.id()).await(Duration.ofMinutes(1)));
    assertThat(task.await(Duration.ofMinutes(1)).content()).containsExactly(Content.text("done"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem", "http"})
  void aPlainCallOfAToolThatNeedsATaskWaitsForIt(String transport) throws Exception {
    connect(transport);
    released.countDown();

    assertThat(client.call("slow", null).content()).containsExactly(Content.text("done"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem", "http"})
  void questionsOfATaskAreAnswered(String transport) throws Exception {
    connect(transport);

    assertThat(client.request("asks").start().get().await(Duration.ofMinutes(1)).content())
        .containsExactly(Content.text("Ann"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem", "http"})
  void aTaskCanBeCancelled(String transport) throws Exception {
    connect(transport);
    RemoteTask task = client.request("slow").start().get();

    task.cancel();

    assertThatThrownBy(() -> task.await(Duration.ofMinutes(1)))
        .isInstanceOf(CancellationException.class);
    assertThat(task.state().status()).isEqualTo(RemoteTask.Status.CANCELLED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem"})
  void theErrorOfATaskIsThatOfItsResult(String transport) throws Exception {
    connect(transport);

    assertThatThrownBy(() -> client.request("fails").start().get().await(Duration.ofMinutes(1)))
        .isInstanceOf(RpcException.class)
        .hasMessageContaining("broken (-5)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem"})
  void waitingForATaskEnds(String transport) throws Exception {
    connect(transport);
    RemoteTask task = client.request("slow").start().get();

    assertThatThrownBy(() -> task.await(Duration.ofMillis(50)))
        .isInstanceOf(CallTimeoutException.class);
    assertThat(task.state().status()).isEqualTo(RemoteTask.Status.WORKING);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem"})
  void aCallThatIsAnsweredAtOnceIsAFinishedTask(String transport) throws Exception {
    connect(transport);
    RemoteTask task = client.request("quick").start().get();

    assertThat(task.state().status()).isEqualTo(RemoteTask.Status.COMPLETED);
    assertThat(task.await(Duration.ZERO).content()).containsExactly(Content.text("at once"));
  }
}
