package dev.repartee.framing;

import static dev.repartee.framing.Framing.AUTO;
import static dev.repartee.framing.Framing.CONCATENATED;
import static dev.repartee.framing.Framing.CONTENT_LENGTH;
import static dev.repartee.framing.Framing.JSON_SEQ;
import static dev.repartee.framing.Framing.LENGTH_PREFIX;
import static dev.repartee.framing.Framing.LINES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Wire;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;

class AutoFramesTest {
  private static final int IAC = 0xFF;
  private static final int SB = 0xFA;
  private static final int SE = 0xF0;
  private static final int DO = 0xFD;

  private static Wire assertDecides(String stream, Framing framing, String... received) {
    Wire wire = Wire.read(AUTO, stream);
    assertThat(wire.received).containsExactly(received);
    assertThat(wire.frames.framing()).isEqualTo(framing);
    return wire;
  }

  @Test
  void theFirstByteShowsTheFramingsWithMarks() {
    assertThat(assertDecides("\0\0\0\3[1]", LENGTH_PREFIX, "[1]").write("[2]"))
        .isEqualTo("\0\0\0\3[2]");
    assertThat(assertDecides("\u001e[1]\n", JSON_SEQ, "[1]").write("[2]")).isEqualTo("\u001e[2]\n");
    assertThat(
            assertDecides("content-length:3\r\n\r\n[1]", CONTENT_LENGTH, "[1]").write("[2]"))
        .isEqualTo("Content-Length: 3\r\n\r\n[2]");
  }

  @Test
  void aFirstMessageIsDeliveredWithoutWaitingForALineEnd() {
    assertDecides("{\"a\":[]}", AUTO, "{\"a\":[]}");
    assertDecides("[1] \t\r", AUTO, "[1]");
  }

  @Test
  void aLineEndBehindTheFirstMessageFixesLines() {
    assertDecides("[1]\n", LINES, "[1]");
    assertDecides("[1] \t\r\n[2]\n[3", LINES, "[1]", "[2]");
    assertDecides("[1]\n{\"a\":\n[2]\n", LINES, "[1]", "{\"a\":", "[2]");
  }

  @Test
  void moreTextBehindTheFirstMessageFixesConcatenated() {
    assertDecides("[1][2]\n{\"a\":\n3}", CONCATENATED, "[1]", "[2]", "{\"a\":\n3}");
    assertDecides("[1] 2 ", CONCATENATED, "[1]", "2");
  }

  @Test
  void aLineEndInsideBrokenTextFixesLines() {
    assertDecides("{\"a\n[1]\n", LINES, "{\"a", "[1]");
    assertDecides(
        "{\"method\":\"foobar, \"params\":\"bar\",\"baz]\r\n[1]\n",
        LINES,
        "{\"method\":\"foobar, \"params\":\"bar\",\"baz]",
        "[1]");
  }

  @Test
  void textThatIsNeitherObjectNorArrayIsALine() {
    assertDecides("1 2\n[1]\n", LINES, "1 2", "[1]");
    assertDecides("}\n[1]\n", LINES, "}", "[1]");
  }

  @Test
  void moreTextBehindAFirstMessageThatIsNotJsonEndsTheReading() {
    Wire wire = assertDecides("{a}[1]", AUTO, "{a}");
    assertThat(wire.frames.ended()).isTrue();
    assertThat(assertDecides("{a} \r\n[1]\n", LINES, "{a}", "[1]").frames.ended())
        .isFalse();
  }

  @Test
  void whiteSpaceAndAByteOrderMarkBeforeTheFirstMessageAreSkipped() {
    assertDecides("\ufeff \r\n\t[1]\n", LINES, "[1]");
    assertDecides("\ufeff", AUTO);
    assertThat(Wire.read(AUTO, "\ufeff" + " ".repeat(100)).kept).isEmpty();
    assertDecides(" \r\n\n ", AUTO);
    assertThat(Wire.read(AUTO, " \r\n\n ").kept).isEmpty();
  }

  @Test
  void theMarkOfAFramingMayFollowAByteOrderMark() {
    assertDecides("\ufeff\u001e[1]\n", JSON_SEQ, "[1]");
    assertDecides("\ufeffContent-Length: 3\r\n\r\n[1]", CONTENT_LENGTH, "[1]");
    assertDecides("\ufeff\n[1]\n\ufeff \n\ufeff[2]\n", LINES, "[1]", "\ufeff[2]");
  }

  @Test
  void aCutByteOrderMarkIsRefused() {
    assertRefused(new Wire(AUTO).feed(0xEF).feed(0xBB).feed("{}\n"));
    assertThat(new Wire(AUTO).feed(0xEF).end().received).hasSize(1);
  }

  @Test
  void aFirstByteThatNothingBeginsWithIsRefusedAtOnce() {
    // In this order: a length of 2 GiB, a TLS handshake, a byte that is not UTF-8, a letter that
    // begins no JSON, a second byte order mark.
    assertRefused(new Wire(AUTO).feed(0x7F, 0xFF, 0xFF, 0xFF, '{'));
    assertRefused(new Wire(AUTO).feed(0x16, 3, 1));
    assertRefused(new Wire(AUTO).feed(0x80));
    assertRefused(new Wire(AUTO).feed(" \u00e9"));
    assertRefused(new Wire(AUTO).feed("\ufeff\ufeff[1]\n"));
    assertRefused(new Wire(AUTO).feed("\ufeff\0\0\0\3[1]"));
    for (int first = 1; first < ' '; first++) {
      boolean known = first == '\t' || first == '\n' || first == '\r' || first == 0x1E;
      assertThat(new Wire(AUTO).feed(first).frames.ended()).isEqualTo(!known);
    }
  }

