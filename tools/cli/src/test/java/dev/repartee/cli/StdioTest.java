package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Progress;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.cli.terminal.Terminal;
import dev.repartee.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StdioTest {
  @Test
  void aProgramGetsTheResultAsItCame() {
    Captured captured = new Captured("");
    captured.stdio(false).result(Json.parse("{\"n\": 1.10}"));
    assertThat(captured.out()).isEqualTo("{\"n\": 1.10}\n");
  }

  @Test
  void aTerminalGetsTheResultIndented() {
    Captured captured = new Captured("");
    captured.stdio(true).result(Json.parse("{\"n\":1.10}"));
    assertThat(captured.out()).isEqualTo("{\n  \"n\": 1.10\n}\n");
  }

  @Test
  void aClosedStandardOutputIsNoFailureAndIsReturned() {
    assertThat(failing("Broken pipe").result(Json.TRUE)).isFalse();
    assertThat(new Captured("").stdio().result(Json.TRUE)).isTrue();
  }

  @Test
  void aTerminalShowsWhatItWouldObeyAsEscapesOfTheSameText() {
    Captured captured = new Captured("");
    Json result = Json.parse("\"a\u009b31m \u007f \u009d0;t\u009c \u202e \u2066 \u061c é\"");
    captured.stdio(true).result(result);
    assertThat(captured.out())
        .isEqualTo("\"a\\u009b31m \\u007f \\u009d0;t\\u009c \\u202e \\u2066 \\u061c é\"\n");
    assertThat(Json.parse(captured.out()).as(String.class)).isEqualTo(result.as(String.class));
  }

  /** Zero width, soft hyphen, tags, fillers: a model reads them, but a person does not see them. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200D, 0x200E, 0x202E, 0x2060, 0x2064, 0x2069,
        0x206A, 0x2800, 0x3164, 0xFE00, 0xFEFF, 0xFFA0, 0xFFF9, 0x1D173, 0xE0001, 0xE0041, 0xE0100
      })
  void aCharacterWithoutAShapeIsShownEverywhere(int invisible) {
    String character = Character.toString(invisible);
    Captured captured = new Captured("");
    Json result = Json.of("a" + character + "b");
    captured.stdio(true).result(result);
    captured.stdio().say("a" + character + "b");
    assertThat(captured.out()).matches("\"a(\\\\u[0-9a-f]{4}){1,2}b\"\n");
    assertThat(Json.parse(captured.out()).as(String.class)).isEqualTo("a" + character + "b");
    assertThat(captured.err()).isEqualTo("repartee: a?b" + System.lineSeparator());
  }

  @Test
  void textsOfAllScriptsAreShownAsTheyAre() {
    String text = "\u00e9 \u0639\u0631\u0628\u064a \u65e5\u672c\u8a9e \ud83d\ude00 \u2764\ufe0f";
    Captured captured = new Captured("");
    captured.stdio().text(text);
    captured.stdio().note(text);
    assertThat(captured.out()).isEqualTo(text + "\n");
    assertThat(captured.err()).isEqualTo(text + System.lineSeparator());
  }

  @Test
  void aProgramGetsControlCharactersUnchanged() {
    Captured captured = new Captured("");
    captured.stdio().result(Json.parse("\"\u009b\u202e\""));
    captured.stdio().line("\u001b[31m".getBytes(UTF_8));
    captured.stdio().note("", Json.parse("\"\u009b\""));
    assertThat(captured.out()).isEqualTo("\"\u009b\u202e\"\n\u001b[31m\n");
    assertThat(captured.err()).isEqualTo("\"\u009b\"" + System.lineSeparator());
  }

  @Test
  void aTerminalShowsControlCharactersOutsideJsonAsEscapes() {
    Captured captured = new Captured("");
    byte[] frame = "\u001b]0;pwn\u0007 a\r\nb\tc\rd \u0000x".getBytes(UTF_8);
    frame[frame.length - 1] = (byte) 0x9b;
    captured.stdio(true).line(frame);
    assertThat(captured.out()).isEqualTo("\\u001b]0;pwn\\u0007 a\r\nb\tc\\u000dd \\u0000\uFFFD\n");
  }

  @Test
  void aTableShowsControlCharactersAsEscapes() {
    Captured captured = new Captured("");
    captured.stdio().text("a \u001b[31m\nb");
    assertThat(captured.out()).isEqualTo("a \\u001b[31m\nb\n");
  }

  @Test
  void aSentenceHasAQuestionMarkInTheirPlaceWhereverItGoes() {
    Captured captured = new Captured("");
    captured.stdio().say("it said \u001b[31mRED\u001b]0;pwn\u0007\u009b\u007f\u202e\tend");
    assertThat(captured.err())
        .isEqualTo("repartee: it said ?[31mRED?]0;pwn???? end" + System.lineSeparator());
  }

  @Test
  void progressAndErrorsOnATerminalShowControlCharactersAsEscapes() {
    Captured captured = new Captured("");
    Stdio stdio = captured.stdio(true);
    new Progress(stdio).show(Json.parse("\"\u009b2J\""));
    stdio.note("", Json.parse("{\"message\":\"\u009b2J\"}"));
    assertThat(captured.err())
        .contains("\rprogress: \"\\u009b2J\"", "{\"message\":\"\\u009b2J\"}")
        .doesNotContain("\u009b");
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
