package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StdioTest {
  @Test
  void aProgramGetsTheResultAsItCame() {
    Captured captured = new Captured("");
    captured.stdio(false).result(Json.parse("{\"n\": 1.10}"));
    assertThat(captured.out()).isEqualTo("{\"n\": 1.10}\n");
  }

  @Test
  void aReaderGetsItLaidOut() {
    Captured captured = new Captured("");
    captured.stdio(true).result(Json.parse("{\"n\":1.10}"));
    assertThat(captured.out()).isEqualTo("{\n  \"n\": 1.10\n}\n");
  }

  @Test
  void aReaderThatHadEnoughIsNoFailure() {
    assertThatCode(() -> failing("Broken pipe").result(Json.TRUE)).doesNotThrowAnyException();
  }

  @Test
  void aResultThatCannotBeWrittenIsAFailure() {
    assertThatThrownBy(() -> failing("No space left on device").result(Json.TRUE))
        .isInstanceOfSatisfying(Failure.class, e -> assertThat(e.exit()).isEqualTo(Exit.LOST))
        .hasMessageContaining("No space left on device");
  }

  @Test
  void aSentenceStandsOnOneLine() {
    Captured captured = new Captured("");
    captured.stdio().say("one\n  two\r\n");
    assertThat(captured.err()).isEqualTo("repartee: one two" + System.lineSeparator());
  }

  @ParameterizedTest
  @CsvSource({
    "/dev/pts/3, true",
    "/dev/tty1, true",
    "/dev/console, true",
    "/dev/null, false",
    "pipe:[4711], false",
    "/home/dev/pts/file, false"
  })
  void onlyATerminalDeviceIsATerminal(String path, boolean terminal) {
    assertThat(Terminal.isDevice(path)).isEqualTo(terminal);
  }

  private static Stdio failing(String reason) {
    OutputStream out = new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException(reason);
      }
    };
    return new Stdio(InputStream.nullInputStream(), out, System.err, false, false);
  }
}
