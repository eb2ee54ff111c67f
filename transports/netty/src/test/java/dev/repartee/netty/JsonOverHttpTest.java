package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.testkit.RawConnection;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.testkit.examples.JsonTestSuite;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Sends each text of nst/JSONTestSuite as one message: some must be accepted, some rejected, some
 * may be either.
 */
class JsonOverHttpTest {
  private static final String PING = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":1}""";
  private static final String PONG = """
      {"jsonrpc":"2.0","result":"pong","id":1}""";

  private static List<JsonTestSuite.Text> texts() {
    List<JsonTestSuite.Text> texts = JsonTestSuite.texts();
    assertThat(texts).hasSize(318);
    return texts;
  }

  private static Server serve() throws Exception {
    return Repartee.listen("http://127.0.0.1:0/", new ExampleMethods().service());
  }

  @Test
  void everyTextIsAnsweredAndTheConnectionIsKept() throws Exception {
    try (Server server = serve();
        RawConnection raw = new RawConnection(server)) {
      for (JsonTestSuite.Text text : texts()) {
        raw.send(RawConnection.post(new String(text.bytes(), ISO_8859_1)));
        text.assertMayBeAnswered(raw.body());
        assertThat(raw.send(RawConnection.post(PING)).body()).isEqualTo(PONG);
      }
    }
  }

  @Test
  void everyTextIsAMessageAndTheWebSocketGoesOnUnlessItIsNotUtf8() throws Exception {
    try (Server server = serve();
        RawConnection raw = new RawConnection(server).upgrade()) {
      for (JsonTestSuite.Text text : texts()) {
        if (isUtf8(text.bytes())) {
          raw.send(message(text.bytes()));
          text.assertMayBeAnswered(raw.message());
          assertThat(raw.send(RawConnection.frame(0x81, PING.getBytes(UTF_8))).message())
              .isEqualTo(PONG);
        } else {
          assertThat(text.name()).matches("[ni]_.*");
          try (RawConnection bad = new RawConnection(server).upgrade()) {
            assertThat(bad.send(message(text.bytes())).message())
                .as(text.name())
                .isEqualTo("<close> 1007");
          }
        }
      }
    }
  }

  /** Returns one message, in several frames if it does not fit into one frame of this client. */
  private static byte[] message(byte[] text) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    int most = 0xFFFF;
    for (int from = 0; from == 0 || from < text.length; from += most) {
      byte[] part = Arrays.copyOfRange(text, from, Math.min(from + most, text.length));
      int fin = from + most >= text.length ? 0x80 : 0;
      frames.writeBytes(RawConnection.frame(fin | (from == 0 ? 1 : 0), part));
    }
    return frames.toByteArray();
  }

  private static boolean isUtf8(byte[] text) {
    try {
      UTF_8.newDecoder().decode(ByteBuffer.wrap(text));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
