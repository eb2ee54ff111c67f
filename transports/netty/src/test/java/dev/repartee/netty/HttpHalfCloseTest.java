package dev.repartee.netty;

import static dev.repartee.testkit.RawConnection.post;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests clients that end their output: some still read their responses, others have disconnected.
 */
class HttpHalfCloseTest {
  private static final String CALL = post("""
      {"jsonrpc":"2.0","method":"subtract","params":[42,23],"id":1}""");
  private static final String AWAIT = """
      {"jsonrpc":"2.0","method":"await","id":0}""";
  private static final String LINGER = """
      {"jsonrpc":"2.0","method":"linger","id":0}""";
  private static final String TICK = """
      {"jsonrpc":"2.0","method":"tick","id":0}""";

  private static final String UPGRADE =
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
          + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

  private final Methods methods = new Methods();
  private @Nullable Server server;

  private RawConnection connect(Limits limits) throws Exception {
    server = Repartee.listen(
        "http://127.0.0.1:0/",
        methods.service(),
        Options.builder().limits(limits).build());
    return new RawConnection(server);
  }

  private RawConnection connect() throws Exception {
    return connect(Limits.DEFAULT);
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

  private void cancelled() throws InterruptedException {
    assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
  }

  /**
   * Returns the next response, without the interim ones that any client skips (RFC 9110 section
   * 15.2).
   */
  private static String answer(RawConnection raw) throws IOException {
    String answer = raw.answer();
    while (answer.startsWith("HTTP/1.1 100 Continue\r\n\r\n")) {
      answer = raw.answer();
    }
    return answer;
  }

  @Test
  void aClientThatHasEndedItsOutputIsAnswered() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(AWAIT)).endOutput();
      running();
      assertThat(raw.answer()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n"); // the end was noticed
      methods.released.countDown();
      assertThat(answer(raw)).endsWith("\"result\":\"released\",\"id\":0}");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void allRequestsBeforeTheEndOfTheOutputAreAnswered() throws Exception {
    int count = 2 * HttpConnection.IN_FLIGHT;
    try (RawConnection raw = connect()) {
      raw.send(post(AWAIT) + CALL.repeat(count) + CALL.substring(0, 20)).endOutput();
      running();
      methods.released.countDown();
      assertThat(answer(raw)).endsWith("\"result\":\"released\",\"id\":0}");
      for (int i = 0; i < count; i++) {
        assertThat(answer(raw)).endsWith("\"result\":19,\"id\":1}");
      }
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aClientThatEndsItsOutputAndThenDisconnectsCancelsItsCalls() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(LINGER)).endOutput();
      running();
      assertThat(raw.answer()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
    }
    cancelled();
  }

  @Test
  void aClientOfEventsThatDisconnectsCancelsItsCalls() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(TICK, "Accept: text/event-stream"));
      raw.head();
      assertThat(raw.chunk()).contains("\"value\":\"tick\"");
      raw.endOutput(); // not earlier: the response could begin with 100 Continue
      assertThat(raw.chunk()).startsWith(":"); // a comment: the end was noticed
    }
    cancelled();
  }

  @Test
  void callsOfAClientThatHasEndedItsOutputAreCancelledAfterTheLimit() throws Exception {
    Limits limits = Limits.builder().halfCloseTimeout(Duration.ofMillis(50)).build();
    try (RawConnection raw = connect(limits)) {
      raw.send(post(LINGER)).endOutput();
      cancelled();
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aClientOfHttp10ThatEndsItsOutputCancelsItsCalls() throws Exception {
    try (RawConnection raw = connect()) {
      raw.send(post(LINGER).replace("HTTP/1.1", "HTTP/1.0")).endOutput();
      cancelled();
      assertThat(raw.isOver()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1", "HTTP/1.1\r\nConnection: close", "HTTP/1.0"})
  void aLargeAnswerLeavesAsAWholeThoughTheClientHasEndedItsOutput(String version) throws Exception {
    String large = "x".repeat(12 << 20);
    String echo = post("""
        {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":1}""".formatted(large));
    try (RawConnection raw = connect()) {
      raw.send(echo.replace("HTTP/1.1", version)).endOutput();
      assertThat(raw.answer().length()).isGreaterThan(large.length());
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aLargeAnswerThatBeginsAfterTheEndOfTheOutputLeavesAsAWhole() throws Exception {
    String large = "x".repeat(12 << 20);
    String echo = """
        {"jsonrpc":"2.0","method":"echo","params":["%s"],"id":1}""".formatted(large);
    try (RawConnection raw = connect()) {
      raw.send(post("[" + AWAIT + "," + echo + "]")).endOutput();
      running();
      assertThat(raw.answer()).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n"); // the end was noticed
      methods.released.countDown();
      assertThat(answer(raw).length()).isGreaterThan(large.length());
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aWebSocketEndsWithTheOutputOfTheClient() throws Exception {
    try (RawConnection raw = connect()) {
      assertThat(raw.send(CALL).answer()).endsWith("\"result\":19,\"id\":1}");
      raw.send(UPGRADE).endOutput();
      assertThat(raw.answer()).startsWith("HTTP/1.1 101 ");
      assertThat(raw.isOver()).isTrue();
    }
  }

  @Test
  void aConnectionWithoutRequestsEndsWithTheOutputOfTheClient() throws Exception {
    try (RawConnection raw = connect()) {
      assertThat(raw.send(CALL).answer()).endsWith("\"result\":19,\"id\":1}");
      raw.send(CALL.substring(0, 20)).endOutput();
      assertThat(raw.isOver()).isTrue();
    }
  }
}
