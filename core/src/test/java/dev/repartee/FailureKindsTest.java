package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.stream.LaggedException;
import dev.repartee.transport.DisconnectedException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All failures of calls, and their base {@link ReparteeException}. */
class FailureKindsTest {
  private static final Options SMALL = Options.builder()
      .limits(limits -> limits.frameBytes(1_000).callTimeout(Duration.ofSeconds(60)))
      .build();

  private ServerSocket listening;
  private Peer peer;
  private RawPeer server;

  @BeforeEach
  void connect() throws Exception {
    listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    peer = Repartee.connect("tcp://127.0.0.1:" + listening.getLocalPort(), SMALL);
    server = new RawPeer(listening.accept());
  }

  @AfterEach
  void close() throws Exception {
    server.close();
    peer.close();
    listening.close();
  }

  @Test
  void anErrorOfTheOtherSideIsAFailureOfACall() throws Exception {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    answer("\"error\":{\"code\":7,\"message\":\"no\"}");
    assertThat(failure(call::await)).isInstanceOf(RemoteRpcException.class);
  }

  @Test
  void aFailureWithAReasonIsOneOfACallThatWasNotHandled() {
    DisconnectedException unsent = DisconnectedException.unsent("no", "the queue is full", null);
    assertThat(ReparteeException.isUnsent(unsent)).isTrue();
    assertThat(ReparteeException.isUnsent(new DisconnectedException("lost", null)))
        .isFalse();
    assertThat(ReparteeException.isUnsent(new IllegalStateException())).isFalse();
    assertThat(ReparteeException.isUnsent(null)).isFalse();
  }

  @Test
  void anInternalErrorWithoutDataNamesThePlaceOfItsReason() throws Exception {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    answer("\"error\":{\"code\":-32603,\"message\":\"Internal error\"}");
    assertThat(failure(call::await))
        .hasMessageEndingWith(": Internal error (-32603); see the log of the other side");
  }

  @Test
  void aResultOfAnotherTypeIsAFailureOfACall() throws Exception {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    answer("\"result\":\"text\"");
    assertThat(failure(call::await)).isInstanceOf(JsonException.class);
  }

  @Test
  void anInvalidResponseIsAFailureOfACall() throws Exception {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    answer("\"result\":1,\"error\":{\"code\":7,\"message\":\"no\"}");
    assertThat(failure(call::await)).isInstanceOf(ProtocolException.class);
  }

  @Test
  void theEndOfTheConnectionIsAFailureOfACall() throws Exception {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    server.close();
    assertThat(failure(call::await)).isInstanceOf(DisconnectedException.class);
  }

  @Test
  void aCallAfterTheCloseNamesNoOtherReason() {
    peer.close();
    assertThat(failure(() -> peer.call("m", int.class)))
        .isInstanceOf(DisconnectedException.class)
        .hasMessageMatching("the connection to 127\\.0\\.0\\.1:\\d+ is closed");
  }

  @Test
  void aLimitIsAFailureOfACall() {
    assertThat(failure(() -> peer.call("m", int.class, "x".repeat(2_000))))
        .isInstanceOf(LimitException.class);
  }

  @ParameterizedTest
  @CsvSource({"PT0.02S, 20 ms", "PT1S, 1 s", "PT0.0005S, 500000 ns"})
  void aTimeOutNamesItsDuration(Duration timeout, String text) {
    assertThat(failure(() -> peer.request("slow").timeout(timeout).call(int.class)))
        .isInstanceOf(CallTimeoutException.class)
        .hasMessageMatching("(no answer to 'slow'|'slow' was not sent) within " + text
            + " (from|to) 127\\.0\\.0\\.1:\\d+; the call was cancelled");
  }

  @Test
  void aSlowReceiverIsAFailureOfAStream() {
    assertThat(ReparteeException.class).isAssignableFrom(LaggedException.class);
  }

  @Test
  void anHttpFailureTellsHowLongToWait() {
    HttpException e = new HttpException("busy", 429, "text/html", " 7 ");
    assertThat(e.status()).isEqualTo(429);
    assertThat(e.contentType()).isEqualTo("text/html");
    assertThat(e.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(new HttpException("busy", 429, null, null).retryAfter()).isNull();
  }

  @Test
  void theTimeToWaitMayBeADate() {
    String inTwoHours = DateTimeFormatter.RFC_1123_DATE_TIME.format(
        ZonedDateTime.now(ZoneOffset.UTC).plusHours(2));
    assertThat(new HttpException("busy", 503, null, inTwoHours).retryAfter())
        .isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Fri, 31 Dec 1999 23:59:59 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994"
      })
  void aDateThatHasPassedIsNoTimeToWaitInEachFormat(String field) {
    assertThat(new HttpException("busy", 503, null, field).retryAfter()).isEqualTo(Duration.ZERO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Fri, 31 Dec 9999 23:59:59 GMT", "1000000000", "9999999999999999999999"})
  void aLongTimeToWaitIsLimited(String field) {
    assertThat(new HttpException("busy", 503, null, field).retryAfter())
        .isEqualTo(Duration.ofSeconds(999_999_999));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "soon", "-1", "1.5", "٣"})
  void aMalformedTimeToWaitIsNone(String field) {
    assertThat(new HttpException("busy", 429, null, field).retryAfter()).isNull();
  }

  private void answer(String rest) throws Exception {
    server.send("""
        {"jsonrpc":"2.0","id":%s,%s}""".formatted(server.read().get("id"), rest));
  }

  private static Throwable failure(ThrowingCallable call) {
    Throwable failure = catchThrowable(call);
    assertThat(failure).isInstanceOf(ReparteeException.class);
    return failure;
  }
}
