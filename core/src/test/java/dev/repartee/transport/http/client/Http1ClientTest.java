package dev.repartee.transport.http.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.internal.FakeClock;
import dev.repartee.transport.http.client.RawServer.Connection;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http1ClientTest {
  private final Http1Client client = new Http1Client(Duration.ofSeconds(20));
  private RawServer server;

  @BeforeEach
  void start() throws IOException {
    server = new RawServer();
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.uri(path));
  }

  private CompletableFuture<HttpResponse<String>> get() {
    return client.sendAsync(request("/").build(), BodyHandlers.ofString(ISO_8859_1));
  }

  // ---------------------------------------------------------------- requests

  @Test
  void aRequestNamesItsHostAndItsLength() throws Exception {
    CompletableFuture<HttpResponse<String>> response = client.sendAsync(
        request("/a/b?c=d%20e")
            .header("X-One", "1")
            .POST(BodyPublishers.ofString("body"))
            .build(),
        BodyHandlers.ofString());
    try (Connection connection = server.accept()) {
      assertThat(connection.head())
          .startsWith("POST /a/b?c=d%20e HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\n")
          .contains("\r\nX-One: 1\r\n", "\r\nContent-Length: 4\r\n");
      assertThat(connection.bytes(4)).isEqualTo("body");
      connection.send("HTTP/1.1 201 Created|X-Two: 2|x-two:3 |Content-Length: 2||ok");

      assertThat(response.get().statusCode()).isEqualTo(201);
      assertThat(response.get().headers().allValues("X-Two")).containsExactly("2", "3");
      assertThat(response.get().body()).isEqualTo("ok");
    }
  }

  @ParameterizedTest
  @CsvSource({"GET, false", "DELETE, false", "POST, true", "PUT, true"})
  void aRequestWithoutBodyHasALengthIfItsMethodUsuallyHasABody(String method, boolean hasLength)
      throws Exception {
    HttpRequest empty = request("").method(method, BodyPublishers.noBody()).build();
    CompletableFuture<?> response = client.sendAsync(empty, BodyHandlers.discarding());
    try (Connection connection = server.accept()) {
      String head = connection.head();
      assertThat(head).startsWith(method + " / HTTP/1.1\r\n");
      assertThat(head.contains("Content-Length: 0")).isEqualTo(hasLength);
      connection.send("HTTP/1.1 204 No Content||");
      assertThat(response.get()).isNotNull();
    }
  }

  @Test
  void anAddressOfIpv6HasBrackets() throws Exception {
    InetAddress loopback = InetAddress.getByName("::1");
    try (RawServer six = new RawServer(loopback)) {
      CompletableFuture<?> response = client.sendAsync(
          HttpRequest.newBuilder(URI.create("http://[::1]:" + six.port() + "/")).build(),
          BodyHandlers.discarding());
      try (Connection connection = six.accept()) {
        assertThat(connection.head()).contains("\r\nHost: [::1]:" + six.port() + "\r\n");
        connection.send("HTTP/1.1 204 No Content||");
        assertThat(response.get()).isNotNull();
      }
    }
  }

  // ---------------------------------------------------------------- answers

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK|Content-Length: 4||body",
        "HTTP/1.1 200|content-length:4||body",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||3;a=b|bod|01|y|0|X-Trailer: 1||",
        "HTTP/1.1 100 Continue||HTTP/1.1 103 Early Hints|Link: a||"
            + "HTTP/1.1 200 OK|Content-Length: 4||body",
        "HTTP/1.1 200 OK\nContent-Length: 4\n\nbody",
      })
  void anAnswerHasABodyWhoseEndIsKnown(String answer) throws Exception {
    CompletableFuture<HttpResponse<String>> response = get();
    try (Connection connection = server.accept()) {
      connection.head();
      for (char piece : answer.toCharArray()) {
        connection.send(String.valueOf(piece));
      }
      assertThat(response.get().body()).isEqualTo("body");
      assertThat(response.get().statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aBodyMayEndWithItsConnection() throws Exception {
    CompletableFuture<HttpResponse<String>> response = get();
    server.answer("HTTP/1.0 200 OK||body").close();
    assertThat(response.get().body()).isEqualTo("body");
  }

  @ParameterizedTest
  @CsvSource({"HEAD, 200", "GET, 204", "GET, 304"})
  void someAnswersHaveNoBodyWhateverTheirLengthIs(String method, int status) throws Exception {
    CompletableFuture<HttpResponse<String>> response = client.sendAsync(
        request("/").method(method, BodyPublishers.noBody()).build(), BodyHandlers.ofString());
    try (Connection connection = server.accept()) {
      connection.head();
      connection.send("HTTP/1.1 " + status + " |Content-Length: 100||");
      assertThat(response.get().body()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0001garbage||",
        "HTTP/2 200 garbage||",
        "HTTP/1.1 garbage||",
        "HTTP/1.1 2000 garbage||",
        "HTTP/1.1 101 garbage||",
        "HTTP/1.1 200 OK|garbage||",
        "HTTP/1.1 200 OK|garbage : a||",
        "HTTP/1.1 200 OK|A: b| garbage||",
        "HTTP/1.1 200 OK|A: garbage\u0000||",
        "HTTP/1.1 200 OK|Content-Length: garbage||",
        "HTTP/1.1 200 OK|Content-Length: -1||",
        "HTTP/1.1 200 OK|Content-Length: 9999999999999999999999||",
        "HTTP/1.1 200 OK|Content-Length: 1|Content-Length: 2||",
        "HTTP/1.1 200 OK|Content-Length: 1|Transfer-Encoding: chunked||0||",
        "HTTP/1.1 200 OK|Transfer-Encoding: garbage||",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||garbage|",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||-1|",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1|agarbage|",
      })
  void anInvalidAnswerClosesItsConnection(String answer) throws Exception {
    CompletableFuture<HttpResponse<String>> response = get();
    try (Connection connection = server.answer(answer)) {
      assertThatThrownBy(response::get)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining("answer")
          .message()
          .doesNotContain("garbage");
      assertThat(connection.isOver()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 200 O",
        "HTTP/1.1 200 OK|A: b|",
        "HTTP/1.1 200 OK|Content-Length: 4||bod",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||4|bod",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||4|body|0|",
      })
  void aTruncatedAnswerFails(String answer) throws Exception {
    CompletableFuture<HttpResponse<String>> response = get();
    server.answer(answer).close();
    assertThatThrownBy(response::get)
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("the connection was closed before the end of the answer");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK|;X-Field: some value|",
        "HTTP/1.1 200 OK|X-Field: ;some value",
        ";some status",
        ";HTTP/1.1 100 Continue||",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||1;;extension",
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||0|;X-Field: some value|",
      })
  void anEndlessHeadClosesItsConnection(String answer) throws Exception {
    CompletableFuture<HttpResponse<String>> response = get();
    int repeated = answer.lastIndexOf(';');
    try (Connection connection = server.answer(answer.substring(0, repeated))) {
      String more = answer.substring(repeated + 1).repeat(1_000);
      assertThatThrownBy(() -> {
            while (true) {
              connection.send(more);
            }
          })
          .as("the client closes the connection")
          .isInstanceOf(IOException.class);
    }
    assertThatThrownBy(response::get)
        .hasMessageContaining("the head of the answer has more than 65536 bytes");
  }

  @Test
  void aBodyIsReadAsItsReceiverRequests() throws Exception {
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();
    CompletableFuture<HttpResponse<Void>> response =
        client.sendAsync(request("/").build(), head -> new HttpResponse.BodySubscriber<>() {
          private final CompletableFuture<Void> body = new CompletableFuture<>();

          @Override
          public CompletionStage<Void> getBody() {
            return body;
          }

          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscribed.complete(subscription);
          }

          @Override
          public void onNext(List<ByteBuffer> pieces) {
            pieces.forEach(piece -> received.add(ISO_8859_1.decode(piece).toString()));
            Thread.currentThread().interrupt(); // a careless receiver
          }

          @Override
          public void onError(Throwable failure) {
            body.completeExceptionally(failure);
          }

          @Override
          public void onComplete() {
            body.complete(null);
          }
        });
    try (Connection connection = server.accept()) {
      connection.head();
      connection.send("HTTP/1.1 200 OK|Transfer-Encoding: chunked||3|one|3|two|0||");
      Flow.Subscription subscription = subscribed.get();
      assertThat(received).isEmpty();
      subscription.request(1);
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("one");
      assertThat(received).isEmpty();
      assertThat(response).isNotDone();
      subscription.request(Long.MAX_VALUE);
      assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("two");
      assertThat(response.get()).isNotNull();
    }
  }

  @Test
  void aRefusalCountsEvenIfTheServerDoesNotReadTheRequest() throws Exception {
    CompletableFuture<HttpResponse<String>> response = client.sendAsync(
        request("/").POST(BodyPublishers.ofByteArray(new byte[16 << 20])).build(),
        BodyHandlers.ofString());
    server.answer("HTTP/1.1 413 Too Large|Content-Length: 0||").close();
    assertThat(response.get().statusCode()).isEqualTo(413);
  }

  /** The JDK limits direct memory to the size of the heap, for all threads together. */
  @Test
  void aLargeRequestNeedsLittleDirectMemory() throws Exception {
    int piece = 1 << 20;
    int size = 32 * piece; // larger than the buffers of other tests
    long before = directBytes();
    CompletableFuture<HttpResponse<String>> response = client.sendAsync(
        request("/").POST(BodyPublishers.ofByteArray(new byte[size])).build(),
        BodyHandlers.ofString());
    try (Connection connection = server.accept()) {
      connection.head();
      for (int i = 0; i < size / piece; i++) {
        assertThat(connection.bytes(piece)).hasSize(piece);
      }
      assertThat(directBytes() - before).isLessThan(size / 4);
      connection.send("HTTP/1.1 204 No Content||");
      assertThat(response.get().statusCode()).isEqualTo(204);
    }
  }

  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  // ---------------------------------------------------------------- the end

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 200 OK|Content-Le"})
  void aStalledAnswerClosesItsConnectionAfterTheTimeOut(String answer) throws Exception {
    FakeClock clock = new FakeClock();
    Http1Client timed =
        new Http1Client(Duration.ofSeconds(20), task -> new Thread(task).start(), clock);
    CompletableFuture<?> response = timed.sendAsync(
        request("/").timeout(Duration.ofSeconds(1)).build(), BodyHandlers.ofString());
    try (Connection connection = server.accept()) {
      connection.send(answer);
      clock.advance(Duration.ofSeconds(1));
      assertThatThrownBy(response::get).hasCauseInstanceOf(HttpTimeoutException.class);
      connection.awaitEnd();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 200 OK|Content-Le",
        "HTTP/1.1 200 OK|Content-Length: 100||",
        "HTTP/1.1 200 OK||body",
      })
  void aCancelledRequestClosesItsConnection(String answer) throws Exception {
    CompletableFuture<?> response = get();
    try (Connection connection = server.answer(answer)) {
      response.cancel(true);
      assertThat(connection.isOver()).isTrue();
    }
  }

  @Test
  void aBrokenReceiverClosesTheConnection() throws Exception {
    CompletableFuture<?> response = client.sendAsync(request("/").build(), head -> {
      throw new IllegalStateException("broken");
    });
    try (Connection connection = server.answer("HTTP/1.1 200 OK||")) {
      assertThatThrownBy(response::get).hasMessageContaining("broken");
      assertThat(connection.isOver()).isTrue();
    }
  }

  @Test
  void aHostThatDoesNotListenRefusesTheConnection() throws Exception {
    try (Socket taken = new Socket()) { // so that nothing else can listen there
      taken.bind(new InetSocketAddress("127.0.0.1", 0));
      URI uri = URI.create("http://127.0.0.1:" + taken.getLocalPort() + "/");
      HttpRequest request = HttpRequest.newBuilder(uri).build();
      assertThatThrownBy(() -> client.send(request, BodyHandlers.discarding()))
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void anUnknownHostIsReported() {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://host.invalid/")).build();
    assertThatThrownBy(() -> client.send(request, BodyHandlers.discarding()))
        .isInstanceOf(ConnectException.class)
        .hasMessage("the name of the host is unknown");
  }

  // ---------------------------------------------------------------- idle connections

  @Test
  void aConnectionIsUsedAgain() throws Exception {
    CompletableFuture<HttpResponse<String>> first = get();
    try (Connection connection =
        server.answer("HTTP/1.1 200 OK|Transfer-Encoding: chunked||3|one|0||")) {
      assertThat(first.get().body()).isEqualTo("one");

      CompletableFuture<HttpResponse<String>> second = get();
      connection.head();
      connection.send("HTTP/1.1 200 OK|Content-Length: 3||two");
      assertThat(second.get().body()).isEqualTo("two");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK|Content-Length: 3|Connection: x, Close||one",
        "HTTP/1.0 200 OK|Content-Length: 3||one",
        "HTTP/1.1 200 OK|Content-Length: 3||one HTTP/1.1 200 OK|Content-Length: 6||forged",
      })
  void aConnectionThatIsNotReadyForAnotherRequestIsNotUsedAgain(String answer) throws Exception {
    CompletableFuture<HttpResponse<String>> first = get();
    try (Connection connection = server.answer(answer)) {
      assertThat(first.get().body()).isEqualTo("one");
      assertThat(answered("two")).isEqualTo("two");
      assertThat(connection.isOver()).isTrue();
    }
  }

  @Test
  void aConnectionThatTheServerHasClosedIsNotUsedAgain() throws Exception {
    CompletableFuture<HttpResponse<String>> first = get();
    try (Connection connection = server.accept()) {
      connection.head();
      connection.send("HTTP/1.1 200 OK|Content-Length: 3||one");
      assertThat(first.get().body()).isEqualTo("one");
    }
    assertThat(answered("two")).isEqualTo("two");
  }

  /** Sends a request over a new connection, and returns the body of the answer. */
  private String answered(String body) throws Exception {
    CompletableFuture<HttpResponse<String>> response = get();
    try (Connection connection = server.accept()) {
      connection.head();
      connection.send("HTTP/1.1 200 OK|Content-Length: " + body.length() + "||" + body);
      return response.get().body();
    }
  }
}
