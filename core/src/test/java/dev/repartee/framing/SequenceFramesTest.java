package dev.repartee.framing;

import static dev.repartee.framing.Framing.JSON_SEQ;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Wire;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceFramesTest {
  private static Wire read(String stream) {
    return Wire.read(JSON_SEQ, stream.replace('^', '\u001e'));
  }

  @Test
  void anElementIsDeliveredAtItsLineFeedTheNextSeparatorOrTheEnd() {
    assertThat(read("^[1]\n").received).containsExactly("[1]");
    assertThat(read("^[1]^[2]").received).containsExactly("[1]");
    assertThat(read("^[1]^[2]").end().received).containsExactly("[1]", "[2]");
  }

  @Test
  void aLineFeedBetweenTheTokensOfAContainerDoesNotEndTheElement() {
    assertThat(read("^{\n\"a\": [\n1\n]\n}\n").received).containsExactly("{\n\"a\": [\n1\n]\n}");
  }

  @Test
  void severalSeparatorsInARowAreNoElement() {
    Wire wire = read("^^^[1]\n^ \n^\n\n^^[2]\n^").end();
    assertThat(wire.received).containsExactly("[1]", "[2]");
    assertThat(wire.faults).isEmpty();
  }

  @Test
  void anElementCutOffByTheNextSeparatorIsDeliveredAsItIs() {
    Wire wire = read("^{\"a\":\"b^[1]\n^{\"a\"\n^[2]\n");
    assertThat(wire.received).containsExactly("{\"a\":\"b", "[1]", "{\"a\"\n", "[2]");
    assertThat(wire.faults).isEmpty();
  }

  @Test
  void textOutsideElementsIsReportedOnceARunAndSkipped() {
    Wire wire = read("log\nmore log\n^[1]\nlog\n log\n\n^[2]\n  \n^[3]\n");
    assertThat(wire.received).containsExactly("[1]", "[2]", "[3]");
    assertThat(wire.codes()).containsExactly(RpcError.PARSE_ERROR, RpcError.PARSE_ERROR);
    assertThat(wire.faults.get(0).reason()).contains("log").contains("RS");
  }

  @ParameterizedTest
  @ValueSource(strings = {"12", "-1.5", "true", "false", "null"})
  void aNumberOrLiteralNotFollowedByWhiteSpaceIsTruncated(String scalar) {
    Wire wire = read("^" + scalar + "^[1]\n");
    assertThat(wire.received).containsExactly("[1]");
    assertThat(wire.reason()).contains("truncated").contains(scalar);
    assertThat(read("^" + scalar).end().codes()).containsExactly(RpcError.PARSE_ERROR);
    assertThat(read("^" + scalar + "\n").received).containsExactly(scalar);
    assertThat(read("^" + scalar + " ^").received).containsExactly(scalar + " ");
  }

  @Test
  void aStringNeedsNoWhiteSpaceBehindIt() {
    assertThat(read("^\"a\"^\"b\"").end().received).containsExactly("\"a\"", "\"b\"");
  }

  @Test
  void anElementTooLargeIsSkippedToTheNextSeparator() {
    Wire wire =
        new Wire(JSON_SEQ, Limits.builder().frameBytes(10).build()).feed("\u001e[123456789");
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(wire.feed("still the same element").kept).isEmpty();
    assertThat(wire.feed("]\nrest\u001e[1]\n").received).containsExactly("[1]");
    assertThat(wire.codes()).hasSize(1);
  }

  @Test
  void aMessageIsWrittenBetweenSeparatorAndLineFeed() {
    assertThat(new Wire(JSON_SEQ).write("[1]")).isEqualTo("\u001e[1]\n");
  }

  @Test
  void aBrokenElementIsDeliveredAtItsLineFeedAndItsFurtherLinesAreSkipped() {
    Wire wire = read("^{\"a\":[1}\n");
    assertThat(wire.received).containsExactly("{\"a\":[1}");
    assertThat(wire.feed("2]}\n\u001e[\"x\n").received).containsExactly("{\"a\":[1}", "[\"x");
    assertThat(wire.feed("\u001e{\n\"a\":\n[1]}\n").received).last().isEqualTo("{\n\"a\":\n[1]}");
    assertThat(wire.faults).isEmpty();
  }

  @Test
  void anUnmatchedClosingBracketIsBrokenAfterAnyElement() {
    for (String before : new String[] {"", "\u001e{}\n", "\u001e[]\n"}) {
      for (String broken : new String[] {"}{", "][", "}[", "]{"}) {
        assertThat(Wire.read(JSON_SEQ, before + "\u001e" + broken + "\n").received)
            .last()
            .isEqualTo(broken);
      }
    }
  }
}
