package dev.repartee.a2a.client;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.HttpException;
import dev.repartee.HttpRoutes;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.a2a.TestAgent;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.ListTasksRequest;
import dev.repartee.a2a.types.ListTasksResponse;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.SendMessageConfiguration;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import dev.repartee.trace.Entry;
import dev.repartee.trace.Trace;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the client with a server of this module. */
class A2aClientTest {
  private static final Options QUIET = Options.builder().listener(Listener.NONE).build();

  private final TestAgent agent = new TestAgent();
  private Server server;

  @BeforeEach
  void start() throws IOException {
    server = agent.server().options(QUIET).build().listen("http://127.0.0.1:0/a2a");
  }

  @AfterEach
  void stop() {
    server.close(Duration.ZERO);
  }

  private A2aClient client(String version) {
    return A2aClient.builder().endpoint(server.endpoint().toString(), version);
  }

  @Test
  void theCardIsAtItsWellKnownPathAndVersion10Preferred() {
    try (A2aClient client = A2aClient.connect(server.endpoint().toString())) {
      assertThat(client.card()).isNotNull();
      assertThat(client.address().protocolVersion()).isEqualTo("1.0");
      assertThat(client.send(Message.user("say hello")))
          .isInstanceOfSatisfying(Message.class, m -> assertThat(m.text()).isEqualTo("hello"));
    }
  }

  @Test
  void aTraceHasTheMessagesOfCallsAndStreamsAndNoHeaders() {
    List<Entry> entries = new CopyOnWriteArrayList<>();
    try (A2aClient client = A2aClient.builder()
        .header("Authorization", "Bearer s3cret")
        .trace(Trace.builder().to(entries::add))
        .connect(server.endpoint().toString())) {
      client.send(Message.user("say hello"));
      try (EventStream events = client.stream(Message.user("say again"))) {
        events.last();
      }
      assertThatThrownBy(() -> client.task("none")).isInstanceOf(RemoteRpcException.class);
    }
    assertThat(entries.get(0)).isInstanceOfSatisfying(Entry.Opened.class, opened -> {
      assertThat(opened.channel().transport()).isEqualTo("http");
      assertThat(opened.channel().remote()).startsWith("127.0.0.1:");
    });
    assertThat(entries.subList(1, entries.size() - 1))
        .map(Entry.Frame.class::cast)
        .extracting(frame -> frame.direction() + " " + shown(frame.message()))
        .containsExactly(
            "OUT SendMessage",
            "IN result",
            "OUT SendStreamingMessage",
            "IN result",
            "OUT GetTask",
            "IN error");
    assertThat(entries.get(entries.size() - 1)).isInstanceOf(Entry.Closed.class);
    assertThat(entries.toString()).doesNotContain("s3cret");
  }

  /** Returns the method of a request, or the kind of a response. */
  private static String shown(Json message) {
    Json method = message.get("method");
    return method != null
        ? method.as(String.class)
        : message.get("error") == null ? "result" : "error";
  }

