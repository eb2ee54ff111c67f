package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Headers;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers of single messages: of calls, batches, layers and a supplier. */
class MessageHeadersTest {
  private final Messages channel = new Messages();

  /** A channel that keeps its messages. */
  private static final class Messages extends KeepingChannel implements MessageChannel {
    final Queue<OutgoingMessage> sent = new ArrayDeque<>();

    @Override
    public void send(OutgoingMessage message) {
      sent.add(message);
    }

    @Override
    public void commit(OutboundFrame frame) {
      MessageChannel.super.commit(frame);
    }
  }

  private Peer peer() {
    return peer(Options.builder());
  }

  private Peer peer(Options.Builder options) {
    return Peer.open(channel, Service.NONE, options.build());
  }

  private OutgoingMessage next() {
    return Objects.requireNonNull(channel.sent.poll());
  }

  private Map<String, String> nextHeaders() {
    return next().headers().fields();
  }

  @Test
  void aCallHasItsHeadersAndTheLastValueOfANameWins() {
    peer()
        .request("m")
        .header("Authorization", "Bearer one")
        .header("traceparent", "00-1")
        .header("authorization", "Bearer two")
        .send(Json.class);
    assertThat(nextHeaders())
        .containsExactly(
            Map.entry("traceparent", "00-1"), Map.entry("authorization", "Bearer two"));
  }

  @Test
  void aNotificationHasHeaders() {
    peer().request("m").header("a", "1").sendNotification();
    OutgoingMessage message = next();
    assertThat(message.isCall()).isFalse();
    assertThat(message.isAnswer()).isFalse();
    assertThat(message.headers().get("A")).isEqualTo("1");
  }

  @Test
  void aMessageWithoutHeadersSharesTheEmptyOnes() {
    Peer peer = peer();
    peer.callAsync("m", Json.class);
    assertThat(next().headers()).isSameAs(Headers.NONE);
    peer.notify("m");
    assertThat(next().headers()).isSameAs(Headers.NONE);
  }

  @Test
  void theCancellationOfACallHasItsHeaders() {
    Peer peer = peer();
    CallFuture<Json> call = peer.request("m").header("a", "1").send(Json.class);
    next();
    call.cancel(false);
    OutgoingMessage cancellation = next();
    assertThat(new String(cancellation.text().toBytes(), UTF_8)).contains("rpc.cancel");
    assertThat(cancellation.headers().fields()).containsExactly(Map.entry("a", "1"));
  }

  @Test
  void theCancellationOfACallOfABatchHasTheHeadersOfTheBatch() {
    Batch batch = peer().batch().header("a", "1");
    CallFuture<Json> call = batch.callAsync("m", Json.class);
    batch.send();
    next();
    call.cancel(false);
    assertThat(nextHeaders()).containsExactly(Map.entry("a", "1"));
  }

  // ---------------------------------------------------------------- batches

