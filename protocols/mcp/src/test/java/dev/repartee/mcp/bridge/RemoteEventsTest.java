package dev.repartee.mcp.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.ProtocolException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.McpServer;
import dev.repartee.message.Dialect;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelPair;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the forwarding of a service's notifications to the clients of the MCP server, and the
 * descriptions of the service.
 */
@Timeout(60)
class RemoteEventsTest {
  /** A service that notifies. */
  public static final class Bell {
    private final CountDownLatch greeted = new CountDownLatch(1);

    /** Records the first call of a connection. */
    @Rpc
    public void greet() {
      greeted.countDown();
    }

    /** Sends notifications and returns. */
    @Rpc
    public String ring(Call call, int bytes) {
      call.progress(1);
      call.peer().request("rung").arg("sound", "x".repeat(bytes)).sendNotification();
      call.peer().notify("done");
      return "rung";
    }
  }

  private final Bell bell = new Bell();

  @SuppressWarnings("NullAway.Init")
  private Server server;

  @SuppressWarnings("NullAway.Init")
  private RemoteService service;

  @SuppressWarnings("NullAway.Init")
  private ScriptedPeer client;

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen("tcp://127.0.0.1:0", Service.of(bell));
    RemoteEvents events = new RemoteEvents();
    Options options = Options.builder().dialect(events.in(Dialect.PLAIN)).build();
    Json description = Json.parse("""
        {"x-connect":[{"method":"greet"}],"methods":[\
        {"name":"ring","params":[{"name":"bytes","schema":{}}]}]}""");
    service = RemoteService.connect(
        () -> Repartee.connect(server.endpoint(), options), description, events);
    McpServer mcp = McpServer.builder("bell", "1").tools(service.tools()).build();
    events.to(mcp);
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    mcp.open(pair.server());
    client = ScriptedPeer.on(pair.client());
  }

  @AfterEach
  void stop() {
    client.close();
    service.close();
    server.close();
  }

  private void handshake() {
    client.send("""
        {"jsonrpc":"2.0","id":1,"method":"initialize","params":{\
        "protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t",\
        "version":"1"}}}""");
    client.receive();
    client.send("""
        {"jsonrpc":"2.0","method":"notifications/initialized"}""");
  }

  private void ring(int bytes, String meta) {
    client.send("""
        {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{\
        "name":"ring","arguments":{"bytes":%s}%s}}""".formatted(bytes, meta));
  }

  private static String log(String data) {
    return """
        {"jsonrpc":"2.0","method":"notifications/message","params":{\
        "level":"info","logger":"events","data":%s}}""".formatted(data);
  }

  private static String stateless(String more) {
    return ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientCapabilities\":{}" + more + "}";
  }

  @Test
  void aClientWithAHandshakeGetsThemAsLogMessages() throws Exception {
    bell.greeted.await();
    handshake();
    ring(3, "");
    client.expect(log("""
        {"event":"rung","params":{"sound":"xxx"}}"""), log("{\"event\":\"done\",\"params\":[]}"));
    assertThat(client.receive()).contains("\"id\":2");
  }

  @Test
  void aClientThatWantsOnlyErrorsGetsNone() {
    handshake();
    client.send("""
        {"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"error"}}""");
    assertThat(client.receive()).contains("\"id\":9");
    ring(3, "");
    assertThat(client.receive()).contains("\"id\":2");
  }

  @Test
  void largeParamsAreLeftOut() {
    handshake();
    ring(100_000, "");
    client.expect(log("{\"event\":\"rung\",\"bytesLeftOut\":100012}"));
  }

  @Test
  void aClientWithoutAHandshakeGetsThoseDuringItsCallIfItAsks() {
    ring(3, stateless(",\"io.modelcontextprotocol/logLevel\":\"info\""));
    client.expect(log("""
        {"event":"rung","params":{"sound":"xxx"}}"""), log("{\"event\":\"done\",\"params\":[]}"));
    assertThat(client.receive()).contains("\"id\":2", "rung");
    ring(3, stateless(""));
    assertThat(client.receive()).contains("\"id\":2", "rung");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"x-connect\":7}",
        "{\"x-connect\":[\"greet\"]}",
        "{\"x-connect\":[{\"method\":\"greet\",\"params\":7}]}"
      })
  void firstCallsThatAreNoCallsAreRefused(String description) {
    assertThatThrownBy(() -> RemoteService.connect(
            () -> Repartee.connect(server.endpoint()), Json.parse(description), new RemoteEvents()))
        .isInstanceOf(ProtocolException.class)
        .hasMessageStartingWith("the member 'x-connect' of the description has to be an array");
  }

  @Test
  void aFirstCallThatFailsIsAFailureToConnect() {
    assertThatThrownBy(() -> RemoteService.connect(
            () -> Repartee.connect(server.endpoint()),
            Json.parse("{\"x-connect\":[{\"method\":\"nothing\"}]}"),
            new RemoteEvents()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("a first call failed: 'nothing' of ")
        .hasMessageContaining("Method not found");
  }
}
