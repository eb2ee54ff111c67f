package dev.repartee.acp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.acp.handlers.CreateElicitationHandler;
import dev.repartee.acp.local.FolderFiles;
import dev.repartee.acp.local.ProcessTerminals;
import dev.repartee.acp.types.AgentMessageChunk;
import dev.repartee.acp.types.CreateElicitationResponse;
import dev.repartee.acp.types.ImageContent;
import dev.repartee.acp.types.ListSessionsRequest;
import dev.repartee.acp.types.LoadSessionRequest;
import dev.repartee.acp.types.PermissionOption;
import dev.repartee.acp.types.PermissionOptionKind;
import dev.repartee.acp.types.PromptResponse;
import dev.repartee.acp.types.ResumeSessionRequest;
import dev.repartee.acp.types.SessionUpdate;
import dev.repartee.acp.types.StopReason;
import dev.repartee.acp.types.TextContent;
import dev.repartee.acp.types.ToolCallStatus;
import dev.repartee.acp.types.ToolCallUpdate;
import dev.repartee.acp.types.ToolKind;
import dev.repartee.acp.types.UserMessageChunk;
import dev.repartee.json.Json;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.ChannelInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AcpClientTest {
  @TempDir
  private Path folder;

  private final TestAgent test = new TestAgent();
  private final List<SessionUpdate> updates = new ArrayList<>();
  private Server server;

  @BeforeEach
  void listen() throws IOException {
    Options quick = AcpAgent.options()
        .limits(limits -> limits.closeTimeout(Duration.ofMillis(100)))
        .build();
    server = test.withLogin().build().listen("tcp://127.0.0.1:0", quick);
  }

  @AfterEach
  void close() {
    server.close();
  }

  private AcpClient connect(AcpClient.Builder builder) throws IOException {
    AcpClient client = builder.connect(server.endpoint().toString());
    client.authenticate("key");
    return client;
  }

  private AcpClient.Builder editor() {
    return AcpClient.builder("test-editor", "1.0");
  }

  /** Returns the text of the agent's messages. */
  private String said() {
    StringBuilder said = new StringBuilder();
    for (SessionUpdate each : updates) {
      if (each instanceof AgentMessageChunk chunk && chunk.content() instanceof TextContent text) {
        said.append(text.text());
      }
    }
    return said.toString();
  }

  private List<ToolCallStatus> statuses() {
    return updates.stream()
        .filter(each -> each instanceof ToolCallUpdate update && update.status() != null)
        .map(each -> ((ToolCallUpdate) each).status())
        .toList();
  }

  @Test
  void anAgentThatPrintsTextBeforeItsMessagesGetsNoAnswerToIt() throws Exception {
    List<String> answers = new CopyOnWriteArrayList<>();
    Options watching = AcpAgent.options()
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            answers.add(violation);
          }
        })
        .build();
    Service agent = Service.builder()
        .method("initialize", call -> Json.parse("{\"protocolVersion\":1}"))
        .build();
    PeerFactory factory = channel -> {
      Peer peer = Peer.open(channel, agent, watching);
      channel.send("Starting agent".getBytes(UTF_8));
      return peer;
    };
    String uri = "mem:talkative-" + System.identityHashCode(this);
    try (Server talkative = Repartee.listen(uri, factory, Options.DEFAULT);
        AcpClient client = editor().connect(uri)) {
      while (talkative.peers().isEmpty()) { // the server may list a peer after its first answer
        Thread.onSpinWait();
      }
      assertThat(client).isNotNull();
      assertThat(answers).as("messages that the agent did not expect").isEmpty();
    }
  }

  @Test
  void anAgentInAProcessUsesTheFilesAndTerminalsOfItsClient() throws Exception {
    List<String> line = List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        TestAgent.class.getName());
    Path file = Files.writeString(folder.resolve("a.txt"), "one\ntwo\nthree\n");
    try (AcpClient client = editor()
        .handler(new FolderFiles(folder))
        .handler(new ProcessTerminals(folder))
        .permissions(PermissionQuestion::allow)
        .connect("exec:" + Json.of(line))) {
      assertThat(client.info().title()).isEqualTo("Test");
      ClientSession session = client.newSession(folder.toString());

      session.prompt("read " + file, updates::add);
      session.prompt("lines " + file, updates::add);
      assertThat(said()).isEqualTo("one\ntwo\nthree\ntwo\n");

      PromptResponse end = session.prompt("edit " + folder.resolve("b.txt"), updates::add);
      assertThat(end.stopReason()).isEqualTo(StopReason.END_TURN);
      assertThat(folder.resolve("b.txt")).hasContent("new");
      assertThat(statuses()).containsExactly(ToolCallStatus.IN_PROGRESS, ToolCallStatus.COMPLETED);

      updates.clear();
      session.prompt("run echo hello", updates::add);
      assertThat(said()).isEqualTo("hello\n");
    }
  }

  @Test
  void aPromptReturnsBehindItsLastUpdateAlsoIfTheListenerIsSlow() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (AcpClient client = connect(editor())) {
      ClientSession session = client.newSession("/");

      CompletableFuture<PromptResponse> end =
          session.promptAsync(List.of(new TextContent("count 3000")), update -> {
            try {
              go.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
            updates.add(update);
          });
      while (!test.events.contains("counted")) {
        Thread.onSpinWait(); // until more updates wait than the queue of the client can store
      }
      go.countDown();

      assertThat(end.get(60, TimeUnit.SECONDS).stopReason()).isEqualTo(StopReason.END_TURN);
      assertThat(updates.stream().filter(AgentMessageChunk.class::isInstance)).hasSize(3000);
      assertThat(said()).startsWith("0123").endsWith("29982999");
    }
  }

  @Test
  void aRejectedToolDoesNotRun() throws Exception {
    try (AcpClient client = connect(editor().handler(new FolderFiles(folder)))) {
      client.newSession("/").prompt("edit " + folder.resolve("b.txt"), updates::add);

      assertThat(folder.resolve("b.txt")).doesNotExist();
      assertThat(statuses()).containsExactly(ToolCallStatus.FAILED);
    }
  }

  @Test
  void openQuestionsForPermissionAreCancelledWithTheTurn() throws Exception {
    CompletableFuture<PermissionQuestion> asked = new CompletableFuture<>();
    CountDownLatch closed = new CountDownLatch(1);
    try (AcpClient client =
        connect(editor().handler(new FolderFiles(folder)).permissions(question -> {
          question.onCancel(closed::countDown);
          asked.complete(question);
          closed.await();
          return question.allow(); // too late
        }))) {
      ClientSession session = client.newSession("/");
      CompletableFuture<PromptResponse> end = session.promptAsync(
          List.of(new TextContent("edit " + folder.resolve("b.txt"))), updates::add);
      assertThat(asked.get(60, TimeUnit.SECONDS).options())
          .extracting(PermissionOption::kind)
          .containsExactly(PermissionOptionKind.ALLOW_ONCE, PermissionOptionKind.REJECT_ONCE);
      assertThat(asked.get().toolCall().kind()).isEqualTo(ToolKind.EDIT);

      session.cancel();

      assertThat(end.get(60, TimeUnit.SECONDS).stopReason()).isEqualTo(StopReason.CANCELLED);
      assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(folder.resolve("b.txt")).doesNotExist();
      assertThat(statuses()).containsExactly(ToolCallStatus.FAILED);
    }
  }

  @Test
  void aCancelledTurnEndsTheWaitForACommand() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    try (AcpClient client = connect(editor().handler(new ProcessTerminals(folder)))) {
      ClientSession session = client.newSession("/");
      CompletableFuture<PromptResponse> end =
          session.promptAsync(List.of(new TextContent("run sleep 600")), update -> {
            if (update.toString().contains("terminal")) {
              running.countDown();
            }
          });
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();

      session.cancel();

      assertThat(end.get(60, TimeUnit.SECONDS).stopReason()).isEqualTo(StopReason.CANCELLED);
    }
  }

  @Test
  void capabilitiesThatTheClientHasNotAnnouncedAreNotUsed() throws Exception {
    try (AcpClient client = connect(editor())) {
      ClientSession session = client.newSession("/");

      for (String each : List.of("read /a", "write /a", "run ls", "form x", "notice x")) {
        assertThatThrownBy(() -> session.prompt(each, updates::add))
            .as(each)
            .isInstanceOf(RpcException.class)
            .hasMessageContaining("-32603");
      }
    }
  }

  @Test
  void capabilitiesThatTheAgentHasNotAnnouncedAreNotUsed() throws Exception {
    AcpAgent plain = AcpAgent.builder("a", "1", turn -> StopReason.END_TURN).build();
    try (Server other = plain.listen("tcp://127.0.0.1:0", AcpAgent.options().build());
        AcpClient client = editor().connect(other.endpoint().toString())) {
      ClientSession session = client.newSession("/");

      assertThatThrownBy(
              () -> client.loadSession(new LoadSessionRequest("a", "/", List.of()), updates::add))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage("the agent has not announced the capability 'loadSession'");
      assertThatThrownBy(() -> client.listSessions(new ListSessionsRequest()))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> client.deleteSession("a"))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(() -> client.resumeSession(new ResumeSessionRequest("a", "/")))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(client::logout).isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(
              () -> session.prompt(List.of(new ImageContent("AA==", "image/png")), updates::add))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("promptCapabilities.image");
      assertThatThrownBy(() -> session.setMode("code"))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(session.prompt("a", updates::add).stopReason()).isEqualTo(StopReason.END_TURN);
    }
  }

  @Test
  void theClientEndsAConnectionWithAnotherVersion() throws Exception {
    dev.repartee.Service future = dev.repartee.Service.builder()
        .method("initialize", call -> Map.of("protocolVersion", 2))
        .build();
    try (Server other = dev.repartee.Repartee.listen(
        "tcp://127.0.0.1:0", future, AcpAgent.options().build())) {
      assertThatThrownBy(() -> editor().connect(other.endpoint().toString()))
          .isInstanceOf(IOException.class)
          .hasMessage("the agent speaks version 2 of the protocol, and this client version 1");
    }
  }

  @Test
  void modesAndOptionsChangeOnBothSides() throws Exception {
    try (AcpClient client = connect(editor())) {
      ClientSession session = client.newSession("/work");
      assertThat(session.modes().currentModeId()).isEqualTo("ask");

      session.setMode("code");
      session.setOption("model", "large");
      session.setOption("fast", true);
      session.prompt("session", updates::add);
      assertThat(said()).isEqualTo("opened in /work, code, large, true");

      session.prompt("mode ask", updates::add);
      assertThat(session.modes().currentModeId()).isEqualTo("ask");
      assertThat(session.commands()).hasSize(1);
      assertThatThrownBy(() -> session.setOption("model", "huge"))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("-32602");
    }
  }

  @Test
  void sessionsAreListedLoadedResumedDeletedAndClosed() throws Exception {
    try (AcpClient client = connect(editor())) {
      assertThat(
              client.listSessions(new ListSessionsRequest()).sessions().get(0).title())
          .isEqualTo("Old");

      ClientSession loaded =
          client.loadSession(new LoadSessionRequest("old", "/", List.of()), updates::add);
      // The commands of the agent may follow before the assertion.
      assertThat(updates).hasSizeGreaterThan(1).first().isInstanceOf(UserMessageChunk.class);
      assertThat(said()).isEqualTo("answer");
      assertThat(loaded.modes().currentModeId()).isEqualTo("ask");
      loaded.prompt("hi", updates::add);
      assertThat(said()).isEqualTo("answerYou said: hi");

      loaded.close();
      assertThatThrownBy(() -> loaded.prompt("hi", updates::add))
          .isInstanceOf(RpcException.class)
          .hasMessageContaining("-32002");

      ClientSession resumed = client.resumeSession(new ResumeSessionRequest("old", "/"));
      resumed.prompt("again", updates::add);
      assertThat(said()).endsWith("You said: again");
      client.deleteSession("old");
      assertThat(test.events).contains("closed", "deleted old");
    }
  }

  @Test
  void aListenerThatWaitsForTheAgentGetsAClearError() throws Exception {
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    try (AcpClient client = connect(editor())) {
      ClientSession session = client.newSession("/");
      session.prompt("hi", update -> {
        try {
          client.newSession("/");
        } catch (IllegalStateException e) {
          failure.complete(e);
        }
      });

      assertThat(failure.get(60, TimeUnit.SECONDS))
          .hasMessage("a listener of updates must not wait for the agent; use another thread");
    }
  }

  @Test
  void aQuestionToTheUserIsAnswered() throws Exception {
    CreateElicitationHandler user = request -> new CreateElicitationResponse("decline");
    try (AcpClient client = connect(editor().handler(user))) {
      client.newSession("/").prompt("form x", updates::add);

      assertThat(said()).isEqualTo("decline");
    }
  }

  @Test
  void extensionsPassInBothDirections() throws Exception {
    AcpAgent agent = AcpAgent.builder("a", "1", turn -> {
          turn.say(turn.client().request("_editor/theme", Map.of(), String.class));
          return StopReason.END_TURN;
        })
        .extension("_agent/status", call -> "fine")
        .build();
    try (Server other = agent.listen("tcp://127.0.0.1:0", AcpAgent.options().build());
        AcpClient client = editor()
            .extension("_editor/theme", call -> "dark")
            .connect(other.endpoint().toString())) {
      client.newSession("/").prompt("x", updates::add);

      assertThat(said()).isEqualTo("dark");
      assertThat(client.peer().request("_agent/status").call(String.class)).isEqualTo("fine");
    }
  }

  @Test
  void anAgentThatEndsFailsTheTurn() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    try (AcpClient client = connect(editor())) {
      ClientSession session = client.newSession("/");
      CompletableFuture<PromptResponse> end =
          session.promptAsync(List.of(new TextContent("wait")), update -> running.countDown());
      assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();

      server.close();

      assertThat(end.handle((answer, failure) ->
                  failure != null || answer.stopReason().equals(StopReason.CANCELLED))
              .get(60, TimeUnit.SECONDS))
          .isTrue();
    }
  }

  /** An agent that asks an unlimited number of questions. */
  private static String refused(ServerSocket socket, int questions, String title)
      throws IOException {
    try (RawConnection client = new RawConnection(socket.accept())) {
      Json id = Json.parse(client.line()).get("id");
      StringBuilder out = new StringBuilder();
      out.append("""
          {"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}
          """.formatted(id));
      for (int i = 1; i <= questions; i++) {
        out.append("""
            {"jsonrpc":"2.0","id":%s,"method":"session/request_permission",\
            "params":{"sessionId":"s","toolCall":{"toolCallId":"c","title":"%s"},"options":[]}}
            """.formatted(i, title));
      }
      return client.send(out.toString()).line();
    }
  }

  @ParameterizedTest
  @CsvSource({"101, 1", "5, 1000000"})
  void questionsForPermissionWithoutEndAreRefused(int questions, int length) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FutureTask<String> agent =
          new FutureTask<>(() -> refused(socket, questions, "x".repeat(length)));
      new Thread(agent).start();
      try (AcpClient client = editor()
          .permissions(question -> {
            end.await();
            return question.reject();
          })
          .connect("tcp://127.0.0.1:" + socket.getLocalPort())) {
        try {
          assertThat(agent.get(60, TimeUnit.SECONDS)).contains("too many questions");
          assertThat(client.authMethods()).isEmpty();
        } finally {
          end.countDown();
        }
      }
    }
  }
}
