package dev.repartee.dap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.*;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DapServerTest {
  private static final String CLIENT =
      "{\"adapterID\":\"test\",\"supportsProgressReporting\":true,\"unknown\":[1]}";

  /** An adapter that sends its events too early. */
  private static class Hasty
      implements DapSessionAware,
          AutoCloseable,
          InitializeHandler,
          LaunchHandler,
          ConfigurationDoneHandler,
          NextHandler,
          ContinueHandler,
          ThreadsHandler {
    final CompletableFuture<Void> closed = new CompletableFuture<>();
    final CountDownLatch running = new CountDownLatch(1);
    DapSession session;
    boolean fails;

    @Override
    public void connect(DapSession session) {
      this.session = session;
    }

    @Override
    public Capabilities initialize(InitializeRequestArguments client) {
      session.client().output(new OutputEvent("hello"));
      session.client().initialized();
      if (fails) {
        fails = false;
        throw DapErrors.error(
            new Message(7, "no {what} today").withVariables(Map.of("what", "luck")));
      }
      return new Capabilities().withSupportsConfigurationDoneRequest(true);
    }

    @Override
    public void launch(Configuration configuration) {
      session.client().output(new OutputEvent(configuration.get("program").as(String.class)));
    }

    @Override
    public void configurationDone(ConfigurationDoneArguments arguments) {
      session.client().stopped(new StoppedEvent(StoppedEventReason.ENTRY).withThreadId(1));
    }

    @Override
    public void next(NextArguments arguments) {
      CompletableFuture.runAsync(
              () -> {
                session.client().output(new OutputEvent("before"));
                session.client().stopped(new StoppedEvent(StoppedEventReason.STEP).withThreadId(1));
                session.client().output(new OutputEvent("after"));
              },
              Threads.CALLS)
          .join();
    }

    @Override
    public ContinueResponse continue_(ContinueArguments arguments) {
      session.client().exited(new ExitedEvent(3));
      session.client().terminated(new TerminatedEvent());
      return new ContinueResponse();
    }

    @Override
    public ThreadsResponse threads() {
      throw DapErrors.notStopped();
    }

    @Rpc(value = "evaluate", paramsObject = true)
    public EvaluateResponse evaluate(EvaluateArguments arguments, Call call) throws Exception {
      running.countDown();
      call.cancellation().sleep(Duration.ofMinutes(1));
      return new EvaluateResponse("late", 0);
    }

    @Rpc(value = "modules", paramsObject = true)
    public ModulesResponse modules(ModulesArguments arguments) throws Exception {
      CountDownLatch cancelled = new CountDownLatch(1);
      try (Progress progress = session.progress("Reading")) {
        progress.onCancel(cancelled::countDown);
        progress.update("half", 50.0);
        assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(progress.isCancelled()).isTrue();
      }
      return new ModulesResponse(List.of());
    }

    @Override
    public void close() {
      closed.complete(null);
    }
  }

  private final List<Hasty> sessions = new ArrayList<>();
  private final CountDownLatch launched = new CountDownLatch(1);
  private boolean fails;
  private Server server;
  private RawClient client;

  @BeforeEach
  void connect() throws Exception {
    server = DapServer.listen(
        "tcp://127.0.0.1:0",
        () -> {
          Hasty adapter = new Hasty();
          adapter.fails = fails;
          sessions.add(adapter);
          return adapter;
        },
        DapServer.options()
            .layer((call, next) -> {
              Object answer = next.handle(call);
              if (call.method().equals("launch")) {
                launched.countDown();
              }
              return answer;
            })
            .build());
    client = new RawClient(server);
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    server.close();
  }

  private void initialize() throws Exception {
    client.request("initialize", CLIENT);
    assertThat(client.readShort()).isEqualTo("initialize");
    assertThat(client.readShort()).isEqualTo("event output");
    assertThat(client.readShort()).isEqualTo("event initialized");
  }

  @Test
  void initializedFollowsTheAnswerToInitialize() throws Exception {
    client.request("initialize", CLIENT);

    Json answer = client.read();

    assertThat(answer.get("request_seq")).hasToString("1");
    assertThat(answer.get("body"))
        .hasToString("{\"supportsConfigurationDoneRequest\":true,\"supportsCancelRequest\":true}");
    assertThat(client.readShort()).isEqualTo("event output");
    assertThat(client.readShort()).isEqualTo("event initialized");
  }

  @Test
  void initializeIsFirstAndOnce() throws Exception {
    client.request("threads", "");
    assertThat(client.readShort())
        .isEqualTo("threads: 'threads' is not possible yet; send 'initialize' and wait for its"
            + " answer");
    initialize();
    client.request("initialize", CLIENT);
    assertThat(client.readShort())
        .isEqualTo("initialize: the session is initialized already; connect anew");
  }

  @Test
  void theEventsOfAnInitializeThatFailsAreDropped() throws Exception {
    fails = true;
    try (RawClient other = new RawClient(server)) {
      other.request("initialize", CLIENT);
      Json answer = other.read();
      assertThat(answer.get("message")).hasToString("\"no luck today\"");
      assertThat(answer.get("body")).hasToString("""
          {"error":{"id":7,"format":"no {what} today","variables":{"what":"luck"}}}""");
      other.request("initialize", CLIENT);
      assertThat(other.readShort()).isEqualTo("initialize");
      assertThat(other.readShort()).isEqualTo("event output");
    }
  }

  @Test
  void theAnswerToLaunchFollowsThatToConfigurationDoneAndNothingWaitsForIt() throws Exception {
    initialize();
    client.request("launch", "{\"program\":\"main\",\"anything\":{\"x\":1}}");
    assertThat(client.readShort()).isEqualTo("event output");
    client.request("threads", "");
    assertThat(client.readShort()).isEqualTo("threads: notStopped");
    client.request("launch", "{}");
    assertThat(client.readShort())
        .isEqualTo("launch: the session starts already; send 'configurationDone'");
    // The event that was read comes from the middle of the handler.
    assertThat(launched.await(60, TimeUnit.SECONDS)).isTrue();
    client.request("configurationDone", "");
    assertThat(client.readShort()).isEqualTo("configurationDone");
    assertThat(client.readShort()).isEqualTo("launch");
    assertThat(client.readShort()).isEqualTo("event stopped");
  }

  @Test
  void stoppedFollowsTheAnswerToTheRequestThatHasMadeTheDebuggeeRun() throws Exception {
    initialize();
    client.request("next", "{\"threadId\":1}");
    assertThat(client.readShort()).isEqualTo("event output");
    assertThat(client.readShort()).isEqualTo("next");
    assertThat(client.readShort()).isEqualTo("event stopped");
    assertThat(client.readShort()).isEqualTo("event output");
    client.request("continue", "{\"threadId\":1}");
    assertThat(client.readShort()).isEqualTo("continue");
    assertThat(client.readShort()).isEqualTo("event exited");
    assertThat(client.readShort()).isEqualTo("event terminated");
  }

  @Test
  void aCancelledRequestIsAnsweredAndSoIsCancel() throws Exception {
    initialize();
    client.request("evaluate", "{\"expression\":\"x\"}");
    assertThat(sessions.get(0).running.await(60, TimeUnit.SECONDS)).isTrue();
    client.request("cancel", "{\"requestId\":2}");
    assertThat(List.of(client.readShort(), client.readShort()))
        .containsExactlyInAnyOrder("cancel", "evaluate: cancelled");
  }

  @Test
  void launchIsAnsweredWhenItIsCancelledOrTheSessionEnds() throws Exception {
    initialize();
    client.request("launch", "{\"program\":\"main\"}");
    assertThat(client.readShort()).isEqualTo("event output");
    client.request("cancel", "{\"requestId\":2}");
    assertThat(List.of(client.readShort(), client.readShort()))
        .containsExactlyInAnyOrder("cancel", "launch: cancelled");
    client.request("launch", "{\"program\":\"main\"}");
    assertThat(client.readShort()).isEqualTo("event output");
    client.request("disconnect", "");
    assertThat(List.of(client.readShort(), client.readShort()))
        .containsExactlyInAnyOrder("disconnect", "launch: the session has ended");
    assertThat(client.isAtEnd()).isTrue();
  }

  @Test
  void aCancelledProgressEnds() throws Exception {
    initialize();
    client.request("modules", "");
    Json start = client.read();
    assertThat(start.get("body")).hasToString("""
        {"progressId":"progress-1","title":"Reading","cancellable":true}""");
    assertThat(client.readShort()).isEqualTo("event progressUpdate");
    client.request("cancel", "{\"progressId\":\"progress-1\"}");
    List<String> rest = List.of(client.readShort(), client.readShort(), client.readShort());
    assertThat(rest).containsExactlyInAnyOrder("cancel", "event progressEnd", "modules");
    assertThat(rest.indexOf("event progressEnd")).isLessThan(rest.indexOf("modules"));
  }

  @Test
  void eachConnectionIsASessionThatIsClosedAtItsEnd() throws Exception {
    initialize();
    try (RawClient other = new RawClient(server)) {
      other.request("initialize", CLIENT);
      assertThat(other.readShort()).isEqualTo("initialize");
      assertThat(sessions).hasSize(2);
    }
    sessions.get(1).closed.get(60, TimeUnit.SECONDS); // without disconnect
    assertThat(sessions.get(0).closed).isNotDone();
    client.request("disconnect", "{}");
    assertThat(client.readShort()).isEqualTo("disconnect");
    assertThat(client.isAtEnd()).isTrue();
    sessions.get(0).closed.get(60, TimeUnit.SECONDS);
  }

  @Test
  void anUnknownCommandAndMissingArgumentsAreAnsweredAndEventsOfAClientIgnored() throws Exception {
    initialize();
    client.send("""
        {"seq":2,"type":"event","event":"stopped","body":{}}""");
    client.request("goto", "{\"threadId\":1,\"targetId\":1}");
    assertThat(client.readShort()).startsWith("goto: ");
    client.request("next", "{}");
    assertThat(client.readShort()).isEqualTo("next: invalid arguments: missing: threadId");
  }

  @Test
  void eventsThatWaitForAnAnswerAreBounded() throws Exception {
    OutputEvent large = new OutputEvent("x".repeat(1 << 20));
    CompletableFuture<Throwable> refused = new CompletableFuture<>();
    class Flood extends Hasty {
      @Override
      public Capabilities initialize(InitializeRequestArguments client) {
        try {
          for (int i = 0; i < 10; i++) {
            session.client().output(large);
          }
        } catch (IllegalStateException e) {
          refused.complete(e);
        }
        return new Capabilities();
      }
    }
    try (Server flooded = DapServer.listen(
            "tcp://127.0.0.1:0", Flood::new, DapServer.options().build());
        RawClient other = new RawClient(flooded)) {
      other.request("initialize", CLIENT);
      assertThat(other.readShort()).isEqualTo("initialize");
      assertThat(refused.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("'output' cannot be sent: 4194304 bytes of events wait for the"
              + " answer to a request; answer it first");
      for (int i = 0; i < 3; i++) {
        assertThat(other.readShort()).isEqualTo("event output");
      }
    }
  }

  @Test
  void anObjectThatCannotBeInitializedIsRefused() {
    assertThatThrownBy(() -> DapServer.run(new Object()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.Object cannot be a debug adapter: it does not implement"
            + " dev.repartee.dap.handlers.InitializeHandler");
  }

  /** Sends a large event from another thread while held events leave. */
  private static final class Crossing implements DapSessionAware, InitializeHandler, NextHandler {
    private static final Json LARGE = Json.of(Map.of("output", "z".repeat((4 << 20) - 300)));
    CompletableFuture<Void> sent;
    private DapSession session;

    @Override
    public void connect(DapSession session) {
      this.session = session;
    }

    @Override
    public Capabilities initialize(InitializeRequestArguments client) {
      return new Capabilities();
    }

    @Override
    public void next(NextArguments arguments) {
      session.client().stopped(new StoppedEvent(StoppedEventReason.STEP).withThreadId(1));
      session.client().output(new OutputEvent("y".repeat(300)));
      CompletableFuture<Void> refused = new CompletableFuture<>();
      sent = CompletableFuture.runAsync(
          () -> {
            while (!isSent(LARGE)) { // there is room when the held events leave
              refused.complete(null);
            }
            session.client().output(new OutputEvent("last"));
          },
          Threads.CALLS);
      refused.join();
    }

    private boolean isSent(Json event) {
      try {
        session.peer().request("output").params(event).sendNotification();
        return true;
      } catch (IllegalStateException e) {
        return false;
      }
    }
  }

  @Test
  void anEventThatWaitsForRoomIsSentWhenTheLastHeldEventHasLeft() throws Exception {
    try (Server server =
        DapServer.listen("tcp://127.0.0.1:0", Crossing::new, DapServer.options().build())) {
      for (int i = 0; i < 100; i++) {
        try (RawClient client = new RawClient(server)) {
          client.request("initialize", CLIENT);
          client.request("next", "{\"threadId\":1}");
          List<Json> messages = new ArrayList<>();
          while (messages.size() < 6) {
            messages.add(client.read());
          }
          assertThat(messages.get(5).get("body").get("output").as(String.class)).isEqualTo("last");
        }
      }
    }
  }

  /** An adapter with a debuggee that does not end. */
  private record Stuck(CountDownLatch closing, CompletableFuture<Void> end)
      implements InitializeHandler, AutoCloseable {
    @Override
    public Capabilities initialize(InitializeRequestArguments client) {
      return new Capabilities();
    }

    @Override
    public void close() {
      closing.countDown();
      end.join();
    }
  }

  @Test
  void anAdapterThatClosesSlowlyDelaysNoOther() throws Exception {
    CountDownLatch closing = new CountDownLatch(20);
    CompletableFuture<Void> end = new CompletableFuture<>();
    try (Server server = DapServer.listen(
        "tcp://127.0.0.1:0", () -> new Stuck(closing, end), DapServer.options().build())) {
      for (int i = 0; i < 20; i++) {
        try (RawClient client = new RawClient(server)) {
          client.request("initialize", CLIENT);
          client.read();
        }
      }
      assertThat(closing.await(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      end.complete(null);
    }
  }
}
