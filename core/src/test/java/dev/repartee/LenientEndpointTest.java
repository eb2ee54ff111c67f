package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.json.Json;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The deviations that {@code #lenient=} tolerates, with the bytes that clients of other libraries
 * send.
 */
class LenientEndpointTest {
  /** Written by the crate jsonrpc for Rust to a socket, without a line end. */
  private static final String RUST = "{'method':'echo','params':null,'id':0,'jsonrpc':'2.0'}";

  /** Written by jsonrpc.el, the part of Emacs that eglot uses to speak LSP. */
  private static final String EMACS =
      "Content-Length: 54\r\n\r\n" + "{'jsonrpc':'2.0','id':1,'method':'echo','params':null}";

  private static final String RUST_ANSWER = "{'jsonrpc':'2.0','result':null,'id':0}\n";
  private static final String EMACS_ANSWER =
      "Content-Length: 38\r\n\r\n{'jsonrpc':'2.0','result':null,'id':1}";
  private static final String REFUSED = "'code':-32600";

  @TempDir
  Path temp;

  private static Service echo() {
    return Service.builder().method("echo", Lane.INLINE, Call::params).build();
  }

  /** The texts have single quotes in the place of JSON's double quotes. */
  private static String conversation(Server server, String sent) throws IOException {
    Endpoint at = server.endpoint();
    try (SocketChannel socket = at.scheme().equals("unix")
            ? SocketChannel.open(StandardProtocolFamily.UNIX)
            : SocketChannel.open();
        InputStream in = Channels.newInputStream(socket)) {
      if (at.scheme().equals("unix")) {
        socket.connect(UnixDomainSocketAddress.of(at.address()));
      } else {
        int port = Recorder.port(at);
        socket.connect(new java.net.InetSocketAddress("127.0.0.1", port));
      }
      socket.write(ByteBuffer.wrap(sent.replace('\'', '"').getBytes(UTF_8)));
      socket.shutdownOutput();
      return new String(in.readAllBytes(), UTF_8).replace('"', '\'');
    }
  }

  @ParameterizedTest
  @CsvSource({"tcp://127.0.0.1:0", "unix:"})
  void nullParamsAreToleratedWhereTheUriSaysSo(String scheme) throws Exception {
    String uri = scheme.equals("unix:") ? "unix:" + temp.resolve("s") : scheme;
    for (String lenient : new String[] {"#lenient=null-params", "#framing=auto&lenient=all"}) {
      try (Server server = Repartee.listen(uri + lenient, echo())) {
        assertThat(conversation(server, RUST)).isEqualTo(RUST_ANSWER);
        assertThat(conversation(server, EMACS)).isEqualTo(EMACS_ANSWER);
      }
    }
    for (String strict : new String[] {"", "#lenient=missing-version"}) {
      try (Server server = Repartee.listen(uri + strict, echo())) {
        assertThat(conversation(server, RUST)).contains(REFUSED);
        assertThat(conversation(server, EMACS)).contains(REFUSED);
      }
    }
  }

  /** Requests with null params, answered according to the lenience of the endpoint. */
  @Test
  void soTheyAreOfAProgramThatIsCalled() throws Exception {
    Path script = Files.writeString(
        temp.resolve("caller.sh"),
        "read request; echo '" + RUST.replace('\'', '"').replace(":0,", ":7,") + "';"
            + " read answer; echo \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"result\\\":[$answer],\\\"id\\\":1}\"");
    for (boolean lenient : new boolean[] {true, false}) {
      String uri = "exec:sh " + script + (lenient ? "#lenient=null-params" : "");
      try (Peer peer = Repartee.connect(uri, echo(), Options.DEFAULT)) {
        Json answer = peer.call("any", Json.class).elements().get(0);
        assertThat(answer.get("error") == null).isEqualTo(lenient);
      }
    }
  }

  @Test
  void anErrorWithoutAnIdFailsTheOneCallWhereTheUriSaysSo() throws Exception {
    String error = """
        {"jsonrpc":"2.0","error":{"code":-7,"message":"no"},"id":null}""";
    Path script = Files.writeString(
        temp.resolve("refuse.sh"), "read request; echo '" + error + "'; read more");
    String uri = "exec:sh " + script + "#lenient=null-id-fails-lone-call";
    try (Peer peer = Repartee.connect(uri)) {
      RpcException failure =
          catchThrowableOfType(RpcException.class, () -> peer.call("any", Json.class));
      assertThat(failure.code()).isEqualTo(-7);
    }
  }

  @Test
  void aNullBesideTheOutcomeIsIgnoredWhereTheUriSaysSo() throws Exception {
    String script = "for answer in '\"result\":7,\"error\":null' '\"error\":null,\"result\":8'"
        + " '\"result\":null,\"error\":null'"
        + " '\"result\":null,\"error\":{\"code\":-7,\"message\":\"no\"}'"
        + " '\"result\":9,\"error\":{\"code\":-7,\"message\":\"no\"}';"
        + " do read request; id=$((id+1)); echo \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,$answer}\";"
        + " done; read more";
    Path file = Files.writeString(temp.resolve("both.sh"), script);
    try (Peer peer = Repartee.connect("exec:sh " + file + "#lenient=null-outcome")) {
      assertThat(peer.call("any", int.class)).isEqualTo(7);
      assertThat(peer.call("any", int.class)).isEqualTo(8);
      assertThat(peer.call("any", Json.class)).isEqualTo(Json.NULL);
      assertThat(catchThrowableOfType(RpcException.class, () -> peer.call("any", Json.class))
              .code())
          .isEqualTo(-7);
      assertThatThrownBy(() -> peer.call("any", Json.class))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("exclude each other");
    }
    try (Peer peer = Repartee.connect("exec:sh " + file)) {
      assertThatThrownBy(() -> peer.call("any", Json.class))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("exclude each other");
    }
  }

  @Test
  void theFirstLineOfAMessageOnSeveralLinesIsAnsweredWithTheRemedy() throws Exception {
    String pretty = "{\n  'jsonrpc': '2.0',\n  'method': 'echo',\n  'id': 1\n}\n";
    for (String framing : new String[] {"auto", "lines"}) {
      try (Server server = Repartee.listen("tcp://127.0.0.1:0#framing=" + framing, echo())) {
        assertThat(conversation(server, pretty).lines().toList())
            .hasSize(5)
            .first()
            .asString()
            .contains("under #framing=lines a message is one line, and #framing=concatenated");
      }
    }
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#framing=concatenated", echo())) {
      assertThat(conversation(server, pretty)).contains("'result':null");
    }
  }

  @Test
  void aContentLengthHeaderIsAnsweredWithTheRemedy() throws Exception {
    String message = "Content-Length: 2\r\n\r\n[]";
    try (Server server = Repartee.listen("tcp://127.0.0.1:0#framing=lines", echo())) {
      assertThat(conversation(server, message).lines().toList())
          .first()
          .asString()
          .contains("-32700", "one after a Content-Length header needs #framing=content-length");
    }
  }

  @Test
  void anUnknownDeviationIsRefusedBeforeAnythingIsOpened() {
    // Nothing listens there: an attempt to connect would fail with an IOException.
    assertThatThrownBy(() -> Repartee.connect("tcp://127.0.0.1:1#lenient=nonsense"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown lenience 'nonsense'");
    assertThatThrownBy(() -> Repartee.listen("mem:nonsense#lenient=nonsense", echo()))
        .isInstanceOf(IllegalArgumentException.class);
    PeerFactory factory = channel -> Peer.open(channel, echo(), Options.DEFAULT);
    assertThatThrownBy(
            () -> Repartee.listen("mem:nonsense#lenient=nonsense", factory, Options.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
