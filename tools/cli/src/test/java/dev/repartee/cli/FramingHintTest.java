package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The remedy for a peer with another framing, in the messages of commands in this process. */
class FramingHintTest {
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":7,"id":1}""";

  /** Runs a command against a server that sends these bytes, and ends its output. */
  private static String refusal(String sent, String command, String framing) throws Exception {
    return refusal(sent, true, command, framing, "60s"); // longer than a pause of the machine
  }

  /** Runs a command against a server that sends these bytes after the first bytes of its client. */
  private static String refusal(
      String sent, boolean ends, String command, String framing, String limit) throws Exception {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> serve(listener, sent, ends), "other framing");
      server.setDaemon(true);
      server.start();
      Captured captured = new Captured("""
          {"jsonrpc":"2.0","method":"initialize","id":1}
          """);
      String uri = "tcp://127.0.0.1:" + listener.getLocalPort()
          + (framing.isEmpty() ? "" : "#framing=" + framing);
      int exit = command.equals("call")
          ? Main.run(captured.stdio(), "call", uri, "initialize", "--timeout", limit)
          : Main.run(captured.stdio(), command, uri, "--timeout", limit);
      assertThat(exit).isIn(4, 5);
      assertThat(captured.err()).hasLineCount(1);
      return captured.err();
    }
  }

  private static void serve(ServerSocket listener, String sent, boolean ends) {
    try (Socket socket = listener.accept()) {
      if (socket.getInputStream().read() >= 0) {
        socket.getOutputStream().write(sent.getBytes(UTF_8));
        if (ends) {
          socket.shutdownOutput();
        }
        socket.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
      }
    } catch (IOException e) {
      // The command has ended the connection.
    }
  }

  @ParameterizedTest
  @CsvSource({
    "call,  '',             'Content-Length: 36\r\n\r\n', content-length",
    "call,  '',             '\u001e',                     json-seq",
    "call,  content-length, '',                           lines",
    "batch, '',             'Content-Length: 36\r\n\r\n', content-length",
  })
  void theFramingThatTheInputFitsIsNamed(
      String command, String framing, String mark, String fitting) throws Exception {
    String end = fitting.equals("content-length") ? "," : "\n"; // not a line with an answer
    assertThat(refusal(mark + ANSWER + end, command, framing))
        .contains("its input fits #framing=" + fitting + " after the URI");
  }

  @ParameterizedTest
  @CsvSource({"call", "batch"})
  void anAnswerOnSeveralLinesFitsConcatenatedValues(String command) throws Exception {
    assertThat(refusal("{\n" + ANSWER.substring(1).replace(",", ",\n") + "\n", command, ""))
        .contains("its input fits #framing=concatenated after the URI");
  }

  @ParameterizedTest
  @CsvSource({"call", "batch"})
  void aPeerThatIsSilentIsNotToldToBeSlowOnly(String command) throws Exception {
    assertThat(refusal("", false, command, "", "500ms"))
        .contains("within 500 ms; no message in the framing lines has arrived")
        .contains("for a language server add #framing=content-length to the URI")
        .contains("otherwise raise the limit with --timeout");
    assertThat(refusal("", false, command, "content-length", "500ms"))
        .contains("use #framing=lines");
  }

  @Test
  void aPeerThatHasSentMessagesIsSlow() throws Exception {
    String progress = """
        {"jsonrpc":"2.0","method":"busy"}
        """;
    assertThat(refusal(progress, false, "call", "", "15s")) // a pause of the machine is shorter
        .contains("within 15000 ms; raise the limit with --timeout")
        .doesNotContain("#framing");
  }

  @Test
  void otherInputIsNotTakenForAFraming() throws Exception {
    assertThat(refusal("SSH-2.0\n", "call", "")).contains("is #framing= right?");
  }
}
