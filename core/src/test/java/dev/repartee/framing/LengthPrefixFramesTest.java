package dev.repartee.framing;

import static dev.repartee.framing.Framing.LENGTH_PREFIX;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Wire;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;

class LengthPrefixFramesTest {
  private static final String GOOD = "\0\0\0\3[1]";

  @Test
  void theLengthIsBigEndianAndCountsTheMessageAlone() {
    Wire wire = new Wire(LENGTH_PREFIX).feed(0, 0, 1, 2).feed("x".repeat(258)).feed(GOOD);
    assertThat(wire.received).containsExactly("x".repeat(258), "[1]");
    assertThat(wire.write("x".repeat(258))).startsWith("\0\0\1\2x").hasSize(262);
  }

  @Test
  void aLengthOfZeroIsAnEmptyFrame() {
    assertThat(Wire.read(LENGTH_PREFIX, "\0\0\0\0" + GOOD).received).containsExactly("", "[1]");
  }

  @Test
  void aMessageTooLargeIsRefusedBeforeItsFirstByteAndSkippedToTheLast() {
    Wire wire = new Wire(LENGTH_PREFIX).feed(1, 0, 0, 0);
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    for (int i = 0; i < 16; i++) {
      assertThat(wire.feed(new byte[1 << 20]).kept).isEmpty();
    }
    assertThat(wire.feed(GOOD).received).containsExactly("[1]");
  }

  @Test
  void theLengthIsUnsigned() {
    Wire wire = new Wire(LENGTH_PREFIX).feed(0xFF, 0xFF, 0xFF, 0xFF).feed(GOOD);
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(wire.received).isEmpty();
    assertThat(wire.frames.ended()).isFalse();
  }

  @Test
  void aStreamThatEndsInsideAMessageIsReported() {
    assertThat(new Wire(LENGTH_PREFIX).feed("\0\0").end().reason())
        .contains("inside a length prefix");
    assertThat(new Wire(LENGTH_PREFIX).feed("\0\0\0\3[1").end().reason())
        .contains("inside a message of 3 bytes, of which 2 bytes had arrived");
    assertThat(new Wire(LENGTH_PREFIX).feed("\0\0\0\3").end().faults).hasSize(1);
    assertThat(new Wire(LENGTH_PREFIX).feed(GOOD).end().faults).isEmpty();
  }
}
