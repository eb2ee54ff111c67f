package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RemoteRpcException;
import dev.repartee.Server;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.wire.Errors;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests two servers with one store. The agent works on the first server. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SeveralServersTest {
  private final TestAgent agent = new TestAgent();
  private final TaskStore store = new MemoryTaskStore();
  private Server first;
  private Server second;
  private A2aClient client;
  private Task task;

  @BeforeEach
  void cancelOnTheSecond() throws IOException {
    first = agent.server().store(store).build().listen("http://127.0.0.1:0/");
    second = agent.server().store(store).build().listen("http://127.0.0.1:0/");
    client = A2aClient.builder().endpoint(first.endpoint().toString(), "1.0");
    task = (Task) client.send(new SendMessageRequest(Message.user("wait"))
        .withConfiguration(new SendMessageConfiguration().withReturnImmediately(true)));
    while (client.task(task.id()).state() != TaskState.WORKING) {
      Thread.onSpinWait();
    }
    try (A2aClient other = A2aClient.builder().endpoint(second.endpoint().toString(), "1.0")) {
      assertThat(other.cancel(task.id()).state()).isEqualTo(TaskState.CANCELED);
    }
  }

  @AfterEach
  void close() {
    client.close();
    first.close();
    second.close();
  }

  @Test
  void aTaskThatAnotherServerHasCancelledHasItsNewStateEverywhere() {
    assertThat(client.task(task.id()).state()).isEqualTo(TaskState.CANCELED);
    assertThatThrownBy(() -> client.subscribe(task.id()).hasNext())
        .isInstanceOf(RemoteRpcException.class)
        .hasMessageContaining("the task has ended");
  }

  @Test
  void aSecondCancellationStopsTheAgent() throws Exception {
    assertThatThrownBy(() -> client.cancel(task.id()))
        .isInstanceOfSatisfying(
            RemoteRpcException.class,
            e -> assertThat(e.code()).isEqualTo(Errors.TASK_NOT_CANCELABLE));
    assertThat(agent.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }
}
