package dev.repartee.mcp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the bounds of the questions in the results of a stateless server, for calls and for tasks.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QuestionBoundsTest {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private static final String DISCOVERED =
      "{'resultType':'complete','supportedVersions':['2026-07-28'],'capabilities':{'tools':{},"
          + "'extensions':{'io.modelcontextprotocol/tasks':{}}}}";
  private static final String QUESTION = "{'method':'elicitation/create','params':{'message':'m',"
      + "'requestedSchema':{'type':'object','properties':{}}}}";

  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger polls = new AtomicInteger();
  private Server server;
  private McpClient client;

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  /** Returns questions with new keys. */
  private static String questions(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> "'q" + i + "':" + QUESTION)
        .collect(Collectors.joining(",", "'inputRequests':{", "}"));
  }

  private static String task(String status) {
    return "'taskId':'7','createdAt':'2026-07-28T00:00:00Z','lastUpdatedAt':'2026-07-28T00:00:00Z',"
        + "'ttlMs':null,'pollIntervalMs':50,'status':'" + status + "'";
  }

  private static String asking(String questions) {
    return "{'resultType':'complete'," + task("input_required") + "," + questions + "}";
  }

  private static String done() {
    return "{'resultType':'complete'," + task("completed")
        + ",'result':{'content':[{'type':'text','text':'done'}]}}";
  }

  /** Connects to a server that runs each call as a task, and answers each poll with this text. */
  private void connect(
      IntFunction<String> poll, Function<Elicitation, Elicitation.Answer> elicitation)
      throws Exception {
    connect(params -> called("task", ""), poll, elicitation);
  }

  private void connect(
      Function<Json, String> script,
      IntFunction<String> poll,
      Function<Elicitation, Elicitation.Answer> elicitation)
      throws Exception {
    String uri = "mem:questions-" + NAMES.incrementAndGet();
    server = Repartee.listen(
        uri,
        Service.builder()
            .method("server/discover", call -> json(DISCOVERED))
            .method("tools/list", call -> json("{'resultType':'complete','tools':[]}"))
            .method("tools/call", c -> json(script.apply(c.params())))
            .method("tasks/get", call -> json(poll.apply(polls.getAndIncrement())))
            .method("tasks/update", call -> json("{'resultType':'complete'}"))
            .method("tasks/cancel", call -> json("{'resultType':'complete'}"))
            .build());
    client = McpClient.builder("t", "1").onElicitation(elicitation).connect(uri);
  }

  /** Returns the answer to a call that asks directly or through its task. */
  private static String called(String asker, String questions) {
    return asker.equals("task")
        ? "{'resultType':'task'," + task("working") + "}"
        : "{'resultType':'input_required'," + questions + "}";
  }

  private CompletableFuture<?> result(String asker) throws Exception {
    return result(asker, client.request("t"));
  }

  private static CompletableFuture<?> result(String asker, ToolCall call) throws Exception {
    return asker.equals("task") ? call.start().get().result() : call.send();
  }

  private Elicitation.Answer decline(Elicitation question) {
    asked.incrementAndGet();
    return new Elicitation.Answer("decline", null);
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void aTaskThatAsksForInputAgainAndAgainEnds() throws Exception {
    connect(poll -> poll < 40 ? asking(questions(poll, 1)) : done(), this::decline);

    assertThatThrownBy(() -> client.request("t").start().get().result().get())
        .hasRootCauseInstanceOf(ProtocolException.class)
        .hasMessageContaining("it asked for input more than 32 times");
    assertThat(asked).hasValue(32);
  }

  @Test
  void moreQuestionsOfATaskThanARoundMayHaveAreNotPutToTheUser() throws Exception {
    connect(
        poll -> poll > 1 ? done() : asking(poll == 0 ? questions(0, 64) : questions(1, 128)),
        this::decline);

    assertThatThrownBy(() -> client.request("t").start().get().result().get())
        .hasMessageContaining("65 questions in one round, more than the 64");
    assertThat(asked).hasValue(64);
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "task"})
  void aKeyThatIsTooLongIsNotKept(String asker) throws Exception {
    String question = "'inputRequests':{'" + "k".repeat(4_097) + "':" + QUESTION + "}";
    connect(
        params -> called(asker, question),
        poll -> poll > 0 ? done() : asking(question),
        this::decline);

    assertThatThrownBy(() -> result(asker).get())
        .hasRootCauseInstanceOf(ProtocolException.class)
        .hasMessageContaining("a key has 4097 characters, more than the 4096");
    assertThat(asked).hasValue(0);
  }

  @Test
  void aTaskThatRepeatsAnAnsweredQuestionBeginsNoRound() throws Exception {
    connect(poll -> poll < 40 ? asking(questions(0, 1)) : done(), this::decline);

    assertThat(client.request("t").start().get().result().get().content())
        .containsExactly(Content.text("done"));
    assertThat(asked).hasValue(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "task"})
  void theHandlerOfACallAnswersTheQuestionsOfTheCallAndOfItsTask(String asker) throws Exception {
    connect(
        params -> params.get("inputResponses") == null
            ? called(asker, questions(0, 1))
            : "{'resultType':'complete','content':[]}",
        poll -> poll == 0 ? asking(questions(0, 1)) : done(),
        this::decline);
    AtomicInteger own = new AtomicInteger();

    ToolCall call = client.request("t").onElicitation(question -> {
      own.incrementAndGet();
      return new Elicitation.Answer("decline", null);
    });
    result(asker, call).get();

    assertThat(own).hasValue(1);
    assertThat(asked).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "task"})
  void aCancelledCallPutsNoFurtherQuestionToTheUser(String asker) throws Exception {
    CountDownLatch cancelled = new CountDownLatch(1);
    Semaphore answered = new Semaphore(0);
    Semaphore begun = new Semaphore(0);
    Function<Elicitation, Elicitation.Answer> user = question -> {
      begun.release();
      try {
        cancelled.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      answered.release();
      return decline(question);
    };
    connect(params -> called(asker, questions(0, 3)), poll -> asking(questions(0, 3)), user);
    CompletableFuture<?> call = result(asker);
    begun.acquire();

    call.cancel(true);
    cancelled.countDown();
    answered.acquire();

    assertThat(begun.tryAcquire(200, TimeUnit.MILLISECONDS)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"call", "task"})
  void anErrorOfTheHandlerEndsTheCall(String asker) throws Exception {
    connect(params -> called(asker, questions(0, 1)), poll -> asking(questions(0, 1)), question -> {
      throw new AssertionError("broken");
    });
    assertThatThrownBy(() -> result(asker).get(60, TimeUnit.SECONDS)).hasRootCauseMessage("broken");
  }
}
