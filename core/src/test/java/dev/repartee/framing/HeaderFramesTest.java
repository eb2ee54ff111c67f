package dev.repartee.framing;

import static dev.repartee.framing.Framing.CONTENT_LENGTH;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Wire;
import dev.repartee.limits.Limits;
import dev.repartee.message.RpcError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderFramesTest {
  private static final String GOOD = "Content-Length: 3\r\n\r\n[1]";

  private static Wire read(String stream) {
    return Wire.read(CONTENT_LENGTH, stream);
  }

  /** Asserts one response with -32700, after which the connection goes on with the next message. */
  private static Wire assertReportedOnce(String bad) {
    Wire wire = read(bad + GOOD);
    assertThat(wire.codes()).containsExactly(RpcError.PARSE_ERROR);
    assertThat(wire.received).containsExactly("[1]");
    assertThat(wire.frames.ended()).isFalse();
    assertThat(wire.kept).isEmpty();
    return wire;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "content-length:3\r\n\r\n[1]",
        "CONTENT-LENGTH: \t 3 \r\n\r\n[1]",
        "X-Other: yes\r\nContent-Length: 3\r\nEmpty:\r\n\r\n[1]",
        "Content-Length: 3\r\nContent-Length: 3\r\n\r\n[1]",
        "Content-Length: 003\r\n\r\n[1]",
      })
  void headerNamesAreTakenInAnyCaseAndUnknownHeadersAreIgnored(String stream) {
    Wire wire = read(stream + GOOD);
    assertThat(wire.received).containsExactly("[1]", "[1]");
    assertThat(wire.faults).isEmpty();
  }

  @Test
  void theLengthCountsBytesAndNotCharacters() {
    assertThat(read("Content-Length: 5\r\n\r\n\"\u20ac\"" + GOOD).received)
        .containsExactly("\"\u20ac\"", "[1]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/vscode-jsonrpc; charset=utf-8",
        "application/json;charset=UTF8",
        "application/json; charset=\"Utf-8\"; version=1",
        "application/json; version=1; CHARSET=utf-8",
        "application/json",
        "text/plain; charset-like=latin1",
      })
  void aContentTypeInUtf8IsTaken(String type) {
    Wire wire = read("Content-Type:" + type + "\r\nContent-Length: 3\r\n\r\n[2]" + GOOD);
    assertThat(wire.received).containsExactly("[2]", "[1]");
    assertThat(wire.faults).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"utf-16", "\"latin1\"", ""})
  void aMessageInAnotherCharsetIsSkippedAndTheCharsetNamed(String charset) {
    String type = "Content-Type: application/json; charset=" + charset;
    Wire wire =
        assertReportedOnce(type + "\r\nContent-Length: 25\r\n\r\nContent-Length: 2\r\n\r\n{}zz");
    assertThat(wire.reason())
        .contains("charset")
        .contains("utf-8, but found '" + charset.replace("\"", "") + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"-3", "+3", "3 3", "0x3", "3.0", "", "three", "\u0663"})
  void aLengthThatIsNotJustDigitsIsRefused(String length) {
    Wire wire = assertReportedOnce("Content-Length: " + length + "\r\n\r\n[2]");
    if (!length.equals("\u0663")) {
      assertThat(wire.reason()).contains("Content-Length").contains("'" + length + "'");
    }
  }

  @Test
  void aHeaderWithoutALengthIsRefused() {
    assertThat(assertReportedOnce("Content-Type: application/json\r\n\r\n[2]").reason())
        .contains("without Content-Length");
    assertThat(assertReportedOnce("\r\n").reason()).contains("without Content-Length");
  }

  @Test
  void twoDifferentLengthsAreRefused() {
    assertThat(assertReportedOnce(
                "Content-Length: 3\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\n[2]")
            .reason())
        .contains("two Content-Length headers differ");
  }

  @Test
  void aLineThatEndsInLineFeedAloneIsRefusedAndCrlfAsked() {
    assertThat(assertReportedOnce("Content-Length: 3\n\n[2]").reason()).contains("CRLF");
    assertReportedOnce("Content-Length: 3\r\n\n[2]");
    assertReportedOnce("Content-Length: 3\nContent-Type: text/plain\n\n[2]");
  }

  @Test
  void everyBadMessageIsReportedAgain() {
    String bad = "Content-Length: 3\n\n[2]";
    assertThat(read(bad + bad + bad + GOOD).codes()).hasSize(3);
    String worse = "Content-Length: x\r\n\r\n";
    assertThat(read(worse + worse + GOOD).codes()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "starting up\n",
        "starting up\r\nstill starting: 1 of 2\r\nready\r\n",
        "2026-01-01 12:00:00 INFO: ready\n",
        "INFO: ready\n",
        "gr\u00fc\u00dfe ",
        "[2]\r\nContent-Len",
        ": 3\r\n",
        "Content-Length : 3\r\n\r\n[2]",
      })
  void garbageBeforeAHeaderIsReportedOnceAndSkipped(String garbage) {
    assertReportedOnce(garbage);
  }

  @Test
  void theNextHeaderIsFoundWhereverItStands() {
    Wire wire =
        read("oops\n{}{\"a\":1}cOnTeNt-Content-TYPE: x/y\r\nContent-Length: 3\r\n\r\n[2]" + GOOD);
    assertThat(wire.received).containsExactly("[2]", "[1]");
    assertThat(wire.codes()).hasSize(1);
  }

  @Test
  void garbageIsNotKept() {
    Wire wire =
        new Wire(CONTENT_LENGTH).feed("oops\n").feed("x".repeat(100_000)).feed("Content-Le");
    assertThat(wire.kept).hasSize(10);
    assertThat(wire.codes()).hasSize(1);
    assertThat(wire.feed("ngth: 3\r\n\r\n[1]").received).containsExactly("[1]");
  }

  @Test
  void aBodyTooLargeIsRefusedBeforeItsFirstByteAndSkippedToTheLast() {
    Wire wire = new Wire(CONTENT_LENGTH).feed("Content-Length: 1073741824\r\n\r\n");
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    byte[] body =
        GOOD.repeat((1 << 20) / GOOD.length() + 1).substring(0, 1 << 20).getBytes(UTF_8);
    for (int i = 0; i < 1024; i++) {
      assertThat(wire.feed(body).kept).isEmpty();
    }
    assertThat(wire.received).isEmpty();
    assertThat(wire.feed(GOOD).received).containsExactly("[1]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1073741825",
        "4294967299",
        "1000000000000",
        "9223372036854775808",
        "99999999999999999999999999"
      })
  void aBodyOfMoreThan64TimesTheLimitEndsTheConnectionInPlaceOfBeingSkipped(String length) {
    Wire wire = read("Content-Length: " + length + "\r\n\r\n" + GOOD);
    assertThat(wire.codes()).containsExactly(RpcError.TOO_LARGE);
    assertThat(wire.reason()).contains("a frame of more than 1073741824 bytes", "frameBytes");
    assertThat(wire.received).isEmpty();
    assertThat(wire.frames.ended()).isTrue();
  }

  @Test
  void aLengthOfZeroIsAnEmptyFrame() {
    assertThat(read("Content-Length: 0\r\n\r\n" + GOOD).received).containsExactly("", "[1]");
  }

  @Test
  void aHeaderThatIsTooLargeEndsTheConnection() {
    String line = "X-Header: " + "x".repeat(54) + "\r\n";
    for (String header :
        new String[] {line.repeat(200), "x".repeat(9_000), "X: " + line.repeat(130)}) {
      Wire wire = read(header);
      assertThat(wire.faults).hasSize(1).allMatch(FrameFault::fatal);
      assertThat(wire.frames.ended()).isTrue();
    }
  }

  @Test
  void aHeaderOfExactlyTheLimitIsTaken() {
    Limits limits = Limits.builder().headerBytes(21).build();
    assertThat(Wire.read(CONTENT_LENGTH, limits, GOOD + GOOD).received).hasSize(2);
    Limits less = Limits.builder().headerBytes(20).build();
    assertThat(Wire.read(CONTENT_LENGTH, less, GOOD).faults)
        .allMatch(FrameFault::fatal)
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 24\r\nHost: localhost:7000\r\n\r\n",
        "origin: http://example.com\r\nContent-Length: 24\r\n\r\n",
        "HOST: localhost\r\n\r\n",
      })
  void aHeaderThatOnlyHttpClientsSendEndsTheConnection(String request) {
    Wire wire = read(request + GOOD);
    assertThat(wire.frames.ended()).isTrue();
    assertThat(wire.received).isEmpty();
    assertThat(wire.faults).last().matches(FrameFault::fatal);
  }

  @Test
  void aStreamThatEndsInsideAHeaderOrBodyIsReported() {
    assertThat(new Wire(CONTENT_LENGTH).feed(GOOD + "Content-Le").end().reason())
        .contains("the stream ended inside a header");
    assertThat(new Wire(CONTENT_LENGTH).feed("Content-Length: 3\r\n").end().reason())
        .contains("the stream ended inside a header");
    assertThat(
            new Wire(CONTENT_LENGTH).feed("Content-Length: 3\r\n\r\n[1").end().reason())
        .contains("the stream ended inside a body of 3 bytes, of which 2 had arrived");
    assertThat(new Wire(CONTENT_LENGTH).feed(GOOD).end().faults).isEmpty();
    assertThat(
            new Wire(CONTENT_LENGTH).feed("Content-Length: 3\nContent-Ty").end().codes())
        .hasSize(1);
    assertThat(new Wire(CONTENT_LENGTH)
            .feed("Content-Length: 3\nContent-Type: x")
            .end()
            .codes())
        .hasSize(1);
  }

  @Test
  void aMessageIsWrittenWithItsLengthInBytes() {
    Wire wire = new Wire(CONTENT_LENGTH);
    assertThat(wire.write("1")).isEqualTo("Content-Length: 1\r\n\r\n1");
    for (int size : new int[] {9, 10, 99, 100, 999, 1_000, 9_999, 10_000, 100_000}) {
      String message = "x".repeat(size);
      assertThat(wire.write(message)).isEqualTo("Content-Length: " + size + "\r\n\r\n" + message);
    }
    assertThat(wire.write("\"\u20ac\"")).startsWith("Content-Length: 5\r\n");
  }
}
