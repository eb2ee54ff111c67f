package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.testkit.RawConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests requests with an ambiguous end. A proxy may see one request where this server sees two (RFC
 * 9112 section 11.2). Therefore such a request is refused and its connection ends.
 */
class HttpSmugglingTest {
  private static final String HEAD =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""";
  private static final String SMUGGLED = RawConnection.post(CALL);

  private final Server server;

  HttpSmugglingTest() throws Exception {
    server = Repartee.listen("http://127.0.0.1:0/", new Methods().service());
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void isRefused(String request) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(request);
      assertThat(raw.rest())
          .matches("(?s)HTTP/1\\.1 (400|501) .*")
          .containsIgnoringCase("connection: close")
          .doesNotContain("\"result\"")
          .containsOnlyOnce("HTTP/1.1 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 0\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 4",
        "Content-Length: 0\r\nContent-Length: 4",
        "Content-Length: 0\r\nContent-Length: 0",
        "Content-Length: 0, 4",
        "Content-Length: +0",
        "Content-Length: -1",
        "Content-Length : 0",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: \u000bchunked",
        "Transfer-Encoding : chunked",
        "X: y\rTransfer-Encoding: chunked",
      })
  void aRequestOfAmbiguousLengthIsRefused(String header) throws Exception {
    isRefused(HEAD + header + "\r\n\r\n0\r\n\r\n" + SMUGGLED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\r", "\0", "\u001f", "\u007f"})
  void aLongValueWithAControlCharacterIsRefused(String control) throws Exception {
    for (int at : new int[] {1, 64, 97}) {
      isRefused(HEAD + "X: " + "y".repeat(at) + control + "z".repeat(100 - at)
          + "\r\nContent-Length: 0\r\n\r\n" + SMUGGLED);
    }
  }

  @Test
  void aLongValueMayHaveTabs() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(HEAD + "Connection: close\r\nX: " + "y".repeat(100) + "\tz\r\nContent-Length: "
          + CALL.length() + "\r\n\r\n" + CALL);
      assertThat(raw.rest()).contains("\"result\"");
    }
  }

  @Test
  void anOldClientSendsNoChunks() throws Exception {
    isRefused(HEAD.replace("HTTP/1.1", "HTTP/1.0")
        + "Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "0 \n\r\n", "0;a=\n\r\n", "-1\r\n\r\n", "0x1\r\nx\r\n"})
  void chunksThatAreNotDelimitedAsTheyShouldBeAreRefused(String chunks) throws Exception {
    isRefused(HEAD + "Transfer-Encoding: chunked\r\n\r\n" + chunks + SMUGGLED);
  }

  @Test
  void linesEndWithBothCarriageReturnAndLineFeed() throws Exception {
    isRefused(HEAD.replace("\r\n", "\n") + "Content-Length: 0\n\n" + SMUGGLED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X: y\r\n Transfer-Encoding: chunked",
        "X: y\r\n\tz",
        "X: y\r\n \r\nA: b",
        "Transfer-Encoding:\r\n chunked",
      })
  void aHeaderLineThatGoesOnInTheNextIsRefused(String header) throws Exception {
    isRefused(HEAD + header + "\r\n\r\n0\r\n\r\n" + SMUGGLED);
    isRefused(HEAD.replaceFirst("\r\n", "\r\n ") + header + "\r\n\r\n" + SMUGGLED);
  }

  @Test
  void aHeaderLineThatGoesOnIsRefusedWhereverItIsSplit() throws Exception {
    String request = HEAD + "X: y\r\n z\r\nContent-Length: " + CALL.length() + "\r\n\r\n";
    for (int i = HEAD.length(); i < request.length(); i++) {
      try (RawConnection raw = new RawConnection(server)) {
        raw.socket().setTcpNoDelay(true);
        raw.send(request.substring(0, i));
        raw.send(request.substring(i));
        assertThat(raw.rest()).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.1 ");
      }
    }
  }

  @Test
  void aBodyMayHaveLinesThatBeginWithBlanks() throws Exception {
    String call = CALL.replace(",", ",\r\n ");
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(RawConnection.post(call) + RawConnection.post(" " + call));
      assertThat(raw.body()).contains("\"result\":19");
      assertThat(raw.body()).contains("\"result\":19");
      String chunk = Integer.toHexString(call.length()) + "\r\n" + call + "\r\n";
      raw.send(RawConnection.chunkedPost() + chunk + "1\r\n \r\n0\r\n\r\n");
      assertThat(raw.body()).contains("\"result\":19");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip, chunked", "GZIP,chunked", "deflate, gzip, chunked"})
  void aTransferEncodingThatIsNotChunkedAloneIsNotImplemented(String coding) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(HEAD + "Transfer-Encoding: " + coding + "\r\n\r\n0\r\n\r\n" + SMUGGLED);
      assertThat(raw.rest()).startsWith("HTTP/1.1 501 ").containsOnlyOnce("HTTP/1.1 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.0"})
  void anotherVersionOfHttpInTheRequestLineIsNotServed(String version) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(SMUGGLED.replace("HTTP/1.1", version) + SMUGGLED);
      assertThat(raw.rest()).startsWith("HTTP/1.1 505 ").containsOnlyOnce("HTTP/1.1 ");
    }
  }
}
