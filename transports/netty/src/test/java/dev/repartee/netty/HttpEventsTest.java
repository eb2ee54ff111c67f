package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpAcceptor;
import dev.repartee.transport.http.server.OriginGuard;
import dev.repartee.transport.http.server.Refusals;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.Route;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests responses with server-sent events. */
class HttpEventsTest {
  private static final String EVENTS = "Accept: text/event-stream";
  private static final String BOTH = "Accept: application/json, text/event-stream";
  private static final String COUNTDOWN = call("countdown", "[2]");
  private static final String LIFTOFF = """
      {"jsonrpc":"2.0","result":"liftoff","id":1}""";

  private final Methods methods = new Methods();
  private @Nullable Server server;

  private static String call(String method, String params) {
    return """
        {"jsonrpc":"2.0","method":"%s","params":%s,"id":1}""".formatted(method, params);
  }

  private static String progress(Object value) {
    return """
        data: {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":1,"value":%s}}

        """.formatted(value);
  }

  private RawConnection connect(String options, Limits limits) throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/" + options,
        methods.service(),
        Options.builder().limits(limits).build());
    return new RawConnection(server);
  }

  private RawConnection connect() throws Exception {
    return connect("", Limits.DEFAULT);
  }

  @AfterEach
  void close() {
    methods.released.countDown();
    if (server != null) {
      server.close();
    }
  }

  private static void isCountdown(RawConnection raw) throws Exception {
    assertThat(raw.head()).startsWith("HTTP/1.1 200 ");
    assertThat(raw.event()).isEqualTo(progress(2));
    assertThat(raw.event()).isEqualTo(progress(1));
    assertThat(raw.event()).isEqualTo("data: " + LIFTOFF + "\n\n");
    assertThat(raw.event()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {EVENTS, BOTH, "Accept: */*, Text/Event-Stream; q=0.1"})
  void progressComesAsEventsAndThenTheAnswer(String accept) throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(COUNTDOWN, accept));
      isCountdown(raw);
      raw.send(post(COUNTDOWN, accept)); // the connection continues
      isCountdown(raw);
    }
  }

  @Test
  void theHeaderKeepsCachesAndProxiesFromCollectingEvents() throws Exception {
    try (RawConnection raw = connect("#origins=https://a.example", Limits.DEFAULT)) {
      raw.send(post(COUNTDOWN, EVENTS, "Origin: https://a.example"));
      assertThat(raw.head())
          .isEqualTo("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
              + "cache-control: no-store\r\nx-accel-buffering: no\r\ntransfer-encoding: chunked\r\n"
              + "access-control-allow-origin: https://a.example\r\nvary: origin\r\n\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {BOTH, "Accept: text/event-stream, */*;q=0.1"})
  void whereNothingIsReportedAClientThatTakesBothGetsJson(String accept) throws Exception {
    try (RawConnection raw = connect()) {
      assertThat(raw.send(post(call("countdown", "[0]"), accept)).answer())
          .contains("content-type: application/json")
          .endsWith("\r\n\r\n" + LIFTOFF);
    }
  }

  @Test
  void aClientThatTakesOnlyEventsGetsItsAnswerAsOne() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(call("countdown", "[0]"), EVENTS));
      assertThat(raw.head()).contains("content-type: text/event-stream");
      assertThat(raw.event()).isEqualTo("data: " + LIFTOFF + "\n\n");
      assertThat(raw.event()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Accept: text/event-stream;q=0", "Accept: */*", "Accept: text/*", "X-None: 1"})
  void aClientThatDoesNotAcceptEventsGetsNone(String accept) throws Exception {
    try (RawConnection raw = connect()) {
      assertThat(raw.send(post(COUNTDOWN, accept)).answer()).endsWith("\r\n\r\n" + LIFTOFF);
    }
  }

  @Test
  void http10GetsNoStream() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(COUNTDOWN, BOTH).replace("HTTP/1.1", "HTTP/1.0"));
      assertThat(raw.answer()).endsWith("\r\n\r\n" + LIFTOFF);
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void whereNothingIsToBeAnsweredNoStreamBegins() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"countdown","params":[3]}""", EVENTS));
      assertThat(raw.answer()).startsWith("HTTP/1.1 204 ");
    }
  }

  @Test
  void theCallsOfABatchReportOneByOneAndAreAnsweredTogether() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("[" + call("countdown", "[1]") + "," + call("countdown", "[1]") + "]", BOTH));
      raw.head();
      assertThat(raw.event()).isEqualTo(progress(1));
      assertThat(raw.event()).isEqualTo(progress(1));
      assertThat(raw.event()).isEqualTo("data: [" + LIFTOFF + "," + LIFTOFF + "]\n\n");
      assertThat(raw.event()).isEmpty();
    }
  }

  @Test
  void eventsWaitUntilEarlierRequestsAreAnswered() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post("""
          {"jsonrpc":"2.0","method":"await","id":0}"""));
      raw.send(post(COUNTDOWN, EVENTS) + post(call("sum", "[1,2]")));
      assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
      methods.released.countDown();
      assertThat(raw.answer()).endsWith("\"result\":\"released\",\"id\":0}");
      isCountdown(raw);
      assertThat(raw.answer()).endsWith("\"result\":3,\"id\":1}");
    }
  }

  @Test
  void aClientThatDisconnectsCancelsItsCall() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(call("tick", "[]"), EVENTS));
      raw.head();
      assertThat(raw.event()).isEqualTo(progress("\"tick\""));
    }
    assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aClientThatDoesNotReadStopsTheReportsAndIsCutOff() throws Exception {
    try (RawConnection raw =
        connect("", Limits.builder().drainTimeout(Duration.ofMillis(300)).build())) {
      raw.send(post(call("flood", "[]"), EVENTS));
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(methods.reported.get()).isLessThan(64 << 20); // the rest: system buffers
    }
  }

  @Test
  void aSlowClientReceivesEveryEvent() throws Exception {
    try (RawConnection raw = connect("", Limits.builder().outboundBytes(1_000).build())) {
      raw.send(post(call("countdown", "[5000]"), EVENTS));
      raw.head();
      for (int i = 5_000; i > 0; i--) {
        assertThat(raw.event()).isEqualTo(progress(i));
      }
      assertThat(raw.event()).isEqualTo("data: " + LIFTOFF + "\n\n");
    }
  }

  @Test
  void aSilentStreamIsKeptAliveByComments() throws Exception {
    EmbeddedChannel channel = embedded();
    channel.freezeTime();
    channel.writeInbound(Unpooled.copiedBuffer(post(call("await", "[]"), BOTH), UTF_8));
    assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(written(channel)).isEmpty();
    pass(channel, EventWriter.SILENCE - 1);
    assertThat(written(channel)).isEmpty();
    pass(channel, 1);
    assertThat(written(channel)).startsWith("HTTP/1.1 200 OK\r\n").endsWith("\r\n: \n\n\r\n");
    pass(channel, EventWriter.SILENCE);
    assertThat(written(channel)).endsWith(": \n\n\r\n").doesNotContain("HTTP");
    channel.close();
    pass(channel, EventWriter.SILENCE);
    assertThat(written(channel)).isEmpty();
  }

  private EmbeddedChannel embedded() {
    FrameResponder responder = FrameResponder.of(
        methods.service(), Options.DEFAULT, new ChannelInfo("http", "", "message"));
    HttpAcceptor acceptor = channel -> {};
    RequestPolicy door = new RequestPolicy(
        Map.of("/", new Route(acceptor, responder, null, null, Set.of())),
        null,
        null,
        new OriginGuard("localhost", Set.of(), Set.of()),
        new Refusals(acceptor),
        null,
        false,
        Limits.DEFAULT);
    HttpConnection connection = new HttpConnection(door);
    EmbeddedChannel channel = new EmbeddedChannel();
    connection.addTo(channel.pipeline());
    return channel;
  }

  private static void pass(EmbeddedChannel channel, long nanos) {
    channel.advanceTimeBy(nanos, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
  }

  private static String written(EmbeddedChannel channel) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf b = channel.readOutbound(); b != null; b = channel.readOutbound()) {
      text.append(b.toString(UTF_8));
      b.release();
    }
    return text.toString();
  }
}
