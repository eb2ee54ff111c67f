package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.CallFuture;
import dev.repartee.Handler;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.access.Principal;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.InputRequest;
import dev.repartee.mcp.types.LogLevel;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import dev.repartee.testkit.memory.HeldWatch;
import dev.repartee.transport.ChannelPair;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The extension {@code io.modelcontextprotocol/tasks}, sentence by sentence of its specification.
 */
@Timeout(60)
@SuppressWarnings("deprecation") // deprecated by the specification, but still supported
class TasksTest {
  private static final String TASKS = "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}";
  private static final String FULL = "{" + TASKS + ",\"elicitation\":{}}";
  private static final Elicitation NAME = Elicitation.form("What is your name?", Json.parse("""
      {"type":"object","properties":{"name":{"type":"string"}}}"""));

  private final List<Client> clients = new ArrayList<>();

  @AfterEach
  void close() {
    clients.forEach(Client::close);
  }

  // ---------------------------------------------------------------- capabilities

  @Test
  void aServerWhoseToolsSupportTasksDeclaresTheExtension() {
    Client client = client(server(task("work", call -> "done")));

    Json capabilities = client.call("server/discover", "{}").get("capabilities");

    assertThat(capabilities.get("extensions").get("io.modelcontextprotocol/tasks"))
        .isEqualTo(Json.EMPTY_OBJECT);
    assertThat(capabilities.get("tasks")).isNull();
  }

  @Test
  void aServerWithoutSuchToolsDoesNotDeclareTheExtension() {
    Client client = client(server(Tool.named("greet").handle((call, arguments) -> "Hello")));

    assertThat(client.call("server/discover", "{}").get("capabilities").get("extensions"))
        .isNull();
  }

  @Test
  void aClientWithAHandshakeGetsTheResultAndNoTask() {
    Client client = client(server(task("work", call -> "done")));

    Json initialized = client.plain("initialize", """
        {"protocolVersion":"2025-11-25","capabilities":{},\
        "clientInfo":{"name":"test","version":"1"}}""");
    Json tool = client.plain("tools/list", "{}").get("tools").elements().get(0);
    Json result = client.plain("tools/call", "{\"name\":\"work\",\"task\":{\"ttl\":1000}}");

    assertThat(initialized.get("capabilities").get("tasks")).isNull();
    assertThat(initialized.get("capabilities").get("extensions")).isNull();
    assertThat(tool.get("execution")).isNull();
    assertThat(text(result)).isEqualTo("done");
  }

  @Test
  void aClientThatDoesNotDeclareTheExtensionGetsTheResultItself() {
    Client client = client(server(task("work", call -> "done"))).declaring("{}");

    Json result = client.tool("work");

    assertThat(string(result, "resultType")).isEqualTo("complete");
    assertThat(text(result)).isEqualTo("done");
    assertThat(result.get("taskId")).isNull();
  }