  @Test
  void aCardWithoutVersion10MakesTheClientSpeak03() throws IOException {
    String url = server.endpoint().toString();
    AgentCard old =
        TestAgent.card().interfaces(AgentInterface.jsonRpc(url, "0.3.0")).build();
    try (Server other = A2aServer.builder(old).agent(agent).build().listen("http://127.0.0.1:0/");
        A2aClient client = A2aClient.connect(other.endpoint().toString())) {
      assertThat(client.address().protocolVersion()).isEqualTo("0.3.0");
      assertThat(client.send(Message.user("work x"))).isInstanceOf(Task.class);
      assertThatThrownBy(() -> client.tasks(new ListTasksRequest()))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void aCardWithoutJsonRpcIsRefusedWithItsAddresses() {
    AgentCard card = TestAgent.card()
        .interfaces(new AgentInterface("https://x.example.com", "GRPC", "1.0"))
        .build();
    assertThatThrownBy(() -> A2aClient.builder().connect(card))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("https://x.example.com");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0", "0.3"})
  void aTaskIsSentGotContinuedAndCancelled(String version) {
    try (A2aClient client = client(version)) {
      Task task = (Task) client.send(Message.user("ask"));
      assertThat(task.state()).isEqualTo(TaskState.INPUT_REQUIRED);
      assertThat(client.task(task.id(), 0).history()).isEmpty();
      Task done = (Task) client.send(Message.user("red").continuing(task));
      assertThat(done.state()).isEqualTo(TaskState.COMPLETED);
      assertThat(done.artifacts().get(0).text()).isEqualTo("red");
      Task other = (Task) client.send(new SendMessageRequest(Message.user("wait"))
          .withConfiguration(new SendMessageConfiguration().withReturnImmediately(true)));
      assertThat(client.cancel(other.id()).state()).isEqualTo(TaskState.CANCELED);
      assertThatThrownBy(() -> client.cancel(other.id()))
          .isInstanceOfSatisfying(
              RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32002));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0", "0.3"})
  void aStreamTellsEachEventAndAddsThemUp(String version) {
    agent.steps.release(3);
    try (A2aClient client = client(version);
        EventStream events = client.stream(Message.user("steps"))) {
      List<StreamResponse> seen = new ArrayList<>();
      events.forEach(seen::add);
      assertThat(seen).hasSize(5);
      assertThat(seen.get(0)).isInstanceOf(Task.class);
      assertThat(((TaskArtifactUpdateEvent) seen.get(3)).append()).isTrue();
      assertThat(events.task()).isEqualTo(client.task(((Task) seen.get(0)).id()));
    }
  }

  @Test
  void aStreamOfAMessageHasOneEvent() {
    try (A2aClient client = client("1.0");
        EventStream events = client.stream(Message.user("say hello"))) {
      assertThat(events.last())
          .isInstanceOfSatisfying(Message.class, m -> assertThat(m.text()).isEqualTo("hello"));
    }
  }

  /** Forwards requests to the agent, and cuts the first stream after its second event. */
  private static final class Cutting implements HttpService {
    private final HttpService agent;
    private final AtomicReference<String> cut = new AtomicReference<>();

    Cutting(HttpService agent) {
      this.agent = agent;
    }

    @Override
    public void serve(dev.repartee.transport.http.HttpRequest request, HttpReply reply) {
      boolean first = cut.compareAndSet(null, request.method());
      agent.serve(request, first ? new CutReply(reply) : reply);
    }
  }

  /** A response that ends after its second event. */
  private static final class CutReply implements HttpReply {
    private final HttpReply reply;
    private int events;

    CutReply(HttpReply reply) {
      this.reply = reply;
    }

    @Override
    public boolean takesEvents() {
      return reply.takesEvents();
    }

    @Override
    public boolean answer(int status, java.util.Map<String, String> headers, byte[] body) {
      return reply.answer(status, headers, body);
    }

    @Override
    public boolean stream(java.util.Map<String, String> headers) {
      return reply.stream(headers);
    }

    @Override
    public void send(Event event) {
      events++;
      if (events <= 2) {
        reply.send(event);
      }
      if (events == 2) {
        reply.end();
      }
    }

    @Override
    public boolean awaitRoom(long time, java.util.concurrent.TimeUnit unit) {
      return true;
    }

    @Override
    public void end() {
      reply.end();
    }

    @Override
    public void onGone(Runnable action) {
      reply.onGone(action);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.0", "0.3"})
  void aStreamThatWasCutSubscribesToItsTaskAgain(String version) throws IOException {
    HttpService inner = agent.server().options(QUIET).build().peers().http("/");
    try (Server cutting = Repartee.listen(
            "http://127.0.0.1:0",
            HttpRoutes.builder().at("/", new Cutting(inner)).build());
        A2aClient client = A2aClient.builder().endpoint(cutting.endpoint().toString(), version);
        EventStream events = client.stream(Message.user("steps"))) {
      assertThat(events.next()).isInstanceOf(Task.class);
      events.next(); // working; here the stream is cut
      agent.steps.release(1);
      StreamResponse again = events.next();
      assertThat(again).isInstanceOf(Task.class);
      agent.steps.release(2);
      assertThat(events.last()).isInstanceOfSatisfying(Task.class, task -> {
        assertThat(task.state()).isEqualTo(TaskState.COMPLETED);
        assertThat(task.artifacts().get(0).text()).isEqualTo("one \ntwo");
      });
    }
  }

  @Test
  void aCutStreamEndsWithATaskThatHasEnded() throws IOException {
    HttpService inner = agent.server().options(QUIET).build().peers().http("/");
    agent.steps.release(3);
    try (Server cutting = Repartee.listen(
            "http://127.0.0.1:0",
            HttpRoutes.builder().at("/", new Cutting(inner)).build());
        A2aClient client = A2aClient.builder().endpoint(cutting.endpoint().toString(), "1.0");
        EventStream events = client.stream(Message.user("steps"))) {
      assertThat(((Task) events.last()).state()).isEqualTo(TaskState.COMPLETED);
    }
  }

  /**
   * Ends the first stream after its task. The second stream does not contain the task, and its
   * agent fails once; or the second stream is refused.
   */
  private static final class FailingOnce implements HttpService {
    private final AtomicBoolean failed = new AtomicBoolean();
    private final AtomicInteger subscriptions = new AtomicInteger();
    private final boolean refuses;

    FailingOnce(boolean refuses) {
      this.refuses = refuses;
      failed.set(refuses);
    }

    @Override
    public void serve(dev.repartee.transport.http.HttpRequest request, HttpReply reply) {
      Json call = Json.parse(new String(request.body(), UTF_8));
      String working = """
          {"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}""";
      switch (call.get("method").as(String.class)) {
        case "SendStreamingMessage" -> stream(call, reply, "{\"task\":" + working + "}");
        case "SubscribeToTask" -> {
          subscriptions.incrementAndGet();
          if (refuses) {
            answer(call, reply, "\"error\":{\"code\":-32004,\"message\":\"no streams\"}");
            return;
          }
          stream(call, reply, """
              {"statusUpdate":{"taskId":"t","contextId":"c",\
              "status":{"state":"TASK_STATE_COMPLETED"}}}""");
        }
        default ->
          answer(
              call,
              reply,
              failed.getAndSet(true)
                  ? "\"result\":" + working
                  : "\"error\":{\"code\":-32603,\"message\":\"busy\"}");
      }
    }

    private static void answer(Json call, HttpReply reply, String member) {
      reply.answer(
          200, java.util.Map.of("content-type", "application/json"), response(call, member));
    }

    private static void stream(Json call, HttpReply reply, String result) {
      reply.stream(java.util.Map.of());
      reply.send(HttpReply.Event.of(response(call, "\"result\":" + result)));
      reply.end();
    }

    private static byte[] response(Json call, String member) {
      return """
          {"jsonrpc":"2.0","id":%s,%s}""".formatted(call.get("id"), member).getBytes(UTF_8);
    }
  }

  @Test
  void aCutStreamFailsAfterTheTaskIfTheAgentRefusesAnother() throws IOException {
    try (Server refusing = Repartee.listen(
            "http://127.0.0.1:0",
            HttpRoutes.builder().at("/", new FailingOnce(true)).build());
        A2aClient client = A2aClient.builder().endpoint(refusing.endpoint().toString(), "1.0");
        EventStream events = client.stream(Message.user("go"))) {
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThatThrownBy(events::hasNext)
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("no streams");
    }
  }

  @Test
  void aCutStreamOutlivesAServerThatCloses() throws IOException {
    AtomicInteger refusals = new AtomicInteger();
    FailingOnce service = new FailingOnce(false);
    service.failed.set(true);
    HttpRoutes routes = HttpRoutes.builder()
        .at("/", (request, reply) -> {
          if (new String(request.body(), UTF_8).contains("SubscribeToTask")
              && refusals.incrementAndGet() == 1) {
            reply.answer(503, java.util.Map.of("repartee-unsent", "1"), new byte[0]);
          } else {
            service.serve(request, reply);
          }
        })
        .build();
    try (Server closing = Repartee.listen("http://127.0.0.1:0", routes);
        A2aClient client = A2aClient.builder().endpoint(closing.endpoint().toString(), "1.0");
        EventStream events = client.stream(Message.user("go"))) {
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThat(events.next()).isInstanceOf(TaskStatusUpdateEvent.class);
      assertThat(refusals).hasValue(2);
    }
  }

  @Test
  void aStreamLosesNoEventIfGetTaskFailsAfterACut() throws IOException {
    FailingOnce service = new FailingOnce(false);
    try (Server failing = Repartee.listen(
            "http://127.0.0.1:0", HttpRoutes.builder().at("/", service).build());
        A2aClient client = A2aClient.builder().endpoint(failing.endpoint().toString(), "1.0");
        EventStream events = client.stream(Message.user("go"))) {
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThatThrownBy(events::next)
          .isInstanceOf(RemoteRpcException.class)
          .hasMessageContaining("busy");
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThat(events.next()).isInstanceOfSatisfying(TaskStatusUpdateEvent.class, update -> {
        assertThat(update.status().state()).isEqualTo(TaskState.COMPLETED);
      });
      assertThat(events.hasNext()).isFalse();
      assertThat(service.subscriptions).hasValue(1);
    }
  }

  @Test
  void tasksAreListedPageByPageTheLatestFirst() {
    try (A2aClient client = client("1.0")) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        Message message = Message.user("work " + i).in(i < 3 ? "a" : "b", null);
        ids.add(0, ((Task) client.send(message)).id());
      }
      List<String> listed = new ArrayList<>();
      ListTasksRequest request = new ListTasksRequest().withPageSize(2);
      ListTasksResponse page = client.tasks(request);
      assertThat(page.totalSize()).isEqualTo(5);
      while (true) {
        page.tasks().forEach(task -> listed.add(task.id()));
        assertThat(page.tasks()).allMatch(task -> task.artifacts().isEmpty());
        if (page.nextPageToken().isEmpty()) {
          break;
        }
        page = client.tasks(request.withPageToken(page.nextPageToken()));
      }
      assertThat(listed).containsExactlyInAnyOrderElementsOf(ids);
      assertThat(client.tasks(new ListTasksRequest().withContextId("b")).tasks())
          .hasSize(2);
      assertThatThrownBy(() -> client.tasks(request.withPageToken("???")))
          .isInstanceOfSatisfying(
              RemoteRpcException.class, e -> assertThat(e.code()).isEqualTo(-32602));
      assertThatThrownBy(() -> client.tasks(request.withPageSize(101)))
          .isInstanceOf(RemoteRpcException.class);
    }
  }

  @Test
  void credentialsAreSentToTheOriginThatTheUserHasNamed() throws IOException {
    AtomicReference<String> seen = new AtomicReference<>();
    AtomicReference<String> atCard = new AtomicReference<>();
    HttpRoutes routes = HttpRoutes.builder()
        .filter(request -> {
          seen.set(String.valueOf(request.header("authorization")));
          return HttpResponse.json(200, """
              {"jsonrpc":"2.0","id":1,"result":{"message":{}}}""");
        })
        .at("/", dev.repartee.Service.NONE)
        .build();
    try (Server other = Repartee.listen("http://127.0.0.1:0", routes)) {
      AgentCard card = TestAgent.card()
          .interfaces(AgentInterface.jsonRpc(other.endpoint().toString(), "1.0"))
          .build();
      HttpRoutes guarded = HttpRoutes.builder()
          .filter(request -> {
            atCard.set(request.header("authorization"));
            return null;
          })
          .at("/", A2aServer.builder(card).agent(agent).build().peers())
          .build();
      try (Server cards = Repartee.listen("http://127.0.0.1:0", guarded);
          A2aClient client = A2aClient.builder()
              .header("Authorization", "Bearer secret")
              .connect(cards.endpoint().toString())) {
        client.send(Message.user("hi"));
        assertThat(atCard.get()).isEqualTo("Bearer secret");
        assertThat(seen.get()).isEqualTo("null");
      }
    }
  }

  @Test
  void anHttpStatusIsTold() {
    String elsewhere = server.endpoint().toString().replace("/a2a", "/other");
    try (A2aClient client = A2aClient.builder().endpoint(elsewhere, "1.0")) {
      assertThatThrownBy(() -> client.task("x"))
          .isInstanceOfSatisfying(
              HttpException.class, refused -> assertThat(refused.status()).isEqualTo(404))
          .hasMessageContaining("404");
    }
  }

  @Test
  void aCallThatAClosingServerHasRefusedWasNotHandled() throws IOException {
    HttpRoutes routes = HttpRoutes.builder()
        .filter(request -> HttpResponse.refused(503, "The server is closing."))
        .at("/", dev.repartee.Service.NONE)
        .build();
    try (Server closing = Repartee.listen("http://127.0.0.1:0", routes);
        A2aClient client = A2aClient.builder().endpoint(closing.endpoint().toString(), "1.0")) {
      assertThatThrownBy(() -> client.task("x"))
          .isInstanceOfSatisfying(
              HttpException.class, refused -> assertThat(refused.unsent()).isNotNull());
    }
  }

  @Test
  void aCallWithoutAConnectionWasNotHandled() {
    try (A2aClient client = A2aClient.builder().endpoint("http://127.0.0.1:1", "1.0")) {
      assertThatThrownBy(() -> client.task("x"))
          .isInstanceOfSatisfying(
              DisconnectedException.class,
              refused -> assertThat(refused.unsent()).isNotNull())
          .hasMessageStartingWith("the agent at http://127.0.0.1:1 cannot be reached: ");
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aTricklingAnswerHasNoMoreTimeThanAnotherOne() throws Exception {
    Thread agent;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      agent = new Thread(() -> {
        while (!socket.isClosed()) {
          try (Socket accepted = socket.accept()) {
            accepted
                .getOutputStream()
                .write("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n".getBytes(US_ASCII));
            while (true) {
              accepted.getOutputStream().write(' ');
              LockSupport.parkNanos(1_000_000); // 10,000,000 bytes would need hours
            }
          } catch (IOException e) {
            // the client has disconnected, or the test has ended
          }
        }
      });
      agent.start();
      String url = "http://127.0.0.1:" + socket.getLocalPort() + "/";
      try (A2aClient client =
          A2aClient.builder().timeout(Duration.ofMillis(200)).endpoint(url, "1.0")) {
        Throwable thrown;
        do { // on a busy machine the request may time out before the head of the answer arrives
          thrown = catchThrowable(() -> client.task("t"));
          assertThat(thrown).isInstanceOf(DisconnectedException.class);
        } while (thrown.getMessage().contains("has sent no answer"));
        assertThat(thrown).hasMessageContaining("does not finish its answer");
      }
    }
    agent.join();
  }

  @Test
  void aStreamKeepsNoTaskThatGrowsWithoutEnd() throws Exception {
    String text = "x".repeat(40_000);
    A2aServer endless = A2aServer.builder(TestAgent.card().build())
        .agent(turn -> {
          turn.beginArtifact(Artifact.of("a", Part.text(text)));
          for (int i = 0; i < 10; i++) {
            turn.append("a", false, Part.text(text));
          }
          turn.complete();
        })
        .build();
    try (Server server = endless.listen("http://127.0.0.1:0/");
        A2aClient client =
            A2aClient.builder().frameBytes(50_000).endpoint(server.endpoint().toString(), "1.0");
        EventStream events = client.stream(Message.user("go"))) {
      assertThat(events.next()).isInstanceOf(Task.class);
      assertThat(events.next()).isInstanceOf(TaskArtifactUpdateEvent.class);
      assertThat(events.task().artifacts()).hasSize(1);
      assertThatThrownBy(events::last)
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("too large together");
      assertThat(events.task()).isNull();
    }
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAnswerThatIsNotHttpClosesItsConnection() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        A2aClient client = A2aClient.builder()
            .endpoint("http://127.0.0.1:" + socket.getLocalPort() + "/", "1.0")) {
      CompletableFuture<Task> called =
          CompletableFuture.supplyAsync(() -> client.task("t"), task -> new Thread(task).start());
      try (RawConnection broken = new RawConnection(socket.accept())) {
        broken.head();
        broken.send("HTTP/1.1 two hundred\r\n\r\n");

        assertThatThrownBy(called::get).hasCauseInstanceOf(DisconnectedException.class);
        assertThat(broken.rest()).matches("(?s)(\\{.*})?(<reset>)?");
      }
    }
  }
}
