package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Tests a server with an unread pipe as standard error. */
class UnreadErrorsTest {
  private static final int PATIENCE_MILLIS = 60_000;

  /** The number of calls. Their log lines exceed the pipe (64 KiB on Linux) and the buffers. */
  private static final int CALLS = 5_000;

  private static final String TCP = "tcp://127.0.0.1:0";
  private static final String LISTENING = "listening on ";
  private static final String CALL =
      "{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":1}\n";

  @Test
  void aFullStandardErrorStopsNoConnectionAndNoEnd() throws Exception {
    Process process =
        new ProcessBuilder(Child.command("serve", "--listen", TCP, "--access-log", "-")).start();
    try (BufferedReader errors =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), UTF_8))) {
      URI uri = listening(errors);
      try (Socket calls = connect(uri)) {
        for (int i = 0; i < CALLS; i++) {
          assertThat(answer(calls, CALL)).contains("\"result\":19");
        }
        try (Socket stranger = connect(uri)) {
          assertThat(answer(stranger, "{]\n")).contains("-32700");
        }
        assertThat(answer(calls, CALL)).contains("\"result\":19");
      }
      process.toHandle().destroy();
      assertThat(process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  /** A service that logs more than the pipe and the buffers hold. */
  public static final class Talking {
    private static final int RECORDS = 400;

    /** Logs. */
    public String talk() {
      for (int i = 1; i <= RECORDS; i++) {
        Logger.getLogger("talking")
            .warning("record " + i + " of " + RECORDS + " ".repeat(500) + ".");
      }
      return "logged";
    }
  }

  @Test
  void theRecordsThatWaitAtTheEndAreWritten() throws Exception {
    Process process = new ProcessBuilder(
            Child.command("serve", "--class", Talking.class.getName(), "--listen", TCP))
        .start();
    try (BufferedReader errors =
        new BufferedReader(new InputStreamReader(process.getErrorStream(), UTF_8))) {
      try (Socket calls = connect(listening(errors))) {
        assertThat(answer(calls, "{\"jsonrpc\":\"2.0\",\"method\":\"talk\",\"id\":1}\n"))
            .contains("logged");
        process.toHandle().destroy();
        assertThat(calls.getInputStream().readAllBytes()).isEmpty(); // the server has closed it
      }
      assertThat(errors.lines()).anyMatch(line -> line.contains("record 400 of 400"));
      assertThat(process.waitFor()).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  private static URI listening(BufferedReader errors) throws IOException {
    String line = errors.readLine();
    while (!line.startsWith(LISTENING)) {
      line = errors.readLine();
    }
    return URI.create(line.substring(LISTENING.length()));
  }

  private static Socket connect(URI uri) throws IOException {
    Socket socket = new Socket(uri.getHost(), uri.getPort());
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    return socket;
  }

  private static String answer(Socket socket, String line) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(line.getBytes(UTF_8));
    StringBuilder answer = new StringBuilder();
    for (int b = socket.getInputStream().read(); b >= 0 && b != '\n'; ) {
      answer.append((char) b);
      b = socket.getInputStream().read();
    }
    return answer.toString();
  }
}