  @Test
  void aToolThatRequiresTasksRejectsAClientWithoutTheExtension() {
    AtomicInteger runs = new AtomicInteger();
    Client client = client(server(Tool.named("work")
            .tasks(Tool.TaskSupport.REQUIRED)
            .handle((call, arguments) -> runs.incrementAndGet())))
        .declaring("{}");

    RpcException refusal = client.failure("tools/call", "{\"name\":\"work\"}");

    assertThat(refusal.code()).isEqualTo(-32021);
    assertThat(refusal.data()).isEqualTo(Json.parse("{\"requiredCapabilities\":{" + TASKS + "}}"));
    assertThat(runs).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tasks/get", "tasks/update", "tasks/cancel"})
  void taskRequestsOfAClientWithoutTheExtensionAreRejectedBeforeTheLookUp(String method) {
    Client client = client(server(task("work", call -> "done"))).declaring("{}");

    RpcException refusal = client.failure(method, "{\"taskId\":\"none\",\"inputResponses\":{}}");

    assertThat(refusal.code()).isEqualTo(-32021);
    assertThat(refusal.data()).isEqualTo(Json.parse("{\"requiredCapabilities\":{" + TASKS + "}}"));
  }

  @Test
  void aClientWithoutTheExtensionCannotSubscribeToTasks() {
    Client client = client(server(task("work", call -> "done"))).declaring("{}");

    RpcException refusal =
        client.failure("subscriptions/listen", "{\"notifications\":{\"taskIds\":[]}}");

    assertThat(refusal.code()).isEqualTo(-32021);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tasks/result", "tasks/list"})
  void methodsOfTheExperimentalTasksAreNotFound(String method) {
    Client client = client(server(task("work", call -> "done")));

    assertThat(client.failure(method, "{\"taskId\":\"none\"}").code())
        .isEqualTo(RpcError.METHOD_NOT_FOUND);
  }

  // ---------------------------------------------------------------- handles and results

  @Test
  void theHandleHasTheMembersOfATaskAndNoResult() {
    Clock clock = Clock.fixed(Instant.parse("2026-07-28T10:00:00.5Z"), ZoneOffset.UTC);
    Client client = client(builder(task("work", call -> "done"))
        .clock(clock)
        .tasks(5, Duration.ofMinutes(2))
        .build());

    Json handle = client.tool("work");

    assertThat(handle.members().keySet())
        .containsExactlyInAnyOrder(
            "resultType",
            "taskId",
            "status",
            "createdAt",
            "lastUpdatedAt",
            "ttlMs",
            "pollIntervalMs",
            "_meta");
    assertThat(string(handle, "resultType")).isEqualTo("task");
    assertThat(string(handle, "status")).isEqualTo("working");
    assertThat(string(handle, "createdAt")).isEqualTo("2026-07-28T10:00:00.500Z");
    assertThat(handle.get("ttlMs").as(long.class)).isEqualTo(120_000);
    assertThat(handle.get("pollIntervalMs").as(long.class)).isPositive();
  }

  @Test
  void theIdOfATaskIsUnguessable() {
    Client client = client(server(task("work", call -> "done")));

    String one = id(client.tool("work"));
    String other = id(client.tool("work"));

    assertThat(one).isNotEqualTo(other).matches("[A-Za-z0-9_-]{22,}");
  }

  @Test
  void aTaskExistsAsSoonAsItsHandleIsSent() {
    CountDownLatch goOn = new CountDownLatch(1);
    Client client = client(server(task("work", call -> await(goOn))));

    String id = id(client.tool("work"));
    Json task = client.get(id);

    assertThat(string(task, "resultType")).isEqualTo("complete");
    assertThat(string(task, "taskId")).isEqualTo(id);
    assertThat(string(task, "status")).isEqualTo("working");
    assertThat(task.get("result")).isNull();
    goOn.countDown();
  }

  @Test
  void aCompletedTaskHasTheResultThatTheRequestWouldHaveHad() {
    McpServer server = server(task("work", call -> new Done(3)));
    Client client = client(server);

    Json task = client.settled(id(client.tool("work")));

    assertThat(string(task, "status")).isEqualTo("completed");
    assertThat(task.get("result")).isEqualTo(client(server).declaring("{}").tool("work"));
    assertThat(task.get("error")).isNull();
    assertThat(task.get("inputRequests")).isNull();
  }

  record Done(int steps) {}

  @Test
  void aFailureOfTheToolCompletesTheTask() {
    Client client = client(server(task("work", call -> {
      throw new ToolException("no more paper");
    })));

    Json task = client.settled(id(client.tool("work")));

    assertThat(string(task, "status")).isEqualTo("completed");
    assertThat(task.get("result").get("isError")).isEqualTo(Json.TRUE);
    assertThat(text(task.get("result"))).isEqualTo("no more paper");
  }

  @Test
  void aJsonRpcErrorFailsTheTask() {
    Client client = client(server(task("work", call -> {
      throw new RpcException(-32001, "the rate limit is exceeded", Map.of("after", 5));
    })));

    Json task = client.settled(id(client.tool("work")));

    assertThat(string(task, "status")).isEqualTo("failed");
    assertThat(task.get("error")).isEqualTo(Json.parse("""
        {"code":-32001,"message":"the rate limit is exceeded","data":{"after":5}}"""));
    assertThat(string(task, "statusMessage")).isEqualTo("the rate limit is exceeded");
    assertThat(task.get("result")).isNull();
  }

  @Test
  void aHandlerMayReturnAStage() {
    CompletableFuture<String> later = new CompletableFuture<>();
    Client client = client(server(task("work", call -> later)));

    String id = id(client.tool("work"));
    assertThat(string(client.get(id), "status")).isEqualTo("working");
    later.complete("done");

    assertThat(text(client.settled(id).get("result"))).isEqualTo("done");
  }

  @Test
  void aJavaMethodMayBeATask() {
    Client client = client(McpServer.builder("test", "1").tools(new Jobs()).build());

    Json task = client.settled(id(client.tool("run")));

    assertThat(text(task.get("result"))).isEqualTo("ran");
  }

  /** Java methods as tools. */
  public static final class Jobs {
    /** Returns immediately. */
    @McpTool(value = "Runs", tasks = Tool.TaskSupport.REQUIRED)
    public String run() {
      return "ran";
    }
  }

  @Test
  void aTaskOutlivesTheConnectionOfItsRequest() {
    CountDownLatch goOn = new CountDownLatch(1);
    McpServer server = server(task("work", call -> await(goOn)));
    Client first = client(server);

    String id = id(first.tool("work"));
    first.close();
    goOn.countDown();

    assertThat(text(client(server).settled(id).get("result"))).isEqualTo("done");
  }

  @Test
  void anUnknownTaskIdIsAnInvalidParam() {
    Client client = client(server(task("work", call -> "done")));

    for (String method : List.of("tasks/get", "tasks/update", "tasks/cancel")) {
      RpcException refusal = client.failure(method, "{\"taskId\":\"none\",\"inputResponses\":{}}");
      assertThat(refusal.code()).isEqualTo(RpcError.INVALID_PARAMS);
      assertThat(refusal.error().message()).contains("taskId: there is no such task");
    }
  }

  @Test
  void aTaskIsFoundOnlyByItsPrincipal() {
    McpServer server = builder(task("work", call -> call.principal().name()))
        .options(Options.builder()
            .layer((call, next) -> {
              Json who = call.params().get("_meta").get("who");
              Principal principal = Principal.bearer(who.as(String.class), Set.of());
              call.set(Principal.KEY, principal);
              return next.handle(call);
            })
            .build())
        .build();
    Client ann = client(server).as("ann");
    Client bob = client(server).as("bob");

    String id = id(ann.tool("work"));

    assertThat(text(ann.settled(id).get("result"))).isEqualTo("ann");
    assertThat(bob.failure("tasks/get", "{\"taskId\":\"" + id + "\"}").code())
        .isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(bob.listen(id)).isEmpty();
  }

  // ---------------------------------------------------------------- cancellation

  @Test
  void cancellingATaskIsAcknowledgedAndCancelsItsHandler() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Client client = client(server(task("work", call -> {
      started.countDown();
      try {
        call.cancellation().sleep(Duration.ofHours(1));
        return "woken";
      } finally {
        ended.countDown();
      }
    })));
    String id = id(client.tool("work"));
    started.await(); // a task that is cancelled earlier does not run its handler

    Json acknowledgement = client.call("tasks/cancel", "{\"taskId\":\"" + id + "\"}");

    assertThat(acknowledgement.members().keySet()).containsExactlyInAnyOrder("resultType", "_meta");
    assertThat(string(acknowledgement, "resultType")).isEqualTo("complete");
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(string(client.get(id), "status")).isEqualTo("cancelled");
    assertThat(client.get(id).get("result")).isNull();
  }

  @Test
  void theResultOfACancelledHandlerIsDropped() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Client client = client(server(task("work", call -> {
      call.call().cancellation().onCancel(() -> ended.complete(null));
      started.countDown();
      return await(goOn);
    })));
    String id = id(client.tool("work"));
    started.await();
    client.call("tasks/cancel", "{\"taskId\":\"" + id + "\"}");
    Json cancelled = client.get(id);
    ended.join();

    goOn.countDown();

    assertThat(client.get(id)).isEqualTo(cancelled);
    assertThat(string(cancelled, "status")).isEqualTo("cancelled");
  }

