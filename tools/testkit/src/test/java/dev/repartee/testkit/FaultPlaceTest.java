package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.json.Json;
import dev.repartee.testkit.examples.ExampleMethods;
import java.io.IOException;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The offset of invalid input in an error: in the message, or in the stream outside a message. */
class FaultPlaceTest {
  private static final String PING = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":1}""";
  private static final String SECRET = "hunter2";

  @SuppressWarnings("NullAway.Init")
  private Server server;

  @BeforeEach
  void serve() throws IOException {
    server = Repartee.listen("tcp://127.0.0.1:0", new ExampleMethods().service());
  }

  @AfterEach
  void close() {
    server.close();
  }

  /** Sends a text in one piece, or so slowly that the server reads every byte separately. */
  private static void send(RawConnection raw, String text, boolean slowly) throws IOException {
    raw.socket().setTcpNoDelay(slowly);
    for (int i = 0; i < text.length(); i += slowly ? 1 : text.length()) {
      raw.send(slowly ? text.substring(i, i + 1) : text);
    }
  }

  private static String why(String answer) {
    assertThat(answer).contains("-32700").doesNotContain(SECRET);
    Json error = Objects.requireNonNull(Json.parse(answer).get("error"));
    return Objects.requireNonNull(error.get("data")).as(String.class);
  }

  @Test
  void theOffsetOfAFaultInAMessageIsCountedFromTheStartOfThatMessage() throws IOException {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(PING + """

          {"jsonrpc":}
          %s
          ["%s"
          """.formatted(PING, SECRET));
      raw.line();
      assertThat(why(raw.line())).isEqualTo("at offset 11: expected a value");
      raw.line();
      assertThat(why(raw.line())).isEqualTo("at offset 10: expected ',' or ']'");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theOffsetOfAFaultOfHeadersIsCountedFromTheStartOfTheStream(boolean slowly)
      throws IOException {
    String good = "Content-Length: " + PING.length() + "\r\n\r\n" + PING;
    String bad = SECRET + "\r\n";
    String worse = "Content-Type: text/plain\r\nContent-Length: " + SECRET + "\r\n\r\n";
    try (RawConnection raw = new RawConnection(server)) {
      send(raw, good + bad + good + worse + good + "Content-Le", slowly);
      raw.endOutput();
      headed(raw);
      assertThat(why(headed(raw)))
          .isEqualTo("at offset " + good.length() + " of the stream: a header is expected");
      headed(raw);
      int start = good.length() + bad.length() + good.length();
      assertThat(why(headed(raw)))
          .isEqualTo("at offset " + start + " of the stream: Content-Length has to be the number"
              + " of bytes in the body, in decimal digits");
      headed(raw);
      int end = start + worse.length() + good.length() + "Content-Le".length();
      assertThat(why(headed(raw)))
          .isEqualTo("at offset " + end + " of the stream: the stream ended inside a header; send"
              + " the message whole before closing");
    }
  }

  private static String headed(RawConnection raw) throws IOException {
    int length = Integer.parseInt(raw.line().replaceAll("\\D", ""));
    raw.line();
    return raw.bytes(length);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theOffsetOfTextOutsideASequenceIsCountedFromTheStartOfTheStream(boolean slowly)
      throws IOException {
    String good = "\u001e" + PING + "\n";
    try (RawConnection raw = new RawConnection(server)) {
      send(raw, good + SECRET + "\n" + good, slowly);
      raw.line();
      assertThat(why(raw.line().substring(1)))
          .isEqualTo("at offset " + good.length()
              + " of the stream: RS (0x1E) is expected before each message");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theOffsetAtWhichAMessageIsCutOffIsReported(boolean slowly) throws IOException {
    try (RawConnection raw = new RawConnection(server)) {
      send(raw, "\0\0\0" + (char) PING.length() + PING + "\0\0\0\11" + SECRET, slowly);
      raw.endOutput();
      prefixed(raw);
      assertThat(why(prefixed(raw)))
          .isEqualTo(
              "at offset " + (PING.length() + 15) + " of the stream: the stream ended inside"
                  + " a message of 9 bytes, of which 7 bytes had arrived; send it whole before closing");
    }
  }

  private static String prefixed(RawConnection raw) throws IOException {
    String prefix = raw.bytes(4);
    return raw.bytes(prefix.charAt(2) << 8 | prefix.charAt(3));
  }
}
