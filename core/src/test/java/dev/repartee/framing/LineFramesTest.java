package dev.repartee.framing;

import static dev.repartee.framing.Framing.LINES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Wire;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;

class LineFramesTest {
  private static final Limits TEN = Limits.builder().frameBytes(10).build();

  @Test
  void aLineEndsInLineFeedOrCarriageReturnAndLineFeed() {
    assertThat(Wire.read(LINES, "[1]\n[2]\r\n[3]\n").received).containsExactly("[1]", "[2]", "[3]");
  }

  @Test
  void blankLinesAreSkipped() {
    Wire wire = Wire.read(LINES, "\n\r\n[1]\n \t \r\n\n[2]\n\n");
    assertThat(wire.received).containsExactly("[1]", "[2]");
    assertThat(wire.kept).isEmpty();
  }

  @Test
  void aByteOrderMarkIsLeftToTheMessageAndALineOfNothingElseIsBlank() {
    assertThat(Wire.read(LINES, "\ufeff[1]\n\ufeff \r\n\ufeff[2]\n").received)
        .containsExactly("\ufeff[1]", "\ufeff[2]");
    assertThat(new Wire(LINES).feed("\ufeff").end().received).isEmpty();
  }

  @Test
  void aCutByteOrderMarkIsText() {
    Wire wire = new Wire(LINES).feed(0xEF, 0xBB, '{', '}', '\n').feed("[1]\n");
    assertThat(wire.received).hasSize(2).last().isEqualTo("[1]");
    assertThat(wire.received.get(0)).isNotEqualTo("{}").endsWith("{}");
    assertThat(new Wire(LINES).feed(0xEF).feed(0xBB).end().received).hasSize(1);
  }

  @Test
  void aLineThatIsNotJsonDoesNotEndTheReading() {
    Wire wire = Wire.read(LINES, "{\"a\":\nnonsense}\n[1]\n");
    assertThat(wire.received).containsExactly("{\"a\":", "nonsense}", "[1]");
    assertThat(wire.frames.ended()).isFalse();
  }

  @Test
  void aLineTooLargeIsReportedOnceAsSoonAsThatIsKnownAndSkipped() {
    Wire wire = new Wire(LINES, TEN).feed("[123456789");
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(wire.faults.get(0).fatal()).isFalse();
    assertThat(wire.kept).isEmpty();
    wire.feed("0123456789".repeat(10)).feed("]\n[1]\n");
    assertThat(wire.codes()).hasSize(1);
    assertThat(wire.received).containsExactly("[1]");
  }

  @Test
  void theLineEndDoesNotCountAgainstTheLimit() {
    assertThat(Wire.read(LINES, TEN, "[1234567]\r\n").received).containsExactly("[1234567]");
    assertThat(Wire.read(LINES, TEN, "[12345678]\r\n").codes()).hasSize(1);
  }

  @Test
  void aLastLineWithoutItsEndIsDeliveredWhenTheStreamEnds() {
    assertThat(new Wire(LINES).feed("[1]\n[2]\r").end().received).containsExactly("[1]", "[2]");
    assertThat(new Wire(LINES).feed("[1]\n  \t").end().received).containsExactly("[1]");
    assertThat(new Wire(LINES, TEN).feed("[1234567890").end().received).isEmpty();
  }

  @Test
  void aLineIsNotLookedAtAgainWhenMoreOfItArrives() {
    Wire wire = new Wire(LINES).feed("[1, ");
    wire.kept[3] = '\n';
    assertThat(wire.feed("2]").received).isEmpty();
    assertThat(wire.feed("\n").received).containsExactly("[1,\n2]");
  }

  @Test
  void lineEndsInsideAMessageAreWrittenAsSpaces() {
    Wire wire = new Wire(LINES);
    assertThat(wire.write("{\n  \"a\":\r\n\"\\n\"}\n")).isEqualTo("{   \"a\":  \"\\n\"} \n");
    assertThat(wire.write("[1]")).isEqualTo("[1]\n");
    assertThat(wire.write("[\"0123456789\",\n1]")).isEqualTo("[\"0123456789\", 1]\n");
  }
}
