package dev.repartee.a2a.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.RemoteRpcException;
import dev.repartee.Server;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a store that fails, such as a store in a database that is lost for a while. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingStoreTest {
  private final AtomicBoolean lost = new AtomicBoolean();

  private final class Failing implements TaskStore {
    private final TaskStore tasks = new MemoryTaskStore();

    private TaskStore reached() {
      if (lost.get()) {
        throw new IllegalStateException("the database is lost");
      }
      return tasks;
    }

    @Override
    public @Nullable StoredTask find(String id) {
      return reached().find(id);
    }

    @Override
    public boolean save(StoredTask changed) {
      boolean saved = reached().save(changed);
      List<Message> history = changed.task().history();
      if (history.get(history.size() - 1).text().equals("lose now")) {
        lost.set(true);
      }
      return saved;
    }

    @Override
    public ListTasksResponse list(Query query) {
      return reached().list(query);
    }
  }

  private Server listen() throws IOException {
    return A2aServer.builder(TestAgent.card().build())
        .agent(turn -> {
          if (turn.message().text().equals("ask")) {
            turn.requireInput("What next?");
            return;
          }
          turn.working();
          lost.set(turn.message().text().equals("lose"));
          turn.complete();
        })
        .store(new Failing())
        .options(Options.builder()
            .listener(Listener.NONE)
            .limits(limits -> limits.runningCalls(1))
            .build())
        .build()
        .listen("http://127.0.0.1:0/");
  }

  private static A2aClient client(Server server) {
    return A2aClient.builder().endpoint(server.endpoint().toString(), "1.0");
  }

  @Test
  void aTaskContinuesAfterTheStoreWasLostDuringATurn() throws Exception {
    try (Server server = listen();
        A2aClient client = client(server)) {
      assertThatThrownBy(() -> client.send(Message.user("lose")))
          .isInstanceOfSatisfying(
              RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32603));
      lost.set(false);
      Task task = client.tasks(new ListTasksRequest()).tasks().get(0);
      assertThat(task.state()).isEqualTo(TaskState.WORKING);
      assertThat(sent(client, Message.user("go on").continuing(task)).state())
          .isEqualTo(TaskState.COMPLETED);
    }
  }

  @Test
  void aTaskGoesOnAfterTheStoreWasLostBeforeAStream() throws Exception {
    try (Server server = listen();
        A2aClient client = client(server)) {
      Task task = sent(client, Message.user("ask"));
      while (!lost.get()) {
        // The previous turn may be about to end.
        assertThatThrownBy(
                () -> client.stream(Message.user("lose now").continuing(task)).last())
            .isInstanceOf(RemoteRpcException.class);
      }
      lost.set(false);
      assertThat(sent(client, Message.user("go on").continuing(task)).state())
          .isEqualTo(TaskState.COMPLETED);
    }
  }

  /** Sends a message again and again until the previous turn has ended. */
  private static Task sent(A2aClient client, Message message) {
    while (true) {
      try {
        return (Task) client.send(message);
      } catch (RemoteRpcException e) {
        Thread.onSpinWait();
      }
    }
  }
}