  @Test
  void headersBelongToTheBatch() {
    Batch batch = peer().batch().header("a", "1").header("A", "2");
    batch.callAsync("m", Json.class);
    batch.notify("n");
    batch.send();
    assertThat(nextHeaders()).containsExactly(Map.entry("A", "2"));
    assertThatThrownBy(() -> batch.header("b", "1")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aBatchOfNotificationsHasHeaders() {
    peer().batch().header("a", "1").notify("n").send();
    assertThat(nextHeaders()).containsExactly(Map.entry("a", "1"));
  }

  @Test
  void aCallWithHeadersIsNotAddedToABatch() {
    Peer peer = peer();
    Batch batch = peer.batch();
    assertThatThrownBy(
            () -> batch.callAsync(peer.request("m").header("Authorization", "xyzzy"), Json.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Authorization")
        .hasMessageContaining("Batch.header")
        .hasMessageNotContaining("xyzzy");
  }

  // ---------------------------------------------------------------- layers

  @Test
  void aLayerAddsHeadersAndSeesThoseOfTheCall() throws Exception {
    List<String> seen = new ArrayList<>();
    Peer peer = peer(Options.builder().callLayer((call, next) -> {
      seen.add(String.valueOf(call.header("A")));
      seen.add(String.valueOf(call.header("traceparent")));
      call.requestHeader("traceparent", "00-2");
      seen.add(String.valueOf(call.header("TraceParent")));
      return next.handle(call.with(Json.parse("[1]")));
    }));
    CallBuilder call = peer.request("m").header("a", "1");
    call.send(Json.class);
    assertThat(nextHeaders())
        .containsExactly(Map.entry("a", "1"), Map.entry("traceparent", "00-2"));
    call.sendNotification();
    assertThat(nextHeaders())
        .containsExactly(Map.entry("a", "1"), Map.entry("traceparent", "00-2"));
    assertThat(seen).containsExactly("1", "null", "00-2", "1", "null", "00-2");
  }

  @Test
  void aLayerThatPassesACallOnAgainMaySetAnotherValue() {
    Peer peer = peer(Options.builder().callLayer((call, next) -> {
      call.requestHeader("token", "old");
      next.handle(call);
      call.requestHeader("token", "new");
      return next.handle(call);
    }));
    peer.callAsync("m", Json.class);
    assertThat(nextHeaders()).containsExactly(Map.entry("token", "old"));
    assertThat(nextHeaders()).containsExactly(Map.entry("token", "new"));
  }

  @Test
  void theHeadersOfALayerBelongToTheBatchOfItsCall() {
    AtomicInteger number = new AtomicInteger();
    Peer peer = peer(Options.builder().callLayer((call, next) -> {
      call.requestHeader("traceparent", "00-" + number.incrementAndGet());
      return next.handle(call);
    }));
    Batch batch = peer.batch().header("a", "1");
    batch.callAsync("m", Json.class);
    batch.notify("n");
    batch.send();
    assertThat(nextHeaders())
        .containsExactly(Map.entry("a", "1"), Map.entry("traceparent", "00-2"));
  }

  @Test
  void aCallThatALayerPassesOnAfterItsBatchHasTheHeadersOfTheBatch() {
    List<Runnable> later = new ArrayList<>();
    Peer peer = peer(Options.builder().callLayer((call, next) -> {
      later.add(() -> assertThatCode(() -> next.handle(call)).doesNotThrowAnyException());
      return new CompletableFuture<>();
    }));
    Batch batch = peer.batch().header("a", "1");
    batch.callAsync("m", Json.class);
    batch.send();
    later.forEach(Runnable::run);
    assertThat(nextHeaders()).containsExactly(Map.entry("a", "1"));
  }

  @Test
  void aServedCallTakesNoRequestHeader() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    Service service = Service.builder()
        .method("m", call -> {
          try {
            call.requestHeader("a", "1");
          } catch (IllegalStateException e) {
            failures.add(e);
          }
          return "";
        })
        .build();
    try (Server server = Repartee.listen("mem:*", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("m", String.class)).isEmpty();
    }
    assertThat(failures).singleElement().satisfies(e -> assertThat(e).hasMessageContaining("'m'"));
  }

  // ---------------------------------------------------------------- the supplier

  @Test
  void theSupplierIsAskedOnceForEachMessageOnTheCallingThread() {
    List<Thread> asked = new ArrayList<>();
    Peer peer = peer(Options.builder().headers(() -> {
      asked.add(Thread.currentThread());
      return Map.of("token", "t" + asked.size());
    }));
    peer.callAsync("m", Json.class);
    peer.notify("n");
    Batch batch = peer.batch();
    batch.callAsync("m", Json.class);
    batch.callAsync("m", Json.class);
    batch.send();
    for (int i = 1; i <= 3; i++) {
      assertThat(nextHeaders()).containsExactly(Map.entry("token", "t" + i));
    }
    assertThat(asked).hasSize(3).containsOnly(Thread.currentThread());
  }

  @Test
  void headersOfTheCallAndItsLayersReplaceThoseOfTheSupplier() {
    Peer peer = peer(Options.builder()
        .headers(() -> Map.of("A", "supplier", "B", "supplier", "C", "supplier"))
        .callLayer((call, next) -> {
          call.requestHeader("b", "layer");
          return next.handle(call);
        }));
    peer.request("m").header("a", "call").header("b", "call").send(Json.class);
    Headers headers = next().headers();
    assertThat(headers.fields()).hasSize(3);
    assertThat(headers.get("a")).isEqualTo("call");
    assertThat(headers.get("b")).isEqualTo("layer");
    assertThat(headers.get("c")).isEqualTo("supplier");
  }

  @Test
  void aSupplierThatFailsFailsItsCallOnly() {
    RuntimeException fault = new RuntimeException("no token");
    AtomicInteger asked = new AtomicInteger();
    Peer peer = peer(Options.builder().headers(() -> {
      if (asked.incrementAndGet() == 2) {
        throw fault;
      }
      return Map.of();
    }));
    CallFuture<Json> before = peer.callAsync("m", Json.class);
    next();
    assertThatThrownBy(() -> peer.callAsync("m", Json.class))
        .isInstanceOf(IllegalStateException.class)
        .hasCause(fault);
    assertThat(channel.sent).isEmpty();
    assertThat(channel.kept).isEmpty();
    assertThat(before).isNotDone();
    assertThat(peer.caller().pending()).isEqualTo(1);
    peer.callAsync("m", Json.class);
    assertThat(nextHeaders()).isEmpty();
  }

  @Test
  void aSupplierThatFailsFailsTheCallsOfItsBatch() {
    RuntimeException fault = new RuntimeException("no token");
    Peer peer = peer(Options.builder().headers(() -> {
      throw fault;
    }));
    Batch batch = peer.batch();
    CallFuture<Json> call = batch.callAsync("m", Json.class);
    assertThatThrownBy(batch::send).hasCause(fault);
    assertThat(call).isCompletedExceptionally();
    assertThat(channel.sent).isEmpty();
  }

  @Test
  void anUnusableAnswerOfTheSupplierFailsTheCall() {
    Map<String, String> bad = new HashMap<>();
    Peer peer = peer(Options.builder().headers(() -> bad));
    bad.put("Mcp-Session-Id", "xyzzy");
    assertThatThrownBy(() -> peer.callAsync("m", Json.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Mcp-Session-Id")
        .hasMessageNotContaining("xyzzy");
    bad.clear();
    bad.put("a", null);
    assertThatThrownBy(() -> peer.callAsync("m", Json.class))
        .isInstanceOf(IllegalStateException.class)
        .hasCauseInstanceOf(NullPointerException.class);
    assertThat(channel.sent).isEmpty();
  }

  @Test
  void theLastNameOfASupplierThatDiffersInCaseIsSent() {
    Map<String, String> ordered = new LinkedHashMap<>();
    for (int i = 0; i < 20; i++) {
      ordered.put("N" + i, "first");
      ordered.put("n" + i, "last");
    }
    peer(Options.builder().headers(() -> ordered)).callAsync("m", Json.class);
    assertThat(nextHeaders()).hasSize(20).allSatisfy((name, value) -> {
      assertThat(name).startsWith("n");
      assertThat(value).isEqualTo("last");
    });
  }

  @Test
  void theSupplierIsNotAskedOnAConnection() {
    Options options = Options.builder()
        .headers(() -> {
          throw new AssertionError("asked");
        })
        .build();
    Peer peer = Peer.open(new KeepingChannel(), Service.NONE, options);
    peer.request("m").header("a", "1").timeout(Duration.ZERO).send(Json.class);
  }

  @Test
  void aTracePassesHeadersOnAndRecordsNone() {
    List<String> recorded = new CopyOnWriteArrayList<>();
    try (Trace trace = Trace.builder().to(entry -> recorded.add(entry.toString()))) {
      Peer peer = peer(Options.builder().trace(trace).headers(() -> Map.of("Token", "xyzzy")));
      peer.request("m").header("Authorization", "xyzzy").send(Json.class);
      assertThat(nextHeaders()).hasSize(2);
    }
    assertThat(recorded).isNotEmpty().noneMatch(each -> each.contains("xyzzy"));
    assertThat(recorded).noneMatch(each -> each.contains("Authorization"));
  }

  // ---------------------------------------------------------------- refused headers

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "Content-Length",
        "content-type",
        "Content-Encoding",
        "Transfer-Encoding",
        "Connection",
        "Upgrade",
        "Expect",
        "TE",
        "Trailer",
        "Accept",
        "Keep-Alive",
        "Proxy-Authorization",
        "Mcp-Session-Id",
        "MCP-Protocol-Version",
        "Sec-WebSocket-Key",
        "Last-Event-ID",
        "x-death",
        "X-Death",
        "x-first-death-queue",
        "x-opt-to",
        "CC",
        "BCC",
        "Nats-Msg-Id",
        "nats-expected-stream",
        "repartee-window",
        "Repartee-Reply"
      })
  void theNamesOfTransportsAreRefused(String name) {
    CallBuilder call = peer().request("m");
    assertThatThrownBy(() -> call.header(name, "xyzzy"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the header " + name + " is set by a transport itself; leave it out");
    assertThatThrownBy(() -> peer().batch().header(name, "xyzzy"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a:", "a\r\nb", "ä", "a\0"})
  void aNameThatIsNoTokenIsRefused(String name) {
    CallBuilder call = peer().request("m");
    assertThatThrownBy(() -> call.header(name, "xyzzy"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("xyzzy");
  }

  @ParameterizedTest
  @ValueSource(strings = {"xyzzy\r\nHost: a", "xyzzy\n", "xyzzy\0", "xyzzy\u007f", "xyzzyä"})
  void aValueWithControlCharactersIsRefused(String value) {
    CallBuilder call = peer().request("m");
    assertThatThrownBy(() -> call.header("Authorization", value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Authorization")
        .hasMessageNotContaining("xyzzy");
  }

  @Test
  void theNumberIsLimited() {
    CallBuilder call = peer().request("m");
    for (int i = 0; i < 128; i++) {
      call.header("n" + i, "xyzzy");
    }
    call.header("N0", "another value");
    assertThatThrownBy(() -> call.header("n128", "xyzzy"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the message has 129 headers; it may have 128: [n1, n2, ")
        .hasMessageNotContaining("xyzzy");
    Peer supplied = peer(Options.builder().headers(() -> call.headers.fields()));
    supplied.request("m").header("n1", "").send(Json.class);
    assertThat(nextHeaders()).hasSize(128);
    assertThatThrownBy(() -> supplied.request("m").header("n128", "").send(Json.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("129");
  }

  @Test
  void theTotalSizeIsLimited() {
    int longest = MessageHeaders.MOST - 1;
    CallBuilder call = peer().request("m").header("a", "x".repeat(longest));
    assertThatThrownBy(() -> call.header("b", ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the headers [a, b] have 16385 characters; those of one message may have 16384");
    call.send(Json.class);
    assertThat(next().headers().size()).isEqualTo(MessageHeaders.MOST);
    Peer supplied = peer(Options.builder().headers(() -> Map.of("b", "1")));
    assertThatThrownBy(
            () -> supplied.request("m").header("a", "x".repeat(longest)).send(Json.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("xx");
    assertThatThrownBy(() -> call.header("n".repeat(256), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("255");
  }
}
