package dev.repartee.envelopes;

import static dev.repartee.Deadlines.Field.MEMBER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeOptionTest {
  private static final Service SERVICE = new ExampleMethods().service();

  @TempDir
  Path temp;

  @Test
  void anUnknownNameIsRefusedWithTheKnownOnes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Endpoint.parse("tcp://127.0.0.1:0#envelope=jsonrpc-3"))
        .withMessage(
            "unknown envelope 'jsonrpc-3'; known are dap, jsonrpc-1.0, jsonrpc-1.0-text, lazydap, lsp, mxr,"
                + " and without the option messages are JSON-RPC 2.0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp://127.0.0.1:0",
        "unix:TEMP/s.sock",
        "mem:envelopes",
        "ws://127.0.0.1:0/rpc",
        "http://127.0.0.1:0/rpc"
      })
  void everyTransportTakesTheOption(String uri) throws Exception {
    String here = uri.replace("TEMP", temp.toString());
    try (Server server = Repartee.listen(here + "#envelope=jsonrpc-1.0", SERVICE);
        Peer client = Repartee.connect(server.endpoint())) {
      assertThat(server.endpoint().envelope()).isInstanceOf(JsonRpc10.class);
      assertThat(client.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }

  @Test
  void theOptionsChooseAnEnvelopeToo() throws Exception {
    Options options = Options.builder().dialect(new JsonRpc10()).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE, options);
        RawConnection client = new RawConnection(server)) {
      client.send("{\"method\":\"subtract\",\"params\":[42,23],\"id\":7}\n");
      assertThat(client.line()).isEqualTo("{\"result\":19,\"error\":null,\"id\":7}");
    }
  }

  /** As the telemetry adds them to all connections of a program. */
  @ParameterizedTest
  @ValueSource(strings = {"dap", "jsonrpc-1.0", "jsonrpc-1.0-text", "lazydap", "lsp", "mxr"})
  void anEnvelopeLeavesOutTheMembersThatTheOptionsAdd(String name) throws Exception {
    Options options = Options.builder()
        .dialect(Dialect.withMembers(Dialect.PLAIN, "tenant"))
        .deadlines(rules -> rules.send(MEMBER).accept(MEMBER))
        .callLayer((call, next) -> {
          call.requestMember("tenant", Json.of(1));
          return next.handle(call);
        })
        .build();
    Service service =
        Service.builder().method("seen", call -> call.member("tenant") != null).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=" + name, service, options);
        Peer client = Repartee.connect(server.endpoint(), options)) {
      assertThat(client.call("seen", boolean.class)).isFalse();
    }
  }

  @Test
  void anEnvelopeBringsItsFraming() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=dap", SERVICE);
        Peer client = Repartee.connect(server.endpoint())) {
      assertThat(client.channel().framing()).isEqualTo(Framing.CONTENT_LENGTH.label());
    }
  }

  @Test
  void theEnvelopeOfTheOptionsBringsItsFraming() throws Exception {
    Options options = Options.builder().dialect(new Dap()).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", SERVICE, options);
        Peer client = Repartee.connect(server.endpoint().bare().toString(), SERVICE, options)) {
      assertThat(server.endpoint().option("framing", "")).isEqualTo("content-length");
      assertThat(client.channel().framing()).isEqualTo(Framing.CONTENT_LENGTH.label());
    }
    String lines = "tcp://127.0.0.1:0#framing=lines";
    try (Server server = Repartee.listen(lines, SERVICE, options);
        Peer client = Repartee.connect(server.endpoint(), SERVICE, options)) {
      assertThat(client.channel().framing()).isEqualTo(Framing.LINES.label());
    }
  }

  @Test
  void aFramingThatTheEndpointNamesPrecedes() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=dap&framing=lines", SERVICE);
        RawConnection client = new RawConnection(server)) {
      client.send("""
          {"seq":1,"type":"request","command":"get_data"}
          """);
      assertThat(client.line()).startsWith("{\"type\":\"response\",\"request_seq\":1,");
    }
  }

  @Test
  void aPeerThatReconnectsSpeaksTheEnvelope() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#envelope=dap", SERVICE);
        Peer client = Reconnecting.to(server.endpoint().toString()).connect()) {
      assertThat(client
              .request("subtract")
              .arg("minuend", 42)
              .arg("subtrahend", 23)
              .call(int.class))
          .isEqualTo(19);
      assertThat(client.call("get_data", Json.class)).isEqualTo(Json.parse("[\"hello\",5]"));
      assertThatThrownBy(client::batch).isInstanceOf(UnsupportedOperationException.class);
      assertThatThrownBy(
              () -> client.request("s").stream(int.class).forEach(i -> {}).join())
          .hasCauseInstanceOf(UnsupportedOperationException.class);
    }
  }

  @Test
  void aSecondDialectIsRefused() {
    Options options = Options.builder().dialect(new Dialect() {}).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.connect("mem:x#envelope=dap", options))
        .withMessage("the endpoint has the option envelope=dap, but the options set another"
            + " dialect; leave out one of them");
  }

  @Test
  void theSameDialectIsNoSecondOne() {
    for (Dialect dialect : List.of(new Dap(), new ForwardingDialect(new Dap()) {})) {
      Options options = Options.builder().dialect(dialect).build();
      assertThat(options.at(Endpoint.parse("mem:x#envelope=dap"))).isSameAs(options);
    }
  }

  @Test
  void peersWithOptionsOfTheirOwnRefuseTheOption() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Repartee.listen(
            "mem:factory#envelope=dap",
            channel -> Peer.open(channel, SERVICE, Options.DEFAULT),
            Options.DEFAULT))
        .withMessage("the option envelope=dap of 'mem:factory' has no effect here, since each"
            + " peer has its own options; set the dialect there");
  }
}
