package dev.repartee.mcp.client.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.mcp.TestServer;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import dev.repartee.transport.http.HttpSender;
import dev.repartee.transport.http.HttpTransport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the two senders of HTTP requests: the JDK sender and the sender of the installed transport.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HttpSendersTest {
  enum Kind {
    JDK,
    TRANSPORT
  }

  private HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private static HttpSender sender(Kind kind, String uri) throws IOException {
    if (kind == Kind.JDK) {
      return new JdkSender(URI.create(uri));
    }
    Endpoint endpoint = Endpoint.parse(uri);
    HttpTransport transport = (HttpTransport) Transport.of(endpoint);
    HttpSender sender = transport.sender(endpoint, Limits.DEFAULT);
    assertThat(sender).isNotNull();
    return sender;
  }

  private interface Script {
    void answer(HttpExchange http) throws Exception;
  }

  private void script(Script script) {
    server.createContext("/", http -> {
      try {
        script.answer(http);
      } catch (Exception e) {
        http.close();
      }
    });
  }

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/a";
  }

  private static HttpSender.Request request(String method, String body, @Nullable Duration time) {
    byte[] bytes = ("xx" + body + "yy").getBytes(UTF_8);
    return new HttpSender.Request(
        method, "/a?b=c", Headers.NONE.with("X-One", "1"), bytes, 2, bytes.length - 2, time);
  }

  /** Keeps an answer. */
  private static class Kept implements HttpSender.Answer {
    final BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
    final CompletableFuture<@Nullable Throwable> end = new CompletableFuture<>();
    volatile int status;
    volatile Map<String, List<String>> headers = Map.of();
    volatile boolean takes = true;

    @Override
    public void head(int status, Map<String, List<String>> headers) {
      this.status = status;
      this.headers = headers;
    }

    @Override
    public boolean content(byte[] bytes, int from, int to) {
      pieces.add(new String(bytes, from, to - from, UTF_8));
      return takes;
    }

    @Override
    public void end(@Nullable Throwable cause) {
      assertThat(end.complete(cause)).as("the end is reported once").isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTargetNeverNamesAnotherServer(Kind kind) throws Exception {
    script(http -> http.sendResponseHeaders(204, -1));
    try (ServerSocket stranger = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpSender sender = sender(kind, uri())) {
      String target = "//127.0.0.1:" + stranger.getLocalPort() + "/steal";
      Kept kept = new Kept();
      sender.send(
          new HttpSender.Request("GET", target, Headers.NONE, new byte[0], 0, 0, null), kept);

      assertThat(kept.end.get()).isNull();
      assertThat(kept.status).isEqualTo(204);
    }
  }

  @ParameterizedTest
  @EnumSource
  void requestsArriveAsTheyAre(Kind kind) throws Exception {
    script(http -> {
      String body = new String(http.getRequestBody().readAllBytes(), UTF_8);
      http.getResponseHeaders().add("X-Two", "2");
      http.getResponseHeaders().add("X-Two", "3");
      byte[] said = (http.getRequestMethod() + " " + http.getRequestURI() + " "
              + http.getRequestHeaders().getFirst("X-One") + " " + body)
          .getBytes(UTF_8);
      http.sendResponseHeaders(body.isEmpty() ? 404 : 200, said.length);
      http.getResponseBody().write(said);
      http.close();
    });
    try (HttpSender sender = sender(kind, uri())) {
      for (String method : List.of("POST", "GET", "DELETE", "POST")) {
        Kept answer = new Kept();
        String body = method.equals("POST") ? "{}" : "";
        sender.send(request(method, body, null), answer);

        assertThat(answer.end.get()).isNull();
        assertThat(answer.status).isEqualTo(method.equals("POST") ? 200 : 404);
        assertThat(answer.headers.get("x-two")).containsExactly("2", "3");
        assertThat(String.join("", answer.pieces)).isEqualTo(method + " /a?b=c 1 " + body);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStreamIsReadPieceByPieceAndWaitsForItsReader(Kind kind) throws Exception {
    CountDownLatch more = new CountDownLatch(1);
    script(http -> {
      http.sendResponseHeaders(200, 0);
      OutputStream out = http.getResponseBody();
      out.write("one".getBytes(UTF_8));
      out.flush();
      more.await();
      out.write("two".getBytes(UTF_8));
      http.close();
    });
    try (HttpSender sender = sender(kind, uri())) {
      Kept answer = new Kept();
      answer.takes = false;
      HttpSender.Sent sent = sender.send(request("GET", "", null), answer);
      assertThat(answer.pieces.poll(30, TimeUnit.SECONDS)).isEqualTo("one");
      more.countDown();
      assertThat(answer.end.isDone()).isFalse();

      answer.takes = true;
      sent.readOn();

      assertThat(answer.end.get()).isNull();
      assertThat(String.join("", answer.pieces)).isEqualTo("two");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCancelledRequestEndsItsConnection(Kind kind) throws Exception {
    CompletableFuture<Boolean> broken = new CompletableFuture<>();
    script(http -> {
      http.sendResponseHeaders(200, 0);
      OutputStream out = http.getResponseBody();
      try {
        while (true) {
          out.write("piece".getBytes(UTF_8));
          out.flush();
        }
      } catch (IOException e) {
        broken.complete(true);
      }
    });
    try (HttpSender sender = sender(kind, uri())) {
      Kept answer = new Kept();
      HttpSender.Sent sent = sender.send(request("GET", "", null), answer);
      assertThat(answer.pieces.poll(30, TimeUnit.SECONDS)).isNotNull();

      sent.cancel();

      assertThat(broken.get()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatBreaksOffEndsWithAReason(Kind kind) throws Exception {
    script(http -> {
      http.sendResponseHeaders(200, 100);
      http.getResponseBody().write("half".getBytes(UTF_8));
      http.getResponseBody().flush();
      throw new IOException("over");
    });
    try (HttpSender sender = sender(kind, uri())) {
      Kept answer = new Kept();
      sender.send(request("GET", "", null), answer);

      assertThat(answer.end.get()).isNotNull();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatIsNotHttpClosesItsConnection(Kind kind) throws Exception {
    try (ServerSocket broken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpSender sender = sender(kind, "http://127.0.0.1:" + broken.getLocalPort() + "/")) {
      Kept answer = new Kept();
      sender.send(request("POST", "{}", null), answer);
      try (RawConnection mcp = new RawConnection(broken.accept())) {
        mcp.head();
        mcp.send("HTTP/1.1 two hundred\r\n\r\n");

        assertThat(answer.end.get()).isNotNull();
        assertThat(mcp.rest()).isIn("{}", RawConnection.RESET, "{}" + RawConnection.RESET);
      }
    }
  }

  private static int bound(Socket socket) throws IOException {
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket.getLocalPort();
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatIsNotThereOrSilentIsReported(Kind kind) throws Exception {
    try (Socket taken = new Socket(); // a bound port without a listener
        HttpSender sender = sender(kind, "http://127.0.0.1:" + bound(taken) + "/")) {
      Kept answer = new Kept();
      sender.send(request("GET", "", null), answer);
      assertThat(answer.end.get())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(
              "cannot connect to http://127.0.0.1:" + taken.getLocalPort() + "/: ")
          .hasMessageContaining("refused")
          .hasMessageEndingWith("; is something listening there?");
    }
    CountDownLatch never = new CountDownLatch(1);
    script(http -> never.await());
    try (HttpSender sender = sender(kind, uri())) {
      Kept answer = new Kept();
      sender.send(request("GET", "", Duration.ofSeconds(2)), answer); // connects within the time
      assertThat(answer.end.get()).hasMessageContaining("has not answered within");
    }
    never.countDown();
  }

  @ParameterizedTest
  @EnumSource
  void aChannelCallsAServer(Kind kind) throws Exception {
    try (Server mcp = TestServer.builder().build().listen("http://127.0.0.1:0/mcp")) {
      String uri = mcp.endpoint().toString();
      StreamableHttpChannel channel = new StreamableHttpChannel(
          URI.create(uri), Headers.NONE, null, Limits.DEFAULT, sender(kind, uri));
      channel.revision("2026-07-28", true);
      try (Peer peer = Peer.open(channel, Service.NONE, Options.DEFAULT)) {
        Json found = peer.request("server/discover")
            .params(Json.parse("{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                + "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}"))
            .call(Json.class);
        assertThat(found.get("supportedVersions")).isEqualTo(Json.of(List.of("2026-07-28")));
      }
    }
  }
}
