package dev.repartee.agents.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.a2a.client.A2aClient;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Progress;
import dev.repartee.agents.kinds.LocalAgent;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
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

  /** A plan with two approvals in a row. */
  private static Agent twoApprovals(Queue<String> agreed) {
    return LocalAgent.named("asking")
        .skill("ask", task -> {
          for (String question : List.of("Harmless first?", "Dangerous second?")) {
            if (!task.ask("asking", question, null).toCompletableFuture().get().granted()) {
              return "refused " + question;
            }
            agreed.add(question);
          }
          return "agreed";
        })
        .build();
  }

  @Test
  void theRepetitionOfAnAnswerDoesNotAnswerTheNextQuestion() throws Exception {
    Queue<String> agreed = new ConcurrentLinkedQueue<>();
    try (Server server = AgentServers.a2a(twoApprovals(agreed), "1").listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0")) {
      for (int round = 0; round < 50; round++) {
        Task asked = (Task) client.send(Message.user("go"));
        Message yes = Message.user("yes").continuing(asked);
        CompletableFuture<Object> twin = CompletableFuture.supplyAsync(
            () -> sent(client, yes), work -> new Thread(work).start());
        List<Object> both = List.of(sent(client, yes), twin.get(60, TimeUnit.SECONDS));
        assertThat(both).hasAtLeastOneElementOfType(Task.class);
        assertThat(client.task(asked.id()).state()).isEqualTo(TaskState.INPUT_REQUIRED);
        Object late = sent(client, yes); // the client may not have got the answer, and tries again
        assertThat(late).asString().contains("message.messageId");
        assertThat(client.task(asked.id()).state()).isEqualTo(TaskState.INPUT_REQUIRED);
        client.send(Message.user("no").continuing(asked));
      }
      assertThat(agreed).hasSize(50).containsOnly("Harmless first?");
    }
  }

  @Test
  void aMessageThatIsAnsweredImmediatelyRunsTheAgent() throws Exception {
    Agent echo =
        LocalAgent.named("echo").skill("echo", dev.repartee.agents.Task::input).build();
    try (Server server = AgentServers.a2a(echo, "1").listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.builder().endpoint(server.endpoint().toString(), "1.0")) {
      Task begun = (Task) client.send(new SendMessageRequest(Message.user("go"))
          .withConfiguration(new SendMessageConfiguration().withReturnImmediately(true)));
      Task task = begun;
      while (!task.state().isTerminal()) {
        Thread.onSpinWait();
        task = client.task(begun.id());
      }
      assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
    }
  }

  private static Object sent(A2aClient client, Message message) {
    try {
      return client.send(message);
    } catch (RpcException e) {
      return e + " " + e.data();
    }
  }
}
