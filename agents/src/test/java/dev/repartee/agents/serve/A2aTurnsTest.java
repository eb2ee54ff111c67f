package dev.repartee.agents.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Progress;
import dev.repartee.agents.kinds.LocalAgent;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class A2aTurnsTest {
  @Test
  void progressDoesNotChangeATaskThatRequiresInput() throws Exception {
    AtomicReference<dev.repartee.agents.Task> given = new AtomicReference<>();
    Agent asking = LocalAgent.named("asking")
        .skill("ask", task -> {
          given.set(task);
          return task.ask("asking", "May I?", null).toCompletableFuture().get().granted();
        })
        .build();
    try (Server server = AgentServers.a2a(asking, "1").listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0")) {
      Task asked = (Task) client.send(Message.user("go"));
      assertThat(asked.state()).isEqualTo(TaskState.INPUT_REQUIRED);

      given.get().progress(Progress.of("late"));

      assertThat(client.task(asked.id()).state()).isEqualTo(TaskState.INPUT_REQUIRED);
      Task ended = (Task) client.send(Message.user("yes").continuing(asked));
      assertThat(ended.state()).isEqualTo(TaskState.COMPLETED);
    }
  }
}
