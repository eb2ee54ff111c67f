package dev.repartee.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpGuardTest {
  @ParameterizedTest
  @CsvSource({
    "HTTP/1.1 400 Bad Request,true",
    "HTTP/1.0 200,true",
    "HTTP/1.1 is served here,false",
    "HTTP/1.1 40,false",
    "HTTP/2 200 OK,false"
  })
  void aStatusLineTellsAResponse(String text, boolean response) {
    byte[] b = text.getBytes(UTF_8);
    assertThat(HttpGuard.isResponse(b, 0, b.length)).isEqualTo(response);
  }

  @ParameterizedTest
  @CsvSource({
    "'GET ',HTTP",
    "'POST / HTTP/1.1',HTTP",
    "'OPTIONS ',HTTP",
    "'PRI * HTTP/2.0',HTTP",
    "'',UNDECIDED",
    "P,UNDECIDED",
    "POST,UNDECIDED",
    "CONNECT,UNDECIDED",
    "'get ',OTHER",
    "POSTER,OTHER",
    "Content-Length: 2,OTHER",
    "{,OTHER",
    "'\n',OTHER",
    "PX,OTHER",
    "'\u0016',UNDECIDED",
    "'\u0016\u0003\u0001',TLS",
    "'\u0016\u0016',OTHER"
  })
  void theFirstBytesTellHttpAndTlsApart(String text, HttpGuard.Verdict verdict) {
    byte[] b = text.getBytes(UTF_8);
    assertThat(HttpGuard.judge(b, 0, b.length)).isEqualTo(verdict);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Host: a", "hOsT:a", "ORIGIN: http://a", "POST /rpc HTTP/1.1"})
  void aLineOfAnHttpRequestIsKnown(String line) {
    byte[] b = line.getBytes(UTF_8);
    assertThat(HttpGuard.isRequest(b, 0, b.length)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{\"Host:\":1}", "null", "GET it", "hosts", "Content-Length: 2"})
  void otherTextIsNot(String line) {
    byte[] b = line.getBytes(UTF_8);
    assertThat(HttpGuard.isRequest(b, 0, b.length)).isFalse();
  }
}