  private static void assertRefused(Wire wire) {
    assertThat(wire.received).isEmpty();
    assertThat(wire.codes()).containsExactly(RpcError.PARSE_ERROR);
    assertThat(wire.frames.ended()).isTrue();
  }

  @Test
  void theChosenFramingReadsOnInItsPlace() {
    Wire auto = new Wire(AUTO);
    assertThat(auto.frames.successor()).isSameAs(auto.frames);
    auto.feed("{}\n[1");
    Wire chosen = new Wire(auto.frames.successor());
    chosen.kept = auto.kept;
    assertThat(chosen.frames).isInstanceOf(LineFrames.class);
    assertThat(chosen.feed("]\n").received).containsExactly("[1]");
  }

  @Test
  void telnetCommandsBetweenMessagesAreSkipped() {
    for (boolean slowly : new boolean[] {false, true}) {
      Wire wire = new Wire(AUTO);
      telnet(wire, slowly, IAC, DO, 1, IAC, SB, 24, '{', IAC, IAC, '\n', IAC, SE, IAC, IAC);
      wire.feed("[1]");
      telnet(wire, slowly, ' ', IAC, 0xFB, '\n', IAC, 0xF6, ' ');
      assertThat(wire.frames.framing()).isEqualTo(AUTO);
      wire.feed("\r\n");
      telnet(wire, slowly, IAC, 0xFE, '[', '\r', '\n', IAC, 0xFC, 3);
      wire.feed("[2]\n");
      assertThat(wire.received).containsExactly("[1]", "[2]");
      assertThat(wire.kept).isEmpty();
    }
  }

  private static void telnet(Wire wire, boolean slowly, int... bytes) {
    if (slowly) {
      for (int b : bytes) {
        wire.feed(b);
      }
    } else {
      wire.feed(bytes);
    }
  }

  @Test
  void telnetCommandsInsideALineAreText() {
    Wire wire = new Wire(AUTO).feed("[1]\n[").feed(IAC, DO, 1).feed("]\n");
    assertThat(wire.received).hasSize(2).last().isNotEqualTo("[]");
    assertThat(new Wire(LINES).feed(IAC, DO, 1).feed("[1]\n").received).noneMatch("[1]"::equals);
  }

  @Test
  void aFirstMessageTooLargeIsSkippedAndTheFramingFoundBehindIt() {
    Limits ten = Limits.builder().frameBytes(10).build();
    for (String next : new String[] {"\n[1]\n", "[1]"}) {
      Wire wire = Wire.read(AUTO, ten, "[1234567890[]]" + next);
      assertThat(wire.received).containsExactly("[1]");
      assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    }
    Wire broken = Wire.read(AUTO, ten, "[1234567890\n[1]\n");
    assertThat(broken.received).containsExactly("[1]");
    assertThat(broken.codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(new Wire(AUTO, ten).feed("[1234567890").kept).isEmpty();
  }

  @Test
  void aFirstMessageCutOffByTheEndOfTheStreamIsDelivered() {
    assertThat(new Wire(AUTO).feed("{\"a\"").end().received).containsExactly("{\"a\"");
    assertThat(new Wire(AUTO).feed("[1] ").end().received).containsExactly("[1]");
    assertThat(new Wire(AUTO).feed("[1]\n[2]").end().received).containsExactly("[1]", "[2]");
    assertThat(new Wire(AUTO).feed("12").end().received).containsExactly("12");
  }

  @Test
  void messagesWrittenBeforeTheFramingIsKnownEndWithLineFeeds() {
    assertThat(new Wire(AUTO).write("[1]")).isEqualTo("[1]\n");
    assertThat(new Wire(AUTO).feed("[1]").write("{\n}")).isEqualTo("{ }\n");
    assertThat(new Wire(AUTO).feed("[1][2]").write("{}")).isEqualTo("{}\n");
  }

  @Test
  void aFrameBegunBeforeThePeerHasShownItsFramingIsFinishedInIt() {
    for (String first : new String[] {"\0\0\0\2{}", "\u001e{}\n", "Content-Length: 2\r\n\r\n{}"}) {
      Wire wire = new Wire(AUTO);
      JsonWriter out = new JsonWriter().ascii("before");
      wire.frames.begin(out);
      wire.feed(first);
      out.ascii("{}");
      wire.frames.finish(out, 6);
      assertThat(out.toString()).isEqualTo("before" + first);
    }
  }

  @Test
  void anEmptyFrameGetsTheMarksOfTheFramingThatThePeerHasShown() {
    for (String first : new String[] {"", "\0\0\0\2{}", "\u001e{}\n"}) {
      Wire wire = new Wire(AUTO);
      JsonWriter out = new JsonWriter(6).ascii("before");
      wire.frames.begin(out);
      wire.feed(first);
      wire.frames.finish(out, 6);
      String marks = first.isEmpty() ? "\n" : first.replace("{}", "").replace('\2', '\0');
      assertThat(out.toString()).isEqualTo("before" + marks);
    }
  }
}
