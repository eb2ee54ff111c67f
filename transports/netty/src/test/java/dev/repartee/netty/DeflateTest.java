package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.RecordingReceiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the compression of WebSocket messages (RFC 7692). */
class DeflateTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String HANDSHAKE =
      "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  private static final String OFFER = "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
  private static final int LIMIT = 64 << 10;

  private final Methods methods = new Methods();
  private @Nullable Server server;

  private Server serve(String deflate) throws Exception {
    server = Repartee.listen(
        "ws://127.0.0.1:0/#deflate=" + deflate,
        methods.service(),
        Options.builder().limits(limits -> limits.frameBytes(LIMIT)).build());
    return server;
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private static String packed(byte[] plain) {
    Deflater deflater = new Deflater(9, true);
    deflater.setInput(plain);
    byte[] bytes = new byte[plain.length / 500 + 1_000];
    int size = deflater.deflate(bytes, 0, bytes.length, Deflater.SYNC_FLUSH);
    deflater.end();
    return new String(bytes, 0, size - 4, ISO_8859_1); // section 7.2.1
  }

  /** A masked text frame with RSV1, of a payload of up to 64 KiB. */
  private static String frame(String payload) {
    int length = payload.length();
    String size = length < 126
        ? "" + (char) (0x80 | length)
        : "\u00fe" + (char) (length >> 8) + (char) (length & 0xFF);
    return "\u00c1" + size + "\0\0\0\0" + payload;
  }

  @ParameterizedTest
  @CsvSource({"true,true", "true,false", "false,true"})
  void messagesPassWhicheverSideEnablesCompression(String atServer, String atClient)
      throws Exception {
    String uri = serve(atServer).endpoint().bare() + "#deflate=" + atClient;
    try (Peer peer = Repartee.connect(uri)) {
      for (int i = 0; i < 3; i++) {
        String text = "some text ".repeat(5_000) + i;
        assertThat(peer.call("echo", String.class, text)).isEqualTo(text);
      }
      assertThat(peer.call("header", String.class, "Sec-WebSocket-Extensions"))
          .startsWith(atClient.equals("true") ? "permessage-deflate" : "null");
    }
  }

  @Test
  void compressedMessagesWaitInOrderForAReceiverThatIsNotReady() throws Exception {
    Endpoint endpoint = Endpoint.parse("ws://127.0.0.1:0/#deflate=true");
    RecordingReceiver atServer = new RecordingReceiver();
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    atServer.stall(true);
    try (Transport.Listening listening = Transport.of(endpoint)
        .listen(endpoint, Limits.DEFAULT, channel -> {
          channel.start(atServer);
          accepted.add(channel);
        })) {
      Channel client = Transport.open(listening.endpoint(), Limits.DEFAULT, Headers.NONE);
      client.start(new RecordingReceiver());
      String rest = ",\"" + "x".repeat(500_000) + "\"]";
      for (int i = 0; i < 60; i++) {
        client.send(("[" + i + rest).getBytes(UTF_8));
      }
      Channel server = accepted.take();
      for (int i = 0; i < 60; i++) {
        atServer.stall(false);
        server.resume();
        assertThat(atServer.next()).startsWith("[" + i + ",");
        atServer.stall(true);
      }
      client.abort(null);
    }
  }

  @Test
  void aPingThatWaitedBehindPackedMessagesIsAnswered() throws Exception {
    Endpoint endpoint = Endpoint.parse("ws://127.0.0.1:0/#deflate=true");
    RecordingReceiver atServer = new RecordingReceiver();
    BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    atServer.stall(true);
    try (Transport.Listening listening = Transport.of(endpoint)
            .listen(endpoint, Limits.DEFAULT, channel -> {
              channel.start(atServer);
              accepted.add(channel);
            });
        RawConnection raw =
            new RawConnection(listening.endpoint().toString().replaceAll("#.*", ""))) {
      raw.send(HANDSHAKE + OFFER).answer();
      raw.send(frame(packed("[1]".getBytes(UTF_8)))).send(RawConnection.frame(0x89, new byte[0]));
      Channel server = accepted.take();
      atServer.stall(false);
      server.resume();
      assertThat(atServer.next()).isEqualTo("[1]");
      assertThat(raw.bytes(2)).isEqualTo("\u008a\0");
      server.abort(null);
    }
  }

  @Test
  void aForeignClientIsUnderstood() throws Exception {
    try (RawConnection raw = new RawConnection(serve("true"))) {
      assertThat(raw.send(HANDSHAKE + OFFER).answer())
          .containsIgnoringCase("sec-websocket-extensions: permessage-deflate");
      raw.send(frame(packed(CALL.getBytes(UTF_8))));
      assertThat(raw.bytes(1)).isEqualTo("\u00c1");
    }
  }

  @Test
  void aMessageThatUnpacksPastTheLimitIsRefused() throws Exception {
    try (RawConnection raw = new RawConnection(serve("true"))) {
      raw.send(HANDSHAKE + OFFER).answer();
      raw.send(frame(packed(new byte[32 << 20])));
      assertThat(raw.bytes(1)).isEqualTo("\u0088");
      assertThat(raw.bytes(3)).endsWith("\u0003\u00f1"); // 1009
    }
  }

  @Test
  void aMessageThatCannotBeUnpackedIsRefused() throws Exception {
    try (RawConnection raw = new RawConnection(serve("true"))) {
      raw.send(HANDSHAKE + OFFER).answer();
      raw.send(frame("\u00ff\u00ff\u00ff\u00ff".repeat(50)));
      assertThat(raw.bytes(1)).isEqualTo("\u0088");
      assertThat(raw.bytes(3)).endsWith("\u0003\u00ef"); // 1007
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aLengthThatIsWrittenTooLongIsRefused(String deflate) throws Exception {
    try (RawConnection raw = new RawConnection(serve(deflate))) {
      raw.send(HANDSHAKE + OFFER).answer();
      raw.send("\u0081\u00fe\0\u0002\0\0\0\0{}");
      assertThat(raw.bytes(1)).isEqualTo("\u0088");
      assertThat(raw.bytes(3)).endsWith("\u0003\u00ea"); // 1002
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void compressionThatWasNotNegotiatedIsRefused(String deflate) throws Exception {
    try (RawConnection raw = new RawConnection(serve(deflate))) {
      raw.send(HANDSHAKE + "\r\n").answer();
      raw.send(frame(packed(CALL.getBytes(UTF_8))));
      assertThat(raw.bytes(1)).isEqualTo("\u0088");
      assertThat(raw.bytes(3)).endsWith("\u0003\u00ea"); // 1002
    }
  }

  @Test
  void theOptionIsTrueOrFalse() {
    for (String uri : new String[] {"ws://127.0.0.1:0/#deflate=yes", "http://h:0/#deflate=1"}) {
      assertThatThrownBy(() -> Repartee.listen(uri, Service.NONE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("neither true nor false");
    }
  }
}