  @Test
  void cancellingATaskThatHasEndedIsAcknowledgedAndChangesNothing() {
    Client client = client(server(task("work", call -> "done")));
    String id = id(client.tool("work"));
    Json completed = client.settled(id);

    Json acknowledgement = client.call("tasks/cancel", "{\"taskId\":\"" + id + "\"}");

    assertThat(string(acknowledgement, "resultType")).isEqualTo("complete");
    assertThat(client.get(id)).isEqualTo(completed);
  }

  @Test
  void cancellingATaskEndsTheWaitForInput() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Client client = client(server(task("work", call -> {
      try {
        return call.elicit("name", NAME);
      } catch (RuntimeException e) {
        thrown.complete(e);
        throw e;
      }
    })));
    String id = id(client.tool("work"));
    client.reaching(id, "input_required");

    client.call("tasks/cancel", "{\"taskId\":\"" + id + "\"}");

    assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
    assertThat(client.get(id).get("inputRequests")).isNull();
  }

  // ---------------------------------------------------------------- input

  @Test
  void aHandlerThatAsksContinuesWithTheAnswer() {
    AtomicInteger runs = new AtomicInteger();
    Client client = client(server(task("work", call -> {
      runs.incrementAndGet();
      return "Hello, " + name(call);
    })));
    String id = id(client.tool("work"));

    Json waiting = client.reaching(id, "input_required");
    Json acknowledgement = client.update(id, "{\"name\":" + accepted("Ann") + "}");

    assertThat(waiting.get("inputRequests")).isEqualTo(Json.parse("""
        {"name":{"method":"elicitation/create","params":{"mode":"form",\
        "message":"What is your name?","requestedSchema":{"type":"object",\
        "properties":{"name":{"type":"string"}}}}}}"""));
    assertThat(waiting.get("requestState")).isNull();
    assertThat(acknowledgement.members().keySet()).containsExactlyInAnyOrder("resultType", "_meta");
    assertThat(text(client.settled(id).get("result"))).isEqualTo("Hello, Ann");
    assertThat(runs).hasValue(1);
  }

  @Test
  void theHandlerWaitsUntilAllAnswersHaveCome() {
    Client client = client(server(task("work", call -> {
      Map<String, InputRequest> both = new LinkedHashMap<>();
      both.put("one", NAME);
      both.put("two", NAME);
      Map<String, Json> answers = call.ask(both);
      return given(answers.get("one")) + " and " + given(answers.get("two"));
    })));
    String id = id(client.tool("work"));
    client.reaching(id, "input_required");

    client.update(id, "{\"one\":" + accepted("Ann") + "}");
    Json waiting = client.get(id);
    client.update(id, "{\"two\":" + accepted("Bob") + "}");

    assertThat(string(waiting, "status")).isEqualTo("input_required");
    assertThat(waiting.get("inputRequests").members().keySet()).containsExactly("two");
    assertThat(text(client.settled(id).get("result"))).isEqualTo("Ann and Bob");
  }

  @Test
  void answersWithoutAQuestionAreIgnored() {
    Client client = client(server(task("work", call -> name(call) + call.once("name", () -> "?"))));
    String id = id(client.tool("work"));
    Json waiting = client.reaching(id, "input_required");

    client.update(id, "{\"other\":{\"ignored\":true}}");
    assertThat(client.get(id)).isEqualTo(waiting);
    client.update(id, "{\"name\":" + accepted("Ann") + "}");
    Json ended = client.settled(id);
    client.update(id, "{\"name\":" + accepted("Bob") + "}");

    assertThat(client.get(id)).isEqualTo(ended);
  }

  @Test
  void anAnsweredKeyIsNotAskedAgain() {
    Client client = client(server(task("work", call -> name(call) + " is " + name(call))));
    String id = id(client.tool("work"));
    client.reaching(id, "input_required");

    client.update(id, "{\"name\":" + accepted("Ann") + "}");

    assertThat(text(client.settled(id).get("result"))).isEqualTo("Ann is Ann");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"inputResponses\":[]}",
        "{\"inputResponses\":{\"name\":1}}",
        "{\"inputResponses\":{\"name\":{\"action\":\"agree\"}}}"
      })
  void invalidAnswersAreRejectedAndTheTaskKeepsWaiting(String wrong) {
    Client client = client(server(task("work", TasksTest::name)));
    String id = id(client.tool("work"));
    Json waiting = client.reaching(id, "input_required");

    RpcException refusal = client.failure(
        "tasks/update",
        JsonObjectBuilder.of(Json.parse(wrong)).put("taskId", id).build().toString());

    assertThat(refusal.code()).isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(refusal.error().message()).contains("inputResponses");
    assertThat(client.get(id)).isEqualTo(waiting);
  }

  @Test
  void aMissingCapabilityFailsTheTask() {
    Client client = client(server(task("work", TasksTest::name))).declaring("{" + TASKS + "}");

    Json task = client.settled(id(client.tool("work")));

    assertThat(string(task, "status")).isEqualTo("failed");
    assertThat(task.get("error").get("code").as(int.class)).isEqualTo(-32021);
  }

  @Test
  void aHandlerWaitsForAnAnswerUntilTheInputTimeout() {
    Client client = client(builder(task("work", TasksTest::name))
        .inputTimeout(Duration.ofMillis(1))
        .build());

    Json task = client.settled(id(client.tool("work")));

    assertThat(task.get("result").get("isError")).isEqualTo(Json.TRUE);
    assertThat(text(task.get("result"))).contains("has not answered within 1 ms: name");
    assertThat(task.get("inputRequests")).isNull();
  }

  @Test
  void aTaskContinuesAfterAnInputTimeout() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Client client = client(builder(task("work", call -> {
          try {
            return name(call);
          } catch (ToolException e) {
            call.progress(1, null, "without a name");
            return await(goOn);
          }
        }))
        .inputTimeout(Duration.ofMillis(1))
        .build());
    String id = id(client.tool("work"));
    client.listen(id);

    Json state = client.told.take();
    while (!Json.of("without a name").equals(state.get("statusMessage"))) {
      state = client.told.take();
    }

    assertThat(string(state, "status")).isEqualTo("working");
    assertThat(state.get("inputRequests")).isNull();
    goOn.countDown();
  }

  // ---------------------------------------------------------------- handlers that detach

  @Test
  void aQuestionBeforeDetachIsAskedInTheResult() {
    Client client = client(server(Tool.named("work").detaching().handle((call, arguments) -> {
      String name = name(call);
      call.detach();
      return "Hello, " + name + ", again " + name(call);
    })));

    Json round = client.tool("work");
    String key = round.get("inputRequests").members().keySet().iterator().next();
    Json handle =
        client.call("tools/call", """
            {"name":"work","inputResponses":{"%s":%s},"requestState":%s}\
            """.formatted(key, accepted("Ann"), round.get("requestState")));

    assertThat(string(round, "resultType")).isEqualTo("input_required");
    assertThat(round.get("taskId")).isNull();
    assertThat(string(handle, "resultType")).isEqualTo("task");
    assertThat(handle.get("requestState")).isNull();
    assertThat(text(client.settled(id(handle)).get("result"))).isEqualTo("Hello, Ann, again Ann");
  }

  @Test
  void aHandlerThatDoesNotDetachAnswersTheRequest() {
    Client client =
        client(server(Tool.named("work").detaching().handle((call, arguments) -> "at once")));

    Json result = client.tool("work");

    assertThat(string(result, "resultType")).isEqualTo("complete");
    assertThat(text(result)).isEqualTo("at once");
  }

  @Test
  void anErrorBeforeDetachIsTheErrorOfTheRequest() {
    Client client = client(server(Tool.named("work").detaching().handle((call, arguments) -> {
      throw new RpcException(-32001, "out of paper");
    })));

    assertThat(client.failure("tools/call", "{\"name\":\"work\"}").code()).isEqualTo(-32001);
  }

  @Test
  void detachHasNoEffectForAClientWithoutTheExtension() {
    Client client = client(server(Tool.named("work").detaching().handle((call, arguments) -> {
          call.detach();
          return "done";
        })))
        .declaring("{}");

    assertThat(text(client.tool("work"))).isEqualTo("done");
  }

  @Test
  void cancellingARequestBeforeDetachCancelsItsHandler() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    Client client = client(server(Tool.named("work").detaching().handle((call, arguments) -> {
      CountDownLatch cancelled = new CountDownLatch(1);
      call.cancellation().onCancel(cancelled::countDown);
      started.countDown();
      await(cancelled);
      try {
        call.detach();
      } catch (RuntimeException e) {
        thrown.complete(e);
      }
      return "done";
    })));

    CallFuture<Json> request = client.send("tools/call", "{\"name\":\"work\"}");
    started.await();
    request.cancel(true);

    assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(CancellationException.class);
  }

  @Test
  void notificationsBeforeDetachBelongToTheRequest() throws Exception {
    Client client = client(server(Tool.named("work").detaching().handle((call, arguments) -> {
      call.progress(1, 2);
      call.detach();
      call.progress(2, 2.0, "nearly there");
      return "done";
    })));

    String id =
        id(client.call("tools/call", "{\"name\":\"work\",\"_meta\":{\"progressToken\":7}}"));
    client.settled(id);

    assertThat(client.progress).hasSize(1);
    assertThat(client.progress.take())
        .isEqualTo(Json.parse("{\"progressToken\":7,\"progress\":1,\"total\":2}"));
  }

  // ---------------------------------------------------------------- bounds

  @Test
  void aServerRejectsTasksBeyondItsMaximum() {
    Client client = client(
        builder(task("work", call -> "done")).tasks(1, Duration.ofHours(1)).build());
    client.settled(id(client.tool("work")));

    RpcException refusal = client.failure("tools/call", "{\"name\":\"work\"}");

    assertThat(refusal.code()).isEqualTo(-31000);
    assertThat(refusal.data()).isEqualTo(Json.parse("{\"limit\":\"tasks\",\"max\":1}"));
  }

  @Test
  void aHandlerOfACancelledTaskCountsAsRunning() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    McpServer server = builder(task("work", call -> {
          running.countDown();
          return await(goOn);
        }))
        .options(Options.builder().limits(limits -> limits.runningCalls(1)).build())
        .build();
    String id = id(client(server).tool("work"));
    await(running); // a task that is cancelled earlier does not run its handler
    client(server).call("tasks/cancel", "{\"taskId\":\"" + id + "\"}");

    RpcException refusal = client(server).failure("tools/call", "{\"name\":\"work\"}");

    assertThat(refusal.code()).isEqualTo(-31000);
    assertThat(refusal.data()).isEqualTo(Json.parse("{\"limit\":\"runningTasks\",\"max\":1}"));
    goOn.countDown();
  }

  @Test
  void anEndedHandlerMakesRoomForExactlyOneMore() {
    CountDownLatch goOn = new CountDownLatch(1);
    AtomicInteger runs = new AtomicInteger();
    McpServer server = builder(
            task("work", call -> runs.incrementAndGet() == 1 ? "done" : await(goOn)))
        .options(Options.builder().limits(limits -> limits.runningCalls(1)).build())
        .build();
    String first = id(client(server).tool("work"));

    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (runs.get() < 2 && System.nanoTime() < end) { // the handler ends a moment after its task
      Client next = new Client(server);
      catchThrowable(() -> next.tool("work"));
      next.close();
    }

    assertThat(runs).hasValue(2);
    assertThat(client(server).failure("tools/call", "{\"name\":\"work\"}").code())
        .isEqualTo(-31000);
    assertThat(string(client(server).get(first), "status")).isEqualTo("completed");
    goOn.countDown();
  }

  @Test
  void aTaskIsDeletedWhenItsLifetimeHasPassed() {
    Hand clock = new Hand();
    Client client = client(builder(task("work", call -> "done"))
        .clock(clock)
        .tasks(1, Duration.ofMinutes(1))
        .build());
    String id = id(client.tool("work"));
    client.settled(id);

    clock.pass(Duration.ofMinutes(1).minusMillis(1));
    assertThat(string(client.get(id), "status")).isEqualTo("completed");
    clock.pass(Duration.ofMillis(1));

    assertThat(client.failure("tasks/get", "{\"taskId\":\"" + id + "\"}").code())
        .isEqualTo(RpcError.INVALID_PARAMS);
    assertThat(string(client.tool("work"), "resultType")).isEqualTo("task");
  }

  @Test
  void theResultOfAnExpiredTaskIsReleasedWithoutARequest() throws Exception {
    Hand clock = new Hand();
    long held = TaskStore.RESULTS.held(); // small results of other tests may follow
    Client client = client(builder(task("work", call -> "x".repeat(100_000)))
        .clock(clock)
        .tasks(1, Duration.ofSeconds(1))
        .build());

    client.tool("work");

    HeldWatch.await(TaskStore.RESULTS, held + 100_000, Long.MAX_VALUE);
    clock.pass(Duration.ofSeconds(1));
    HeldWatch.await(TaskStore.RESULTS, 0, held + 50_000);
  }

  @Test
  void theHandlerOfAnExpiredTaskIsCancelled() throws Exception {
    Hand clock = new Hand();
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Client client = client(builder(task("work", call -> {
          call.cancellation().onCancel(told::countDown);
          running.countDown();
          return await(told);
        }))
        .clock(clock)
        .tasks(1, Duration.ofMinutes(1))
        .build());
    String id = id(client.tool("work"));
    await(running);

    clock.pass(Duration.ofMinutes(1));
    client.failure("tasks/get", "{\"taskId\":\"" + id + "\"}");

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theHandlerOfAnExpiredTaskIsCancelledWithoutARequest() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Client client = client(builder(task("work", call -> {
          call.cancellation().onCancel(told::countDown);
          running.countDown();
          return await(told);
        }))
        .tasks(100, Duration.ofMillis(50))
        .build());

    do {
      client.tool("work");
      // on a busy machine the task may expire before its handler starts, and the handler never runs
    } while (!running.await(1, TimeUnit.SECONDS));

    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
  }

  /** A clock that the test sets. */
  private static final class Hand extends Clock {
    private volatile Instant now = Instant.parse("2026-07-28T10:00:00Z");

    void pass(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  // ---------------------------------------------------------------- notifications

  @Test
  void aSubscriptionReportsTheDetailsOfATask() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch said = new CountDownLatch(1);
    Client client = client(server(task("work", call -> {
      await(goOn);
      call.progress(1, 2.0, "half of it");
      await(said);
      return "done";
    })));
    String id = id(client.tool("work"));
    assertThat(client.listen(id, "another")).containsExactly(id);

    assertThat(string(client.told.take(), "status")).isEqualTo("working");
    goOn.countDown();
    assertThat(string(client.told.take(), "statusMessage")).isEqualTo("half of it");
    said.countDown();
    Json last = client.told.take();

    assertThat(string(last, "status")).isEqualTo("completed");
    assertThat(last.get("_meta").get("io.modelcontextprotocol/subscriptionId")).isNotNull();
    assertThat(without(last, "_meta")).isEqualTo(without(client.get(id), "_meta", "resultType"));
    assertThat(client.progress).isEmpty();
  }

  @Test
  void aSubscriptionToAnEndedTaskReportsItsEnd() throws Exception {
    Client client = client(server(task("work", call -> "done")));
    String id = id(client.tool("work"));
    client.settled(id);

    client.listen(id);

    assertThat(string(client.told.take(), "status")).isEqualTo("completed");
  }

  @Test
  void theLogOfATaskIsDropped() throws Exception {
    Client client = client(server(task("work", call -> {
      call.log(LogLevel.ERROR, "heard by nobody");
      return "done";
    })));

    String id = id(client.call("tools/call", """
        {"name":"work","_meta":{"io.modelcontextprotocol/logLevel":"debug"}}"""));
    client.settled(id);

    assertThat(client.logged).isEmpty();
  }

  // ---------------------------------------------------------------- helpers

  /** The body of a tool without arguments. */
  private interface Work {
    Object of(McpCall call) throws Exception;
  }

  private static Tool task(String name, Work work) {
    return Tool.named(name)
        .tasks(Tool.TaskSupport.OPTIONAL)
        .handle((call, arguments) -> work.of(call));
  }

  private static McpServer.Builder builder(Tool tool) {
    return McpServer.builder("test", "1").tool(tool);
  }

  private static McpServer server(Tool tool) {
    return builder(tool).build();
  }

  private Client client(McpServer server) {
    Client client = new Client(server);
    clients.add(client);
    return client;
  }

  private static String name(McpCall call) {
    return given(call.ask(Map.of("name", NAME)).get("name"));
  }

  private static String given(Json answer) {
    return answer.get("content").get("name").as(String.class);
  }

  private static String accepted(String name) {
    return """
        {"action":"accept","content":{"name":"%s"}}""".formatted(name);
  }

  private static String await(CountDownLatch latch) throws InterruptedException {
    latch.await();
    return "done";
  }

  private static String id(Json handle) {
    assertThat(string(handle, "resultType")).isEqualTo("task");
    return string(handle, "taskId");
  }

  private static String string(Json object, String member) {
    return object.get(member).as(String.class);
  }

  private static String text(Json result) {
    return string(result.get("content").elements().get(0), "text");
  }

  private static Json without(Json object, String... members) {
    Map<String, Json> rest = new LinkedHashMap<>(object.members());
    rest.keySet().removeAll(Set.of(members));
    return Json.of(rest);
  }

  /** Sends cancellations as MCP requires, and receives progress as plain notifications. */
  private static final Dialect CANCELLING = new Dialect() {
    @Override
    public String cancelMethod() {
      return "notifications/cancelled";
    }

    @Override
    public Json cancelParams(Id id) {
      return Json.of(Map.of("requestId", id.json()));
    }
  };

  /** A client of 2026-07-28 in process, which supports tasks and elicitation in form mode. */
  private static final class Client {
    final BlockingQueue<Json> told = new LinkedBlockingQueue<>();
    final BlockingQueue<Json> progress = new LinkedBlockingQueue<>();
    final BlockingQueue<Json> logged = new LinkedBlockingQueue<>();
    private final BlockingQueue<Json> acknowledged = new LinkedBlockingQueue<>();
    private final Peer peer;
    private String capabilities = FULL;
    private String who = "somebody";

    Client(McpServer server) {
      ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
      server.open(pair.server());
      Service service = Service.builder()
          .method("notifications/tasks", into(told))
          .method("notifications/progress", into(progress))
          .method("notifications/message", into(logged))
          .method("notifications/subscriptions/acknowledged", into(acknowledged))
          .build();
      peer = Peer.open(
          pair.client(),
          service,
          Options.builder().dialect(CANCELLING).builtins().build());
    }

    private static Handler into(BlockingQueue<Json> queue) {
      return call -> {
        queue.add(call.params());
        return null;
      };
    }

    Client declaring(String capabilities) {
      this.capabilities = capabilities;
      return this;
    }

    Client as(String who) {
      this.who = who;
      return this;
    }

    void close() {
      peer.close();
    }

    Json plain(String method, String params) {
      return peer.request(method).params(Json.parse(params)).call(Json.class);
    }

    CallFuture<Json> send(String method, String params) {
      JsonObjectBuilder meta = new JsonObjectBuilder()
          .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
          .put("io.modelcontextprotocol/clientCapabilities", Json.parse(capabilities))
          .put("who", who);
      Json whole =
          JsonObjectBuilder.of(Json.parse(params)).merge("_meta", meta.build()).build();
      return peer.request(method).params(whole).send(Json.class);
    }

    Json call(String method, String params) {
      return send(method, params).await();
    }

    RpcException failure(String method, String params) {
      RpcException failure = catchThrowableOfType(RpcException.class, () -> call(method, params));
      return Objects.requireNonNull(failure, () -> method + " went well");
    }

    Json tool(String name) {
      return call("tools/call", "{\"name\":\"" + name + "\"}");
    }

    Json get(String id) {
      return call("tasks/get", "{\"taskId\":\"" + id + "\"}");
    }

    Json update(String id, String responses) {
      return call(
          "tasks/update", "{\"taskId\":\"" + id + "\",\"inputResponses\":" + responses + "}");
    }

    /** Subscribes to tasks. Returns the ids that the server honours. */
    List<String> listen(String... ids) {
      send(
          "subscriptions/listen",
          "{\"notifications\":{\"taskIds\":" + Json.of(List.of(ids)) + "}}");
      try {
        Json agreed = acknowledged.take().get("notifications").get("taskIds");
        return agreed == null
            ? List.of()
            : agreed.elements().stream().map(id -> id.as(String.class)).toList();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    Json settled(String id) {
      return reaching(id, "completed|failed|cancelled");
    }

    /** Waits until the task has one of the statuses, and returns its details. */
    Json reaching(String id, String status) {
      listen(id);
      try {
        Json state = told.take();
        while (!string(state, "taskId").equals(id) || !string(state, "status").matches(status)) {
          state = told.take();
        }
        told.clear();
        return get(id);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }
}
