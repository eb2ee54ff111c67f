package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The calls that no layer sees: {@link Listener#refused}, and their counts. */
@Timeout(60)
class RefusedCallsTest {
  private final BlockingQueue<RefusedCall> refused = new LinkedBlockingQueue<>();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Service service = Service.builder()
      .method("hold", call -> {
        begun.countDown();
        released.await();
        return "held";
      })
      .build();

  @AfterEach
  void release() {
    released.countDown();
  }

  private Options options(Consumer<Options.Builder> change) {
    Options.Builder options = Options.builder().listener(new Listener() {
      @Override
      public void refused(RefusedCall call) {
        refused.add(call);
      }
    });
    change.accept(options);
    return options.build();
  }

  private Server listen(Consumer<Options.Builder> change) throws Exception {
    return Repartee.listen("tcp://127.0.0.1:0", service, options(change));
  }

  private RefusedCall next() throws InterruptedException {
    RefusedCall call = refused.poll(30, SECONDS);
    assertThat(call).isNotNull();
    return call;
  }

  private static void hold(RawPeer raw, int id) throws Exception {
    raw.send("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"hold\"}");
  }

  @Test
  void aCallThatExceedsALimitIsReportedWithTheLimit() throws Exception {
    try (Server server = listen(to -> to.limits(limits -> limits.runningCalls(1)));
        RawPeer raw = new RawPeer(server)) {
      hold(raw, 1);
      assertThat(begun.await(30, SECONDS)).isTrue();
      hold(raw, 2);
      RefusedCall call = next();
      assertThat(call.reason()).isEqualTo("runningCalls");
      assertThat(call.method()).isEqualTo("hold");
      assertThat(call.isKnown()).isTrue();
      assertThat(call.id()).isEqualTo(Id.of(2));
      assertThat(call.error().code()).isEqualTo(RpcError.BUSY);
      assertThat(call.channel().transport()).isEqualTo("tcp");
      raw.read();
      assertThat(server.figures().refused()).containsOnly(entry("runningCalls", 1));
    }
  }

  private static Map.Entry<String, Long> entry(String reason, long count) {
    return Map.entry(reason, count);
  }

  @Test
  void aCallWithoutPermissionIsReported() throws Exception {
    try (Server server = listen(to -> to.access(access -> access.deny("hold")));
        RawPeer raw = new RawPeer(server)) {
      hold(raw, 1);
      RefusedCall call = next();
      assertThat(call.reason()).isEqualTo(RefusedCall.ACCESS);
      raw.send("{\"jsonrpc\":\"2.0\",\"method\":\"hold\"}");
      assertThat(next().id()).isNull();
      raw.read();
      assertThat(server.figures().refused()).containsOnly(entry("access", 2));
    }
  }

  @Test
  void anUnknownMethodIsReportedUnlessLayersSeeIt() throws Exception {
    String unknown = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"none\"}";
    try (Server server = listen(to -> {});
        RawPeer raw = new RawPeer(server)) {
      raw.send(unknown);
      RefusedCall call = next();
      assertThat(call.reason()).isEqualTo(RefusedCall.METHOD);
      assertThat(call.method()).isEqualTo("none");
      assertThat(call.isKnown()).isFalse();
      raw.read();
    }
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    try (Server server = listen(to -> to.layer((call, next) -> {
          seen.add(call.method());
          return next.handle(call);
        }));
        RawPeer raw = new RawPeer(server)) {
      raw.send(unknown);
      raw.read();
      assertThat(seen).containsExactly("none");
      assertThat(refused).isEmpty();
    }
  }

  @Test
  void aMessageThatIsNoRequestIsReportedWithoutAMethod() throws Exception {
    try (Server server = listen(to -> {});
        RawPeer raw = new RawPeer(server)) {
      raw.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}");
      RefusedCall call = next();
      assertThat(call.reason()).isEqualTo(RefusedCall.INVALID);
      assertThat(call.method()).isNull();
      assertThat(call.error().code()).isEqualTo(RpcError.INVALID_REQUEST);
      raw.read();
    }
  }

  @Test
  void aCallThatTheExecutorRejectsIsReported() throws Exception {
    try (Server server = listen(to -> to.executor(task -> {
          throw new RejectedExecutionException();
        }));
        RawPeer raw = new RawPeer(server)) {
      hold(raw, 1);
      assertThat(next().reason()).isEqualTo(RefusedCall.EXECUTOR);
      raw.read();
    }
  }

  @Test
  void aCallThatIsCancelledWhileItWaitsIsReported() throws Exception {
    try (Server server = listen(to -> to.limits(limits -> limits.runningCalls(1)));
        RawPeer raw = new RawPeer(server)) {
      raw.send("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hold\"},"
          + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hold\"}]");
      assertThat(begun.await(30, SECONDS)).isTrue();
      while (server.figures().waiting() == 0) { // the first call runs before the second is read
        Thread.onSpinWait();
      }
      assertThat(server.figures().waiting()).isEqualTo(1);
      raw.send("{\"jsonrpc\":\"2.0\",\"method\":\"rpc.cancel\",\"params\":{\"id\":2}}");
      RefusedCall call = next();
      assertThat(call.reason()).isEqualTo(RefusedCall.CANCELLED);
      assertThat(call.id()).isEqualTo(Id.of(2));
      released.countDown();
      raw.read();
      assertThat(server.figures().waiting()).isZero();
    }
  }

  @Test
  void aCallWhoseDeadlinePassesWhileItWaitsIsReported() throws Exception {
    FakeClock clock = new FakeClock();
    try (Server server = listen(to -> to.clock(clock)
            .limits(limits -> limits.runningCalls(1).handlerTimeout(Duration.ofMillis(20))));
        RawPeer raw = new RawPeer(server)) {
      raw.send("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hold\"},"
          + "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"hold\"}]");
      assertThat(begun.await(30, SECONDS)).isTrue();
      while (server.figures().waiting() == 0) {
        Thread.onSpinWait();
      }
      clock.advance(Duration.ofMillis(20));
      RefusedCall call = next();
      assertThat(call.reason()).isEqualTo(RefusedCall.DEADLINE);
      assertThat(call.id()).isEqualTo(Id.of(2));
      assertThat(call.error().code()).isEqualTo(-32004);
      released.countDown();
      raw.read();
      assertThat(refused).isEmpty();
    }
  }

  @Test
  void aListenerThatFailsDoesNotPreventTheAnswer() throws Exception {
    Options options = Options.builder()
        .listener(new Listener() {
          @Override
          public void refused(RefusedCall call) {
            throw new IllegalStateException();
          }
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(catchThrowable(() -> peer.call("none", Json.class)))
          .isInstanceOfSatisfying(
              RpcException.class, e -> assertThat(e.code()).isEqualTo(RpcError.METHOD_NOT_FOUND));
    }
  }

  // ---------------------------------------------------------------- Call.whenAnswered

  private CompletableFuture<Integer> codeOf(Handler handler, Options.Builder to, String method)
      throws Exception {
    CompletableFuture<Integer> code = new CompletableFuture<>();
    Options options = to.layer((call, next) -> {
          call.whenAnswered(error -> code.complete(codeOf(error)));
          return next.handle(call);
        })
        .build();
    Service served = Service.builder().method("handled", handler).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", served, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(catchThrowable(() -> peer.call(method, Json.class)))
          .isInstanceOf(RpcException.class);
      code.get(30, SECONDS);
    }
    return code;
  }

  private static int codeOf(@Nullable RpcError error) {
    return error == null ? 0 : error.code();
  }

  @Test
  void anActionAfterTheAnswerGetsItsError() throws Exception {
    assertThat(codeOf(call -> "", Options.builder(), "none"))
        .isCompletedWithValue(RpcError.METHOD_NOT_FOUND);
    assertThat(codeOf(
            call -> {
              throw new IllegalStateException();
            },
            Options.builder().listener(Listener.NONE),
            "handled"))
        .isCompletedWithValue(RpcError.INTERNAL_ERROR);
    assertThat(codeOf(
            call -> "x".repeat(2000),
            Options.builder().limits(limits -> limits.frameBytes(1000)),
            "handled"))
        .isCompletedWithValue(RpcError.TOO_LARGE);
    FakeClock clock = new FakeClock();
    assertThat(codeOf(
            call -> {
              clock.advance(Duration.ofMillis(20));
              call.cancellation().sleep(Duration.ofMinutes(1));
              return "";
            },
            Options.builder()
                .clock(clock)
                .limits(limits -> limits.handlerTimeout(Duration.ofMillis(20))),
            "handled"))
        .isCompletedWithValue(-32004);
  }

  @Test
  void anActionAfterACancelledCallGetsAnError() throws Exception {
    CompletableFuture<@Nullable RpcError> error = new CompletableFuture<>();
    Options options = Options.builder()
        .layer((call, next) -> {
          if (call.method().equals("hold")) {
            call.whenAnswered(error::complete);
          }
          return next.handle(call);
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      CallFuture<Json> call = peer.callAsync("hold", Json.class);
      assertThat(begun.await(30, SECONDS)).isTrue();
      assertThat(call.cancel(true)).isTrue();
      peer.call("rpc.ping", String.class); // the cancellation has arrived
      released.countDown();
      assertThat(codeOf(error.get(30, SECONDS))).isEqualTo(RpcError.CANCELLED);
    }
  }

  // ---------------------------------------------------------------- ServerFigures

  @Test
  void theFiguresOfAServerAreThoseOfItsStatus() throws Exception {
    FakeClock clock = new FakeClock();
    ServerStatus status = new ServerStatus(clock);
    clock.advance(Duration.ofSeconds(3));
    assertThat(status.figures().uptime()).isEqualTo(Duration.ofSeconds(3));
    try (Server server = listen(to -> {});
        RawPeer raw = new RawPeer(server)) {
      String request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.ping\"}";
      raw.send(request);
      String answer = raw.read().toString();
      raw.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"rpc.status\"}");
      raw.read();
      ServerFigures figures = server.figures();
      assertThat(figures.open()).isEqualTo(1);
      assertThat(figures.accepted()).isEqualTo(1);
      assertThat(figures.started()).isEqualTo(2);
      assertThat(figures.errors()).isZero();
      assertThat(figures.refused()).isEmpty();
      assertThat(figures.received()).isGreaterThanOrEqualTo(request.length());
      assertThat(figures.sent()).isGreaterThanOrEqualTo(answer.length());
      assertThat(figures.requests().max()).isPositive();
    }
  }

  @Test
  void theBytesAreThoseOfTheMessages() throws Exception {
    Service inline = Service.of(new Inline());
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", inline);
        RawPeer raw = new RawPeer(server)) {
      String request = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"one\"}";
      raw.send(request + "\n" + request);
      int answer = raw.read().toString().length();
      raw.read();
      server.broadcast("news");
      int news = raw.read().toString().length();
      long sent = 2L * answer + news;
      while (server.figures().sent() < sent) { // a burst is counted after its answers
        Thread.onSpinWait();
      }
      assertThat(server.figures().received()).isEqualTo(2L * request.length());
      assertThat(server.figures().sent()).isEqualTo(sent);
    }
  }

  /** A method that the reader runs. */
  public static final class Inline {
    @Rpc(lane = Lane.INLINE)
    public int one() {
      return 1;
    }
  }
}
