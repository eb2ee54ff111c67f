package dev.repartee.acp;

import static dev.repartee.acp.RawClient.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.acp.types.StopReason;
import dev.repartee.json.Json;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The messages of an agent, as a client sees them on the wire. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AcpAgentTest {
  private final TestAgent test = new TestAgent();
  private Server server;
  private RawClient client;

  private RawClient connect(AcpAgent agent) throws IOException {
    server = agent.listen("tcp://127.0.0.1:0", AcpAgent.options().build());
    client = new RawClient(server);
    return client;
  }

  private RawClient connect() throws IOException {
    return connect(test.builder().build());
  }

  @AfterEach
  void close() throws IOException {
    if (client != null) {
      client.close();
    }
    if (server != null) {
      server.close();
    }
  }

  private Json ask(String method, String params) throws IOException {
    client.request(method, params);
    return client.read();
  }

  private String refusal(String method, String params) throws IOException {
    Json error = at(ask(method, params), "error");
    Json data = error.get("data");
    return at(error, "code") + " " + at(error, "message").as(String.class)
        + (data == null ? "" : " " + data);
  }

  @Test
  void theAgentAnswersWithItsLatestVersionIfItDoesNotSupportTheRequestedOne() throws Exception {
    connect();

    Json answer = ask("initialize", "{'protocolVersion':7}");

    assertThat(at(answer, "result", "protocolVersion")).isEqualTo(Json.of(1));
    assertThat(at(answer, "result", "agentInfo")).hasToString("""
        {"name":"test-agent","version":"1.0","title":"Test"}""");
    assertThat(at(answer, "result", "agentCapabilities", "loadSession")).isEqualTo(Json.TRUE);
    assertThat(at(answer, "result", "agentCapabilities", "sessionCapabilities"))
        .hasToString("{\"list\":{},\"delete\":{},\"resume\":{},\"close\":{}}");
  }

  @Test
  void requestsBeforeInitializeAreRefusedAndASecondInitializeIsToo() throws Exception {
    connect();

    assertThat(refusal("session/new", "{'cwd':'/','mcpServers':[]}"))
        .isEqualTo("-32600 'session/new' is not possible yet; send 'initialize' and wait for its"
            + " answer");
    ask("initialize", "{'protocolVersion':1}");
    assertThat(refusal("initialize", "{'protocolVersion':1}"))
        .isEqualTo("-32600 the connection is initialized already");
  }

  @Test
  void aNewSessionHasModesOptionsAndAfterItsAnswerCommands() throws Exception {
    connect();
    ask("initialize", "{'protocolVersion':1}");

    Json answer = ask("session/new", "{'cwd':'/','mcpServers':[]}");

    assertThat(at(answer, "result", "modes")).hasToString("""
        {"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code",\
        "name":"Code"}]}""");
    // Boolean options are sent only to clients that have announced them.
    assertThat(at(answer, "result", "configOptions").elements()).hasSize(1);
    assertThat(at(client.read(), "params", "update")).hasToString("""
        {"sessionUpdate":"available_commands_update","availableCommands":[\
        {"name":"plan","description":"Make a plan"}]}""");
  }

  @Test
  void updatesPrecedeTheAnswerToThePrompt() throws Exception {
    String session = connect().session();

    int id = client.request(
        "session/prompt",
        "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'count 200'}]}");

    for (int i = 0; i < 200; i++) {
      assertThat(at(client.read(), "params", "update", "content", "text"))
          .isEqualTo(Json.of(String.valueOf(i)));
    }
    Json end = client.read();
    assertThat(at(end, "id")).isEqualTo(Json.of(id));
    assertThat(at(end, "result")).hasToString("{\"stopReason\":\"end_turn\"}");
  }

  @Test
  void aCancelledTurnEndsWithItsLastUpdatesAndTheStopReasonCancelled() throws Exception {
    String session = connect().session();
    client.request(
        "session/prompt",
        "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'wait'}]}");
    assertThat(client.read().toString()).contains("waiting");

    client.notification("session/cancel", "{'sessionId':'" + session + "'}");

    assertThat(client.read().toString()).contains("stopped");
    assertThat(at(client.read(), "result")).hasToString("{\"stopReason\":\"cancelled\"}");
  }

  @Test
  void aCancellationRightBehindThePromptIsNotLost() throws Exception {
    String session = connect().session();

    for (int i = 0; i < 50; i++) {
      String prompt = "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'wait'}]}";
      client.send("{'jsonrpc':'2.0','id':" + (100 + i) + ",'method':'session/prompt','params':"
          + prompt + "}\n{'jsonrpc':'2.0','method':'session/cancel','params':{'sessionId':'"
          + session + "'}}");

      Json message = client.read();
      while (message.get("id") == null) {
        message = client.read();
      }
      assertThat(at(message, "result")).hasToString("{\"stopReason\":\"cancelled\"}");
    }
  }

  @Test
  void aCancellationAfterTheTurnDoesNotCancelTheNextOne() throws Exception {
    String session = connect().session();
    client.notification("session/cancel", "{'sessionId':'" + session + "'}");

    client.request(
        "session/prompt", "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'hi'}]}");

    assertThat(client.read().toString()).contains("You said: hi");
    assertThat(at(client.read(), "result")).hasToString("{\"stopReason\":\"end_turn\"}");
  }

  @Test
  void aTurnThatIsCancelledAsARequestIsAnsweredWithTheErrorForIt() throws Exception {
    String session = connect().session();
    int id = client.request(
        "session/prompt",
        "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'wait'}]}");
    client.read();

    client.notification("$/cancel_request", "{'requestId':" + id + "}");

    Json message = client.read();
    while (message.get("id") == null) {
      message = client.read();
    }
    assertThat(at(message, "error", "code")).isEqualTo(Json.of(-32800));
  }

  @Test
  void aSecondPromptIsRefusedWhileATurnRuns() throws Exception {
    String session = connect().session();
    client.request(
        "session/prompt",
        "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'wait'}]}");
    client.read();

    assertThat(refusal("session/prompt", "{'sessionId':'" + session + "','prompt':[]}"))
        .startsWith("-32600 a turn of this session is running");
  }

  @Test
  void anErrorOfTheAgentIsSentAndAnyOtherFailureKeepsItsDetails() throws Exception {
    String session = connect().session();

    assertThat(refusal(
            "session/prompt",
            "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'refuse'}]}"))
        .isEqualTo("-32001 out of credit");
    assertThat(ask(
                "session/prompt",
                "{'sessionId':'" + session + "','prompt':[{'type':'text','text':'fail'}]}")
            .toString())
        .contains("-32603")
        .doesNotContain("1234");
  }

  @Test
  void contentThatTheAgentHasNotAnnouncedIsRefused() throws Exception {
    String session = connect().session();

    assertThat(refusal(
            "session/prompt",
            "{'sessionId':'" + session
                + "','prompt':[{'type':'image','data':'AA==','mimeType':'image/png'}]}"))
        .isEqualTo("-32602 Invalid params \"the agent has not announced"
            + " 'promptCapabilities.image'\"");
  }

  @Test
  void theWorkingDirectoryMustBeAnAbsolutePath() throws Exception {
    connect();
    ask("initialize", "{'protocolVersion':1}");

    assertThat(refusal("session/new", "{'cwd':'src','mcpServers':[]}"))
        .isEqualTo("-32602 Invalid params \"'cwd' has to be an absolute path\"");
    assertThat(refusal("session/new", "{'cwd':'/','mcpServers':[],'additionalDirectories':['/a']}"))
        .contains("additionalDirectories");
    assertThat(refusal(
            "session/new",
            "{'cwd':'/','mcpServers':[{'type':'http','name':'a','url':'http://a','headers':[]}]}"))
        .contains("mcpCapabilities.http");
  }

  @Test
  void anUnknownSessionIsNotFound() throws Exception {
    connect().session();

    assertThat(refusal("session/prompt", "{'sessionId':'none','prompt':[]}"))
        .isEqualTo("-32002 Resource not found {\"uri\":\"none\"}");
    assertThat(refusal("session/load", "{'sessionId':'none','cwd':'/','mcpServers':[]}"))
        .startsWith("-32002");
  }

  @Test
  void anAgentWithALoginRefusesSessionsBeforeIt() throws Exception {
    connect(test.withLogin().build());
    Json answer = ask("initialize", "{'protocolVersion':1}");
    assertThat(at(answer, "result", "authMethods"))
        .hasToString("[{\"id\":\"key\",\"name\":\"API key\"}]");

    assertThat(refusal("session/new", "{'cwd':'/','mcpServers':[]}")).startsWith("-32000 ");
    assertThat(refusal("authenticate", "{'methodId':'other'}")).startsWith("-32602 ");
    assertThat(at(ask("authenticate", "{'methodId':'key'}"), "result")).hasToString("{}");
    assertThat(ask("session/new", "{'cwd':'/','mcpServers':[]}").get("result")).isNotNull();
    client.read(); // the commands
    assertThat(at(ask("logout", "{}"), "result")).hasToString("{}");
    assertThat(refusal("session/new", "{'cwd':'/','mcpServers':[]}")).startsWith("-32000 ");
    assertThat(test.events).containsExactly("login key", "logout");
  }

  @Test
  void unknownRequestsAreAnsweredAndUnknownNotificationsIgnored() throws Exception {
    connect().session();
    client.notification("_other/event", "{}");
    client.notification("$/unknown", "{}");

    assertThat(refusal("_other/request", "{}")).startsWith("-32601 ");
    assertThat(at(ask("_test/echo", "{'a':1}"), "result")).hasToString("{\"a\":1}");
  }

  @Test
  void theHistoryOfALoadedSessionPrecedesTheAnswer() throws Exception {
    connect();
    ask("initialize", "{'protocolVersion':1}");
    int id = client.request("session/load", "{'sessionId':'old','cwd':'/','mcpServers':[]}");

    assertThat(at(client.read(), "params", "update", "sessionUpdate"))
        .isEqualTo(Json.of("user_message_chunk"));
    assertThat(at(client.read(), "params", "update", "sessionUpdate"))
        .isEqualTo(Json.of("agent_message_chunk"));
    assertThat(at(client.read(), "id")).isEqualTo(Json.of(id));
  }

  @Test
  void theEndOfTheConnectionCancelsTheTurnAndClosesTheSession() throws Exception {
    CompletableFuture<AgentSession> closed = new CompletableFuture<>();
    CountDownLatch cancelled = new CountDownLatch(1);
    AcpAgent agent = AcpAgent.builder("a", "1", turn -> {
          turn.onCancel(cancelled::countDown);
          turn.say("running");
          cancelled.await();
          return StopReason.END_TURN;
        })
        .command(new dev.repartee.acp.types.AvailableCommand("a", "b"))
        .onClosed(closed::complete)
        .build();
    String session = connect(agent).session();
    client.request("session/prompt", "{'sessionId':'" + session + "','prompt':[]}");
    client.read();

    client.close();

    assertThat(cancelled.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(closed.get(30, TimeUnit.SECONDS).id()).isEqualTo(session);
  }

  @Test
  void updatesAfterTheEndOfATurnAreRefused() throws Exception {
    CompletableFuture<Turn> kept = new CompletableFuture<>();
    AcpAgent agent = AcpAgent.builder("a", "1", turn -> {
          kept.complete(turn);
          return StopReason.END_TURN;
        })
        .command(new dev.repartee.acp.types.AvailableCommand("a", "b"))
        .build();
    String session = connect(agent).session();
    ask("session/prompt", "{'sessionId':'" + session + "','prompt':[]}");

    Turn turn = kept.get(30, TimeUnit.SECONDS);

    org.assertj.core.api.Assertions.assertThatThrownBy(() -> turn.say("late"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the turn has ended");
  }

  @Test
  void aSessionThatIsRefusedIsClosedForTheApplicationToo() throws Exception {
    AtomicInteger open = new AtomicInteger();
    AcpAgent agent = AcpAgent.builder("a", "1", turn -> StopReason.END_TURN)
        .onOpened(session -> open.incrementAndGet())
        .onClosed(session -> open.decrementAndGet())
        .build();
    connect(agent);
    ask("initialize", "{'protocolVersion':1}");
    for (int i = 0; i < 1_000; i++) {
      ask("session/new", "{'cwd':'/','mcpServers':[]}");
    }

    assertThat(refusal("session/new", "{'cwd':'/','mcpServers':[]}")).contains("1000 sessions");

    assertThat(open).hasValue(1_000);
  }
}
