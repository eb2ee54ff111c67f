package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.Http2Error;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests HTTP/2 with prior knowledge, on the port of HTTP/1.1. */
class Http2ServerTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String CALL = call("subtract", "[42,23]");
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";

  /** The connection preface and the settings of the client, which are empty. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";

  private final Methods methods = new Methods();
  private @Nullable Server server;

  private static String call(String method, String params) {
    return """
        {"jsonrpc":"2.0","method":"%s","params":%s,"id":1}""".formatted(method, params);
  }

  private static String answer(String result) {
    return """
        {"jsonrpc":"2.0","result":%s,"id":1}""".formatted(result);
  }

  private Server serve(Limits limits) throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/",
        methods.service(),
        Options.builder().limits(limits).build());
    return server;
  }

  private Http2Client connect() throws Exception {
    return new Http2Client(serve(Limits.DEFAULT));
  }

  @AfterEach
  void close() {
    methods.released.countDown();
    if (server != null) {
      server.close();
    }
  }

  private void running() throws InterruptedException {
    assertThat(methods.waiting.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aCallIsAnswered() throws Exception {
    try (Http2Client client = connect()) {
      assertThat(client.post(CALL).answer())
          .startsWith("200\n")
          .contains("content-type=application/json")
          .doesNotContain("connection")
          .endsWith("\n" + ANSWER);
    }
  }

  @Test
  void curlIsAnswered() throws Exception {
    Server at = serve(Limits.DEFAULT);
    Process curl;
    try {
      curl = new ProcessBuilder(
              "curl",
              "-sS",
              "--max-time",
              "20",
              "--http2-prior-knowledge",
              "--compressed",
              "-w",
              " %{http_version}",
              "-H",
              "Content-Type: application/json",
              "-d",
              CALL,
              at.endpoint().toString())
          .redirectErrorStream(true)
          .start();
    } catch (IOException e) {
      Assumptions.abort("curl is not installed: " + e.getMessage());
      return;
    }
    String said = new String(curl.getInputStream().readAllBytes(), UTF_8);
    Assumptions.assumeFalse(said.contains("does not support"), said);
    assertThat(said).isEqualTo(ANSWER + " 2");
    assertThat(curl.waitFor()).isZero();
  }

  @Test
  void streamsAreAnsweredAsTheirCallsFinish() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Stream slow = client.post(call("await", "[]"));
      running();
      assertThat(client.post(CALL).answer()).endsWith(ANSWER);
      methods.released.countDown();
      assertThat(slow.answer()).endsWith(answer("\"released\""));
    }
  }

  @Test
  void progressComesAsEvents() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Stream stream =
          client.post(call("countdown", "[1]"), "accept: text/event-stream");
      assertThat(stream.answer())
          .startsWith("200\n")
          .contains("content-type=text/event-stream")
          .endsWith("""

              data: {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":1,"value":1}}

              data: %s

              """.formatted(answer("\"liftoff\"")));
    }
  }

  @Test
  void aLongAnswerIsCompressed() throws Exception {
    try (Http2Client client = connect()) {
      String call = call("echo", "[\"" + "x".repeat(2_000) + "\"]");
      assertThat(client.post(call, "accept-encoding: gzip").answer())
          .contains("content-encoding=gzip")
          .hasSizeLessThan(1_000);
    }
  }

  @Test
  void aResetCancelsTheCallAndNoOther() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Stream stream = client.post(call("linger", "[]"));
      running();
      stream.reset();
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(client.post(CALL).answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aClientThatDisconnectsCancelsItsCalls() throws Exception {
    try (Http2Client client = connect()) {
      client.post(call("linger", "[]"));
      running();
    }
    assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, host: rebound.example, 403",
    "POST, origin: https://evil.example, 403",
    "POST, content-type: text/plain, 415",
    "POST, content-encoding: br, 415",
    "GET, x: y, 405",
  })
  void requestsThatHttp11RefusesAreRefusedToo(String method, String header, String status)
      throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Stream stream = client.open();
      stream.head(HttpMethod.valueOf(method), header);
      stream.rest("");
      assertThat(stream.answer()).startsWith(status + "\n");
      assertThat(client.post(CALL).answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aBodyTooLargeIsRefusedAndTheRestNotWanted() throws Exception {
    try (Http2Client client =
        new Http2Client(serve(Limits.builder().frameBytes(1_000).build()))) {
      Http2Client.Stream stream = client.open();
      stream.head(HttpMethod.POST);
      stream.part(" ".repeat(1_000));
      assertThat(stream.answer()).startsWith("413\n");
      assertThat(stream.next()).isEqualTo("reset NO_ERROR");
      assertThat(client.post(CALL).answer()).endsWith(ANSWER);
    }
  }

  @Test
  void theLimitsAreSentAsSettings() throws Exception {
    try (Http2Client client =
        new Http2Client(serve(Limits.builder().headerBytes(1_000).build()))) {
      assertThat(client.settings.get(60, TimeUnit.SECONDS).maxHeaderListSize()).isEqualTo(1_000);
      assertThat(client.settings.get().maxConcurrentStreams()).isEqualTo(100);
      assertThat(client.post(CALL).answer()).endsWith(ANSWER);
    }
  }

  /** The clients of Go, Java and nghttp2 do so. */
  @Test
  void aClientMayOpenAHundredStreamsBeforeItHasReadTheSettings() throws Exception {
    try (Http2Raw client = new Http2Raw(serve(Limits.DEFAULT))) {
      for (int stream = 1; stream < 200; stream += 2) {
        client.head(stream).body(stream, CALL);
      }
      client.send();
      for (int i = 0; i < 100; i++) {
        assertThat(client.nextEnd().payload()).isEqualTo(ANSWER);
      }
    }
  }

  @Test
  void aStreamPastTheBoundIsRefusedAndTheConnectionGoesOn() throws Exception {
    int bound = 100;
    int past = 300;
    try (Http2Raw client = new Http2Raw(serve(Limits.DEFAULT))) {
      for (int i = 0; i < bound + past; i++) {
        client.head(2 * i + 1);
      }
      for (int i = bound; i < bound + past; i++) {
        client.body(2 * i + 1, CALL);
      }
      client.send();
      Set<Integer> refused = new HashSet<>();
      while (refused.size() < past) {
        Http2Raw.Frame end = client.nextEnd();
        assertThat(end.stream()).isGreaterThan(2 * bound);
        if (refused.add(end.stream())) {
          assertThat(end.error()).isEqualTo((int) Http2Error.REFUSED_STREAM.code());
        } // otherwise the body arrived after the stream was closed
      }
      for (int i = 0; i < bound; i++) {
        client.body(2 * i + 1, CALL);
      }
      client.send();
      int answered = 0;
      while (answered < bound) {
        Http2Raw.Frame end = client.nextEnd();
        if (end.stream() < 2 * bound) {
          assertThat(end.payload()).isEqualTo(ANSWER);
          answered++;
        }
      }
      int next = 2 * (bound + past) + 1;
      client.head(next).body(next, CALL).send();
      assertThat(client.nextEnd().payload()).isEqualTo(ANSWER);
    }
  }

  @Test
  void aBodyThatDoesNotComeInTimeIsRefusedAndOthersAreServed() throws Exception {
    Limits limits = Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build();
    try (Http2Client client = new Http2Client(serve(limits))) {
      Http2Client.Stream stream = client.open();
      stream.head(HttpMethod.POST);
      stream.part("{");
      assertThat(stream.answer()).startsWith("408\n");
      assertThat(stream.next()).isEqualTo("reset NO_ERROR");
      assertThat(client.post(CALL).answer()).endsWith(ANSWER);
    }
  }

  @Test
  void aHeaderThatDoesNotComeInTimeEndsTheConnection() throws Exception {
    Limits limits = Limits.builder().firstByteTimeout(Duration.ofMillis(100)).build();
    String part = "\0\0\1\1\0\0\0\0\1\202"; // of a header block
    try (RawConnection raw = EarlyBytes.send(serve(limits), PREFACE + part)) {
      assertThat(raw.rest()).contains("\4"); // no more than the server's own settings
    }
  }

  @Test
  void thePrefaceMayArriveInParts() throws Exception {
    try (RawConnection raw = new RawConnection(serve(Limits.DEFAULT))) {
      raw.send(PREFACE.substring(0, 12));
      raw.send(PREFACE.substring(12));
      assertThat(raw.bytes(4)).endsWith("\4"); // the server's own settings
    }
  }

  @Test
  void aFloodOfResetsEndsTheConnection() throws Exception {
    String post = "\203\206\204\1\11localhost\17\20\20application/json"; // RFC 7541 appendix A
    try (RawConnection raw = new RawConnection(serve(Limits.DEFAULT))) {
      StringBuilder flood = new StringBuilder(PREFACE);
      for (int i = 0; i < 205; i++) {
        String stream = "\0\0" + (char) (2 * i + 1 >> 8) + (char) (2 * i + 1 & 0xFF);
        flood
            .append("\0\0")
            .append((char) post.length())
            .append("\1\4")
            .append(stream)
            .append(post);
        flood.append("\0\0\4\3\0").append(stream).append("\0\0\0\10");
      }
      raw.send(flood.toString());
      // GOAWAY with the error ENHANCE_YOUR_CALM
      assertThat(raw.rest()).contains("\7\0\0\0\0\0\177\377\377\377\0\0\0\13");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\206\204\1\11localhost", // no :method
        "\203\204\1\11localhost", // no :scheme
        "\203\206\1\11localhost", // no :path
      })
  void aRequestWithoutAMandatoryPseudoHeaderIsAFaultOfItsStream(String header) throws Exception {
    try (Http2Raw client = new Http2Raw(serve(Limits.DEFAULT))) {
      int flags = Http2Raw.END_HEADERS | Http2Raw.END_STREAM;
      client.add(Http2Raw.HEADERS, flags, 1, header).send();
      Http2Raw.Frame end = client.nextEnd();
      assertThat(end.type()).isEqualTo(Http2Raw.RST_STREAM);
      assertThat(end.error()).isEqualTo((int) Http2Error.PROTOCOL_ERROR.code());
      client.head(3).body(3, CALL).send();
      assertThat(client.nextEnd().payload()).isEqualTo(ANSWER);
    }
  }

  /**
   * RFC 9113 section 8.2: such a request is malformed, which is an error of its stream (section
   * 8.1.1).
   */
  @ParameterizedTest
  @ValueSource(strings = {"\12connection\1x", "\1A\1x", "\1a\3x\r\n"})
  void theBodyOfAMalformedRequestIsIgnored(String field) throws Exception {
    try (Http2Raw client = new Http2Raw(serve(Limits.DEFAULT))) {
      client.add(Http2Raw.HEADERS, Http2Raw.END_HEADERS, 1, Http2Raw.POST + "\0" + field);
      client.body(1, CALL).head(3).body(3, CALL).send();
      Http2Raw.Frame end = client.nextEnd();
      assertThat(end.stream()).isEqualTo(1);
      assertThat(end.type()).isEqualTo(Http2Raw.RST_STREAM);
      assertThat(end.error()).isEqualTo((int) Http2Error.PROTOCOL_ERROR.code());
      while (end.stream() == 1) {
        end = client.nextEnd(); // the body may be reset, too
      }
      assertThat(end.payload()).isEqualTo(ANSWER);
    }
  }

  @Test
  void aFloodOfFaultsThatResetStreamsEndsTheConnection() throws Exception {
    try (Http2Raw client = new Http2Raw(serve(Limits.DEFAULT))) {
      for (int i = 0; i < 205; i++) {
        client.head(2 * i + 1).add(Http2Raw.WINDOW_UPDATE, 0, 2 * i + 1, "\0\0\0\0");
      }
      client.send();
      Http2Raw.Frame frame = client.next();
      while (frame.type() != Http2Raw.GOAWAY) {
        frame = client.next();
      }
      assertThat(frame.error()).isEqualTo((int) Http2Error.ENHANCE_YOUR_CALM.code());
    }
  }

  @Test
  void aClientThatDoesNotReadItsAnswerLosesTheStream() throws Exception {
    Limits limits = Limits.builder().drainTimeout(Duration.ofMillis(200)).build();
    try (Http2Client client = new Http2Client(serve(limits), 0)) {
      Http2Client.Stream stream = client.post(CALL);
      assertThat(stream.next()).startsWith("200\n");
      assertThat(stream.next()).isEqualTo("reset CANCEL");
    }
  }

  @Test
  void aClientThatDoesNotReadEventsStopsTheReportsAndLosesTheStream() throws Exception {
    Limits limits = Limits.builder().drainTimeout(Duration.ofMillis(200)).build();
    try (Http2Client client = new Http2Client(serve(limits), 0)) {
      Http2Client.Stream stream = client.post(call("flood", "[]"), "accept: text/event-stream");
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(methods.reported.get()).isLessThan(4 << 20);
      assertThat(stream.next()).startsWith("200\n");
      assertThat(stream.next()).isEqualTo("reset CANCEL");
    }
  }

  @Test
  void bodiesThatExceedTheBoundTogetherArriveOneAfterAnother() throws Exception {
    Limits limits = Limits.builder().queuedBytes(100_000).build();
    try (Http2Client client = new Http2Client(serve(limits))) {
      List<Http2Client.Stream> streams = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Http2Client.Stream stream = client.open();
        stream.head(HttpMethod.POST);
        stream.part(" ".repeat(50_000));
        streams.add(stream);
      }
      for (int i = 7; i >= 0; i--) {
        streams.get(i).rest(" ".repeat(200_000) + CALL);
      }
      for (Http2Client.Stream stream : streams) {
        assertThat(stream.answer()).endsWith(ANSWER);
      }
    }
  }

  @Test
  void aClosingServerSendsGoAwayAndAnswersRunningCalls() throws Exception {
    try (Http2Client client = connect();
        Http2Client idle = new Http2Client(Objects.requireNonNull(server))) {
      assertThat(idle.post(CALL).answer()).endsWith(ANSWER);
      Http2Client.Stream stream = client.post(call("await", "[]"));
      running();
      CompletableFuture<Void> closed = CompletableFuture.runAsync(
          () -> Objects.requireNonNull(server).close(LONG), work -> new Thread(work).start());
      assertThat(client.goAway.get(60, TimeUnit.SECONDS)).isEqualTo(Http2Error.NO_ERROR.code());
      assertThat(idle.isOver()).isTrue();
      assertThat(closed).isNotDone();
      methods.released.countDown();
      assertThat(stream.answer()).endsWith(answer("\"released\""));
      assertThat(client.isOver()).isTrue();
      closed.get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aCallThatNeverEndsIsCancelledAfterTheLimit() throws Exception {
    try (Http2Client client = connect()) {
      Http2Client.Stream stream = client.post(call("linger", "[]"));
      running();
      Objects.requireNonNull(server).close(Duration.ofMillis(50));
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(stream.next()).isEqualTo("reset CANCEL");
      assertThat(client.isOver()).isTrue();
    }
  }
}
