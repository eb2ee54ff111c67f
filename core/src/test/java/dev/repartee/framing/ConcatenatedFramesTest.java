package dev.repartee.framing;

import static dev.repartee.framing.Framing.CONCATENATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Wire;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;

class ConcatenatedFramesTest {
  private static Wire read(String stream) {
    return Wire.read(CONCATENATED, stream);
  }

  @Test
  void messagesFollowOneAnotherWithOrWithoutWhiteSpace() {
    Wire wire = read("{}[]{\"a\":1} \t[2]\r\n\n{\n\"b\":\n[3]\n}");
    assertThat(wire.received).containsExactly("{}", "[]", "{\"a\":1}", "[2]", "{\n\"b\":\n[3]\n}");
    assertThat(wire.kept).isEmpty();
  }

  @Test
  void oneByteOrderMarkBeforeAMessageIsSkipped() {
    assertThat(read("\ufeff \n[1]\ufeff{}\n\ufeff12 ").received).containsExactly("[1]", "{}", "12");
    assertThat(read("\ufeff" + " ".repeat(100)).kept).isEmpty();
    assertThat(read("[1]\ufeff\ufeff[2]").received).containsExactly("[1]", "\ufeff");
    assertThat(new Wire(CONCATENATED).feed(0xEF, 0xBB).end().received).hasSize(1);
  }

  @Test
  void bracketsAndQuotesInStringsDoNotCount() {
    String message = "[\"}]\\\"]\",{\"\\\\\":\"{[\\\\\\\"\"}]";
    assertThat(read(message + message).received).containsExactly(message, message);
  }

  @Test
  void aScalarIsAFrameUpToWhiteSpaceOrABracket() {
    assertThat(read("1 true\n-2{}null[]\"a b\"\"c\"3\"d\"").received)
        .containsExactly("1", "true", "-2", "{}", "null", "[]", "\"a b\"", "\"c\"", "3", "\"d\"");
  }

  @Test
  void aScalarAtTheEndOfTheStreamIsDelivered() {
    Wire wire = read("[1] 12");
    assertThat(wire.received).containsExactly("[1]");
    assertThat(wire.end().received).containsExactly("[1]", "12");
    assertThat(wire.frames.ended()).isFalse();
  }

  @Test
  void nothingIsReadAfterTextThatIsNotJson() {
    for (String broken : new String[] {"{a}", "]", "nonsense ", "{]", "[1}"}) {
      Wire wire = read("[1]" + broken + "[2]");
      assertThat(wire.received).containsExactly("[1]", broken.trim());
      assertThat(wire.frames.ended()).isTrue();
    }
  }

  @Test
  void aMessageCutOffByTheEndOfTheStreamIsDeliveredAndEndsTheReading() {
    Wire wire = read("[1]{\"a\":[").end();
    assertThat(wire.received).containsExactly("[1]", "{\"a\":[");
    assertThat(wire.frames.ended()).isTrue();
  }

  @Test
  void aMessageTooLargeIsSkippedByItsBrackets() {
    Wire wire = new Wire(CONCATENATED, Limits.builder().frameBytes(10).build()).feed("[[1234567");
    assertThat(wire.feed("8").codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(wire.feed("],[\"]\\").kept).isEmpty();
    assertThat(wire.feed("\"]\"]][1]").received).containsExactly("[1]");
    assertThat(wire.codes()).hasSize(1);
    assertThat(wire.frames.ended()).isFalse();
  }

  @Test
  void aScalarTooLargeIsSkipped() {
    Wire wire = Wire.read(
        CONCATENATED, Limits.builder().frameBytes(10).build(), "12345678901234567890 [1]");
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(wire.received).containsExactly("[1]");
  }

  @Test
  void aMessageIsNotLookedAtAgainWhenMoreOfItArrives() {
    Wire wire = new Wire(CONCATENATED).feed("[1,2");
    wire.kept[2] = ']';
    assertThat(wire.feed(",3").received).isEmpty();
    assertThat(wire.feed("]").received).hasSize(1);
  }

  @Test
  void messagesAreWrittenApart() {
    Wire wire = new Wire(CONCATENATED);
    assertThat(wire.write("1") + wire.write("2")).isEqualTo("1\n2\n");
  }
}
