package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.http.server.Gzip;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests compressed bodies in both directions. */
class HttpGzipTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";
  private static final String LONG = """
      {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":1}""".formatted("x".repeat(1_100));
  private static final String LONG_ANSWER = """
      {"jsonrpc":"2.0","result":"%s","id":1}""".formatted("x".repeat(1_100));

  private static final String GZIP = "Content-Encoding: gzip";

  private @Nullable Server server;

  private RawConnection connect(Limits limits) throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/",
        new Methods().service(),
        Options.builder().limits(limits).build());
    return new RawConnection(server);
  }

  private RawConnection connect() throws Exception {
    return connect(Limits.DEFAULT);
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  /** Returns the compressed bytes, one char for each byte. */
  private static String gzip(byte[] plain) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(plain);
    }
    return out.toString(ISO_8859_1);
  }

  private static String gzip(String plain) throws IOException {
    return gzip(plain.getBytes(UTF_8));
  }

  private static String body(String answer) {
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "x-gzip", "GZip"})
  void aCompressedRequestIsServed(String coding) throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(gzip(CALL), "Content-Encoding: " + coding));
      assertThat(body(raw.answer())).isEqualTo(ANSWER);
    }
  }

  @Test
  void aBodyThatUnpacksPastTheLimitIsRefusedAndTheConnectionGoesOn() throws Exception {
    try (RawConnection raw = connect(Limits.builder().frameBytes(1_000).build())) {
      raw.send(post(gzip(" ".repeat(1_000)), "Content-Encoding: gzip"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
      raw.send(post(gzip(" ".repeat(999 - CALL.length()) + CALL), "Content-Encoding: gzip"));
      assertThat(body(raw.answer())).isEqualTo(ANSWER);
    }
  }

  @Test
  void aBombIsRefused() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(gzip(new byte[200 << 20]), "Content-Encoding: gzip"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 413 ");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 12, 40})
  void aBodyThatEndsEarlyIsRefused(int length) throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(gzip(CALL).substring(0, length), "Content-Encoding: gzip"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
      assertThat(body(raw.send(post(CALL)).answer())).isEqualTo(ANSWER);
    }
  }

  @Test
  void aBodyMayConsistOfManyMembers() throws Exception {
    try (RawConnection raw = connect()) {
      String empty = gzip("").repeat(100_000);
      raw.send(post(gzip(CALL.substring(0, 9)) + empty + gzip(CALL.substring(9)) + "\0\0", GZIP));
      assertThat(body(raw.answer())).isEqualTo(ANSWER);
      raw.send(post(empty, GZIP));
      assertThat(raw.answer()).contains("-32700");
      raw.send(post(empty + gzip(CALL).replace('\b', '\t'), GZIP)); // another compression
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
    }
  }

  @Test
  void aMemberMayHaveAllThatItsHeaderCanHold() throws Exception {
    String member = gzip(CALL);
    String header = member.substring(0, 3) + "\37" + member.substring(4, 10) // all five flags
        + "\3\0abcname\0comment\0";
    CRC32 crc = new CRC32();
    crc.update(header.getBytes(ISO_8859_1));
    String sum = "" + (char) (crc.getValue() & 0xFF) + (char) (crc.getValue() >> 8 & 0xFF);
    try (RawConnection raw = connect()) {
      raw.send(post(header + sum + member.substring(10), GZIP));
      assertThat(body(raw.answer())).isEqualTo(ANSWER);
      raw.send(post(header + "\0\0" + member.substring(10), GZIP));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
      raw.send(post(header, GZIP));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aBodyWithAWrongSumOrLengthIsRefused(int fromEnd) throws Exception {
    StringBuilder wrong = new StringBuilder(gzip(CALL));
    int at = wrong.length() - fromEnd;
    wrong.setCharAt(at, (char) (wrong.charAt(at) ^ 1));
    try (RawConnection raw = connect()) {
      assertThat(raw.send(post(wrong.toString(), GZIP)).answer()).startsWith("HTTP/1.1 400 ");
    }
  }

  @Test
  void aMemberMayArriveByteByByte() throws Exception {
    String header = "\u001f\u008b\b\u001e\0\0\0\0\0\3" + "\2\0xx" + "name\0" + "comment\0";
    CRC32 sum = new CRC32();
    sum.update(header.getBytes(ISO_8859_1));
    header += (char) (sum.getValue() & 0xFF);
    header += (char) (sum.getValue() >> 8 & 0xFF);
    byte[] packed = (header + gzip(CALL).substring(10) + gzip(" ")).getBytes(ISO_8859_1);
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    try (Gzip.Reader reader = new Gzip.Reader()) {
      for (int i = 0; i < packed.length; i++) {
        assertThat(reader.isComplete()).isEqualTo(i == packed.length - gzip(" ").length());
        reader.read(packed, i, i + 1, bytes -> {
          plain.write(bytes.array(), 0, bytes.remaining());
          return true;
        });
      }
      assertThat(reader.isComplete()).isTrue();
    }
    assertThat(plain.toString(UTF_8)).isEqualTo(CALL + " ");
  }

  @Test
  void aPlainBodyThatIsDeclaredAsGzipIsRefused() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(CALL, "Content-Encoding: gzip"));
      assertThat(raw.answer()).startsWith("HTTP/1.1 400 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"br", "deflate", "gzip, gzip"})
  void anotherCodingIsRefusedWithTheAcceptedOne(String coding) throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(CALL, "Content-Encoding: " + coding));
      assertThat(raw.answer()).startsWith("HTTP/1.1 415 ").contains("accept-encoding: gzip\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate, x-gzip;q=0.1", "*", "gzip;q=0.5, identity;q=0.5"})
  void aLongAnswerIsCompressedForAClientThatAcceptsIt(String accepted) throws Exception {
    try (RawConnection raw = connect()) {
      String answer = raw.send(post(LONG, "Accept-Encoding: " + accepted)).answer();
      assertThat(answer)
          .contains("content-encoding: gzip\r\n", "vary: accept-encoding\r\n")
          .hasSizeLessThan(LONG_ANSWER.length());
      byte[] body = body(answer).getBytes(ISO_8859_1);
      assertThat(new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes())
          .asString(UTF_8)
          .isEqualTo(LONG_ANSWER);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"gzip;q=0", "*, gzip;q=0", "identity, gzip;q=0.5", "br", "gzip;q=x", "*;q=0", ""})
  void anAnswerIsNotCompressedForAClientThatDoesNotAcceptIt(String accepted) throws Exception {
    try (RawConnection raw = connect()) {
      String answer = raw.send(post(LONG, "Accept-Encoding: " + accepted)).answer();
      assertThat(answer).contains("vary: accept-encoding\r\n").endsWith("\r\n\r\n" + LONG_ANSWER);
    }
  }

  @Test
  void aShortAnswerIsNotCompressed() throws Exception {
    try (RawConnection raw = connect()) {
      String answer = raw.send(post(CALL, "Accept-Encoding: gzip")).answer();
      assertThat(answer).doesNotContain("vary").endsWith("\r\n\r\n" + ANSWER);
    }
  }
}
