package dev.repartee.agents.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Human;
import dev.repartee.agents.Task;
import dev.repartee.agents.kinds.AgentConnector;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers that are dropped because they exceed a limit of the orchestrator. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DroppedAnswersTest {
  private static final int FRAME_BYTES = 64 << 10;

  /**
   * A service with methods that send invalid answers. {@code hang} does not answer. {@code late}
   * answers after the call of {@code hang}.
   */
  private static final class Hostile implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    /** Opens after the first dropped answer was reported to the tasks. */
    final CountDownLatch dropped = new CountDownLatch(1);

    Hostile() throws IOException {
      Thread thread = new Thread(this::serve, "hostile");
      thread.setDaemon(true);
      thread.start();
    }

    private void serve() {
      try (Socket client = socket.accept()) {
        BufferedReader in =
            new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
        Json asking = null;
        Json late = null;
        boolean hangs = false;
        OutputStream out = client.getOutputStream();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          Json message = Json.parse(line);
          String method = message.string("method");
          if ("ask".equals(method)) {
            asking = message.get("id");
            write(out, "\"id\":\"q\",\"method\":\"agent.ask\",\"params\":{\"message\":\"Sure?\"}");
            continue;
          } else if (method == null && "q".equals(message.string("id"))) {
            write(out, "\"id\":" + asking + ",\"result\":" + message.get("result"));
            continue;
          }
          String answer = method == null ? null : answer(method);
          Json id = message.get("id");
          hangs |= "hang".equals(method);
          late = "late".equals(method) ? id : late;
          if (hangs && late != null) {
            write(out, "\"id\":" + late + "," + answer("huge"));
            late = null;
          }
          if (answer != null && id != null) {
            write(out, "\"id\":" + id + "," + answer);
          }
        }
      } catch (IOException e) {
        // The test has ended.
      }
    }

    private static void write(OutputStream out, String members) throws IOException {
      out.write("""
          {"jsonrpc":"2.0",%s}
          """.formatted(members).getBytes(UTF_8));
      out.flush();
    }

    private static String answer(String method) {
      return switch (method) {
        case "huge" -> "\"result\":\"" + "x".repeat(FRAME_BYTES) + "\"";
        case "deep" -> "\"result\":" + "[".repeat(1_000) + "]".repeat(1_000);
        case "hang", "late" -> null;
        case "named" -> """
            "method":"note"}
            {"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"the limit frameBytes"}""";
        default -> "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}";
      };
    }

    Agent connect() throws IOException {
      Options options = Options.builder()
          .limits(Limits.builder().frameBytes(FRAME_BYTES).build())
          .listener(new Listener() {
            @Override
            public void dropped(ChannelInfo channel, LimitException limit, String violation) {
              dropped.countDown();
            }
          })
          .build();
      return new AgentConnector(options, Duration.ofSeconds(60))
          .connect("w", "tcp://127.0.0.1:" + socket.getLocalPort());
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static Failure failure(CompletableFuture<Json> output) throws Exception {
    try {
      throw new AssertionError("unexpected output: " + output.get(60, TimeUnit.SECONDS));
    } catch (ExecutionException e) {
      return Failure.of(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"huge,the limit frameBytes", "deep,the limit depth"})
  void aTaskFailsIfItsAnswerWasDropped(String skill, String reason) throws Exception {
    try (Hostile hostile = new Hostile();
        Agent agent = hostile.connect()) {
      Failure failure = failure(agent.run(Task.of(skill, Json.NULL)));
      assertThat(failure.kind()).isEqualTo(Failure.Kind.PROTOCOL);
      assertThat(failure.message())
          .startsWith("a message of the agent 'w', probably its answer, was dropped: ")
          .contains(reason);
    }
  }

  @Test
  void aQuestionAfterADroppedAnswerDoesNotReachTheNextRun() throws Exception {
    try (Hostile hostile = new Hostile();
        Agent agent = hostile.connect()) {
      failure(agent.run(Task.of("huge", Json.NULL).withRun("alice")));
      Task bob = Task.of("ask", Json.NULL).withRun("bob").withHuman(question -> {
        return CompletableFuture.completedFuture(Answer.agreed());
      });
      Json answer = agent.run(bob).get(60, TimeUnit.SECONDS);
      assertThat(answer.get("granted")).isEqualTo(Json.FALSE);
      assertThat(answer.string("reason"))
          .contains("may still work on a call of another run that ended without its answer");
    }
  }

  @Test
  void aTextThatOnlyNamesALimitFailsNoTask() throws Exception {
    CompletableFuture<String> violation = new CompletableFuture<>();
    try (Hostile hostile = new Hostile();
        Agent agent = hostile.connect()) {
      CompletableFuture<Json> output =
          agent.run(Task.of("named", Json.NULL).withViolations(text -> {
            if (text.contains("the limit frameBytes")) {
              violation.complete(text);
            }
          }));
      assertThat(violation.get(60, TimeUnit.SECONDS)).contains("an error without an id");
      assertThat(output).isNotDone();
    }
  }

  @Test
  void theTimeOutOfAStepNamesTheLastViolation() throws Exception {
    FakeClock clock = new FakeClock();
    try (Hostile hostile = new Hostile();
        Agent agent = hostile.connect();
        Fixture one = new Fixture(clock, Human.NOBODY, agent)) {
      Run run = one.start("""
          - parallel:
              - {name: a, agent: w, skill: hang, deadline: 1h}
              - {name: b, agent: w, skill: late, timeout: 1h}
          """);
      assertThat(hostile.dropped.await(60, TimeUnit.SECONDS)).isTrue();
      clock.advance(Duration.ofHours(1));
      RunResult result = Fixture.result(run);
      assertThat(result.steps())
          .filteredOn(
              step -> step.failure() != null && step.failure().kind() == Failure.Kind.TIMEOUT)
          .isNotEmpty()
          .allSatisfy(step -> assertThat(step.failure().message())
              .contains("; the agent has broken its protocol: ", "the limit frameBytes"));
    }
  }

  @Test
  void anAnswerThatMayBelongToSeveralTasksIsReportedByEach() throws Exception {
    CountDownLatch reported = new CountDownLatch(2);
    try (Hostile hostile = new Hostile();
        Agent agent = hostile.connect()) {
      Task task = Task.of("hang", Json.NULL).withProgress(report -> {
        if (report.toString().contains("the limit frameBytes")) {
          reported.countDown();
        }
      });
      CompletableFuture<Json> other = agent.run(task);
      CompletableFuture<Json> output =
          agent.run(Task.of("huge", Json.NULL).withProgress(report -> reported.countDown()));
      assertThat(reported.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(other).isNotDone();
      assertThat(output).isNotDone();
    }
  }
}
