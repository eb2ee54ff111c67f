package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.HttpRoutes;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HEAD: the fields of GET and never a body (RFC 9110 sections 8.6 and 9.3.2). */
@Timeout(60)
class HttpHeadTest {
  private Server server;

  @BeforeEach
  void serve() throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0",
        HttpRoutes.builder()
            .health("/health")
            .filter(request -> switch (request.path()) {
              case "/page" -> HttpResponse.text(200, "A page.");
              case "/own" ->
                request.method().equals("HEAD")
                    ? HttpResponse.empty(200)
                    : HttpResponse.text(200, "A page.");
              default -> null;
            })
            .at("/rpc", Service.NONE)
            .at("/service", (request, reply) -> reply.answer(200, Map.of(), new byte[9]))
            .build());
  }

  @AfterEach
  void close() {
    server.close();
  }

  private static String request(String method, String path, String... fields) {
    String host = Arrays.toString(fields).contains("Host: ") ? "" : "Host: localhost\r\n";
    return method + " " + path + " HTTP/1.1\r\n" + host + String.join("\r\n", fields)
        + (fields.length == 0 ? "" : "\r\n") + "\r\n";
  }

  private static List<String> fields(String answer) {
    return answer
        .substring(0, answer.indexOf("\r\n\r\n"))
        .lines()
        .filter(line -> !line.startsWith("date:"))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health", "/page", "/none", "/rpc"})
  void theFieldsAreThoseOfGetAndNoBodyFollows(String path) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      String get = raw.send(request("GET", path)).answer();
      assertThat(get).contains("content-length: ").doesNotContain("content-length: 0");
      raw.send(request("HEAD", path) + request("GET", path));
      assertThat(fields(raw.head())).isEqualTo(fields(get));
      assertThat(raw.answer()).isEqualTo(get);
    }
  }

  @Test
  void aForeignHostIsRefusedWithoutABody() throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      String get = raw.send(request("GET", "/rpc", "Host: evil.example")).answer();
      raw.send(request("HEAD", "/rpc", "Host: evil.example") + request("GET", "/health"));
      assertThat(fields(raw.head())).isEqualTo(fields(get)).contains("HTTP/1.1 403 Forbidden");
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/own", "/service"})
  void theLengthIsAbsentIfThatOfGetIsNotKnown(String path) throws Exception {
    try (RawConnection raw = new RawConnection(server)) {
      raw.send(request("HEAD", path) + request("GET", "/health"));
      assertThat(raw.head()).startsWith("HTTP/1.1 ").doesNotContain("content-length");
      assertThat(raw.answer()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void anErrorThatEndsTheConnectionHasNoBody() throws Exception {
    String large = "X-A: " + "x".repeat(100_000);
    for (String wrong : List.of(
        "HEAD /rpc HTTP/1.2\r\nHost: localhost\r\n\r\n",
        request("HEAD", "/rpc", "Transfer-Encoding: gzip"),
        request("HEAD", "/rpc", "Content-Length: 3"),
        request("HEAD", "/rpc", large))) {
      try (RawConnection raw = new RawConnection(server)) {
        raw.send(wrong);
        assertThat(raw.head()).matches("(?s)HTTP/1.1 [45].*");
        assertThat(raw.isOver()).as(wrong).isTrue();
      }
    }
  }
}
