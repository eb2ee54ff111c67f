package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.PeerFactory;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests that an {@link HttpService} answers. */
@Timeout(60)
class HttpServiceTest {
  private static final Map<String, String> PLAIN = Map.of("content-type", "text/plain");
  private static final String EVENTS = "Accept: text/event-stream";

  /** A request and its reply, as the service received them. */
  private record Asked(HttpRequest request, HttpReply reply) {}

  private final BlockingQueue<Asked> asked = new ArrayBlockingQueue<>(16);
  private final CountDownLatch closing = new CountDownLatch(1);
  private @Nullable Server server;

  private Server listen(String options, Limits limits) throws Exception {
    HttpService service = (request, reply) -> asked.add(new Asked(request, reply));
    PeerFactory reception = new PeerFactory() {
      @Override
      public Peer open(Channel channel) {
        Service echo = Service.builder().method("echo", call -> call.params()).build();
        return Peer.open(channel, echo, Options.DEFAULT);
      }

      @Override
      public HttpService http(String path) {
        return service;
      }

      @Override
      public void closing() {
        closing.countDown();
      }
    };
    server = Repartee.listen(
        "http://127.0.0.1:0/mine" + options,
        reception,
        Options.builder().limits(limits).build());
    return server;
  }

  private RawConnection connect() throws Exception {
    return new RawConnection(listen("", Limits.DEFAULT));
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close(Duration.ofSeconds(1));
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void theServiceGetsTheRequestUnchangedForAnyMethodAndPath() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send("DELETE /a%20b/c?x=1?y HTTP/1.1\r\nHost: localhost\r\nX-One: 1\r\nx-one: 2\r\n"
          + "Content-Length: 3\r\n\r\nabc");
      Asked first = asked.take();
      assertThat(first.request.method()).isEqualTo("DELETE");
      assertThat(first.request.path()).isEqualTo("/a%20b/c");
      assertThat(first.request.query()).isEqualTo("x=1?y");
      assertThat(first.request.header("X-ONE")).isEqualTo("1, 2");
      assertThat(first.request.header("none")).isNull();
      assertThat(first.request.body()).isEqualTo(utf8("abc"));
      assertThat(first.request.channel().transport()).isEqualTo("http");
      assertThat(first.reply.answer(
              418, Map.of("content-type", "text/plain", "x-two", "2"), utf8("no")))
          .isTrue();
      assertThat(raw.head()).startsWith("HTTP/1.1 418 ").contains("x-two: 2\r\n");
      assertThat(raw.bytes(2)).isEqualTo("no");
      assertThat(first.reply.answer(200, PLAIN, utf8("yes"))).isFalse();
      assertThat(first.reply.stream(Map.of())).isFalse();
      assertThatExceptionOfType(DisconnectedException.class)
          .isThrownBy(() -> first.reply.send(HttpReply.Event.of(utf8("late"))));
    }
  }

  @Test
  void aStreamIsItsEventsWithAllTheirFields() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("{}", EVENTS));
      HttpReply reply = asked.take().reply;
      assertThat(reply.takesEvents()).isTrue();
      assertThat(reply.stream(Map.of("x-session", "s"))).isTrue();
      assertThat(raw.head()).startsWith("HTTP/1.1 200 ").contains("x-session: s\r\n");
      reply.send(new HttpReply.Event("1", "greeting", Duration.ofMillis(30), utf8("a\nb")));
      assertThat(raw.chunk()).isEqualTo("id: 1\nevent: greeting\nretry: 30\ndata: a\ndata: b\n\n");
      reply.send(HttpReply.Event.of(new byte[0]).withId("2"));
      assertThat(raw.chunk()).isEqualTo("id: 2\ndata: \n\n");
      assertThat(reply.answer(200, PLAIN, utf8("whole"))).isFalse();
      reply.end();
      assertThat(raw.chunk()).isEmpty();
      reply.end();
      raw.send(post("{}")); // the connection continues
      asked.take().reply.end();
      assertThat(raw.head()).startsWith("HTTP/1.1 204 ");
    }
  }

  @Test
  void aClientThatDoesNotAcceptEventsGetsNone() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("{}", "Accept: application/json"));
      HttpReply reply = asked.take().reply;
      assertThat(reply.takesEvents()).isFalse();
      assertThat(reply.stream(Map.of())).isFalse();
      assertThat(reply.answer(200, PLAIN, utf8("whole"))).isTrue();
      assertThat(raw.head()).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void answersComeInTheOrderOfTheRequests() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("1") + post("2"));
      Asked first = asked.take();
      asked.take().reply.answer(200, PLAIN, utf8("second"));
      first.reply.answer(200, PLAIN, utf8("first"));
      raw.head();
      assertThat(raw.bytes(5)).isEqualTo("first");
      raw.head();
      assertThat(raw.bytes(6)).isEqualTo("second");
    }
  }

  @Test
  void theServiceIsNotifiedWhenTheClientDisconnects() throws Exception {
    CountDownLatch gone = new CountDownLatch(1);
    HttpReply reply;
    try (RawConnection raw = connect()) {
      raw.send(post("{}", EVENTS));
      reply = asked.take().reply;
      reply.stream(Map.of());
      raw.head();
      reply.onGone(gone::countDown);
    }
    gone.await();
    CountDownLatch late = new CountDownLatch(1);
    reply.onGone(late::countDown);
    late.await();
    assertThatExceptionOfType(DisconnectedException.class)
        .isThrownBy(() -> reply.send(HttpReply.Event.of(utf8("nobody"))));
  }

  @Test
  void aClientThatDoesNotReadIsCutOff() throws Exception {
    Limits small = Limits.builder().outboundBytes(64 << 10).build();
    try (RawConnection raw = new RawConnection(listen("", small))) {
      raw.send(post("{}", EVENTS));
      HttpReply reply = asked.take().reply;
      reply.stream(Map.of());
      byte[] large = new byte[1 << 20];
      Arrays.fill(large, (byte) 'x');
      assertThatExceptionOfType(DisconnectedException.class).isThrownBy(() -> {
        for (int i = 0; i < 1_000; i++) {
          reply.send(HttpReply.Event.of(large));
        }
      });
    }
  }

  @Test
  void theEventsThatAClientHasNotReadLeaveTogether() throws Exception {
    try (RawConnection raw =
        new RawConnection(listen("", Limits.builder().outboundBytes(256 << 10).build()))) {
      raw.send(post("{}", EVENTS));
      HttpReply reply = asked.take().reply;
      reply.stream(Map.of());
      raw.head();
      int events = 0;
      while (reply.awaitRoom(0, TimeUnit.SECONDS)) {
        assertThat(reply.stream(Map.of())).isTrue();
        reply.send(HttpReply.Event.of(utf8("x".repeat(100))));
        events++;
      }
      reply.end();
      List<Integer> chunks = new ArrayList<>();
      for (String chunk = raw.chunk(); !chunk.isEmpty(); chunk = raw.chunk()) {
        assertThat(chunk).matches("(data: x{100}\n\n)+");
        chunks.add(chunk.length() / 108);
      }
      assertThat(chunks.stream().mapToInt(Integer::intValue).sum()).isEqualTo(events);
      // 1,000 events were in the queue at the end: one batch was being sent, the rest waited.
      assertThat(chunks.get(chunks.size() - 2)).isGreaterThan(100);
    }
  }

  @Test
  void foreignPagesAndHeadAndBodiesThatAreTooLargeNeverReachTheService() throws Exception {
    try (RawConnection raw =
        new RawConnection(listen("", Limits.builder().frameBytes(1_000).build()))) {
      raw.send(post("{}", "Origin: http://evil.example"));
      assertThat(raw.head()).startsWith("HTTP/1.1 403 ");
    }
    try (RawConnection raw = new RawConnection(Objects.requireNonNull(server))) {
      raw.send("HEAD /mine HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(raw.head()).startsWith("HTTP/1.1 405 ");
      raw.send(post("x".repeat(1_000)));
      assertThat(raw.head()).startsWith("HTTP/1.1 413 ");
    }
    assertThat(asked).isEmpty();
  }

  @Test
  void aBodyIsDecompressed() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(utf8("plain"));
    }
    try (RawConnection raw = connect()) {
      raw.send(
          "POST /mine HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: "
              + packed.size() + "\r\n\r\n");
      raw.send(packed.toByteArray());
      assertThat(asked.take().request.body()).isEqualTo(utf8("plain"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "DELETE"})
  void aPageOfAListedOriginMayUseAnyMethodAndHeader(String method) throws Exception {
    try (RawConnection raw =
        new RawConnection(listen("#origins=https://a.example", Limits.DEFAULT))) {
      raw.send("OPTIONS /mine HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a.example\r\n"
          + "Access-Control-Request-Method: " + method + "\r\n"
          + "Access-Control-Request-Headers: x-session\r\n\r\n");
      assertThat(raw.head())
          .startsWith("HTTP/1.1 204 ")
          .contains(
              "access-control-allow-methods: " + method, "access-control-allow-headers: x-session");
      raw.send(post("{}", "Origin: https://a.example"));
      asked.take().reply.answer(200, Map.of("x-session", "s"), utf8("x"));
      assertThat(raw.head())
          .contains("access-control-allow-origin: https://a.example")
          .contains("access-control-expose-headers: x-session");
    }
  }

  @Test
  void webSocketsStillOpenPeers() throws Exception {
    String uri = listen("", Limits.DEFAULT).endpoint().toString().replace("http:", "ws:");
    try (Peer peer = Repartee.connect(uri)) {
      assertThat(peer.call("echo", String[].class, "a")).containsExactly("a");
    }
  }

  @Test
  void closingNotifiesTheServiceAndWaitsForItsAnswers() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("{}"));
      HttpReply reply = asked.take().reply;
      Thread closer = new Thread(() -> Objects.requireNonNull(server).close());
      closer.start();
      closing.await();
      reply.answer(200, PLAIN, utf8("last"));
      assertThat(raw.head()).startsWith("HTTP/1.1 200 ");
      assertThat(raw.bytes(4)).isEqualTo("last");
      closer.join();
      assertThat(raw.rest())
          .as("the end, announced before or after the answer")
          .matches("(HTTP/1.1 408 (?s).*)?");
    }
  }
}
