package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Call;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ClockOptions;
import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.Clock;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.AbstractList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** User code that throws errors: every call still ends, and other calls are not affected. */
class FailureTest {
  private static final String INTERNAL = """
      {"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":%s}""";
  private static final String CANCELLED = """
      {"jsonrpc":"2.0","error":{"code":-32800,"message":"Request cancelled"},"id":%s}""";

  /** A value that cannot be written. */
  private static final List<Object> BROKEN = new AbstractList<>() {
    @Override
    public Object get(int index) {
      throw new AssertionError("by design");
    }

    @Override
    public int size() {
      return 1;
    }
  };

  private static final Options SMALL_FRAMES =
      Options.builder().limits(limits -> limits.frameBytes(400)).build();

  private static String request(Object id, String method) {
    return """
        {"jsonrpc":"2.0","method":"%s","id":%s}""".formatted(method, id);
  }

  private static String result(Object id, String result) {
    return """
        {"jsonrpc":"2.0","result":%s,"id":%s}""".formatted(result, id);
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
  }

  /** Asserts that no earlier call is running: after an ordered notification the lanes are idle. */
  private static void expectNothingRuns(Link link) {
    link.other().send("""
        {"jsonrpc":"2.0","method":"rpc.ping"}""").expectSilence();
    String status;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    do {
      // The answer is sent before its worker has reported the end.
      status = link.other().send(request(0, "rpc.status")).receive();
    } while (!status.contains("\"running\":0") && System.nanoTime() - end < 0);
    assertThat(status).contains("\"running\":0,\"waiting\":0,\"pending\":0");
  }

  @ParameterizedTest
  @EnumSource
  void anErrorTooLargeForAFrameGivesWayToOneThatNamesTheLimit(Lane lane) {
    Service service = Service.builder()
        .method("big", lane, call -> {
          throw new RpcException(-5, "no", "x".repeat(1_000));
        })
        .build();
    try (Link link = Link.open(service, SMALL_FRAMES)) {
      link.other().send(request(1, "big"));
      assertThat(link.other().receive()).contains("-32003", "frameBytes", "\"id\":1");
      link.other().send("[" + request(2, "big") + "]");
      assertThat(link.other().receive()).contains("-32003", "frameBytes", "\"id\":2");
      expectNothingRuns(link);
    }
  }

  @Test
  void aLongIdThatFitsIntoARequestIsAnswered() {
    Service service = Service.builder()
        .method("fine", call -> 1)
        .method("fail", call -> {
          throw new RpcException(-5, "no");
        })
        .build();
    String id = "\"" + "x".repeat(330) + "\"";
    try (Link link = Link.open(service, SMALL_FRAMES)) {
      for (String method : List.of("fine", "fail", "none")) {
        link.other().send(request(id, method));
        assertThat(link.other().receive()).contains(id);
      }
      link.other().send("""
          {"jsonrpc":"1","method":"fine","id":%s}""".formatted(id));
      assertThat(link.other().receive()).contains(id);
      link.other().expectSilence();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anErrorThrownWhileAResultIsWrittenIsAnInternalError(Lane lane) {
    Service service = Service.builder()
        .method("broken", lane, call -> BROKEN)
        .method("later", lane, call -> CompletableFuture.supplyAsync(() -> BROKEN))
        .build();
    try (Link link = Link.open(service, Options.DEFAULT)) {
      for (String method : List.of("broken", "later")) {
        link.other().send(request(1, method)).expect(INTERNAL.formatted(1));
        link.other()
            .send("[" + request(2, method) + "," + request(3, "rpc.ping") + "]")
            .expect("[" + INTERNAL.formatted(2) + "," + result(3, "\"pong\"") + "]");
      }
      expectNothingRuns(link);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aListenerThatThrowsErrorsHarmsNoCall(Lane lane) throws Exception {
    Listener broken = new Listener() {
      @Override
      public void connected(Peer peer) {
        throw new AssertionError("by design");
      }

      @Override
      public void disconnected(Peer peer, @Nullable Throwable cause) {
        throw new AssertionError("by design");
      }

      @Override
      public void violation(ChannelInfo channel, String what) {
        throw new AssertionError("by design");
      }

      @Override
      public void failed(Call call, Throwable cause) {
        throw new AssertionError("by design");
      }
    };
    Options options = Options.builder().listener(broken).build();
    Service service = Service.builder()
        .method("fail", lane, call -> {
          throw new AssertionError("by design");
        })
        .build();
    try (Link link = Link.open(service, options)) {
      link.other().send(request(1, "fail")).expect(INTERNAL.formatted(1));
      link.other().send(result(77, "1"));
      link.other().send("no JSON");
      assertThat(link.other().receive()).contains("-32700");
      expectNothingRuns(link);
      link.other().close();
      link.peer().closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void aMappingOfExceptionsThatThrowsAnErrorCountsAsNone() {
    Options options = Options.builder()
        .exceptionMapper(cause -> {
          throw new AssertionError("by design");
        })
        .build();
    Service service = Service.builder()
        .method("fail", call -> {
          throw new IllegalStateException("by design");
        })
        .build();
    try (Link link = Link.open(service, options)) {
      link.other().send(request(1, "fail")).expect(INTERNAL.formatted(1));
      expectNothingRuns(link);
    }
  }

  /** A stage as {@link java.util.concurrent.CompletionStage} allows it: it cannot be cancelled. */
  private static final class Uncancellable<T> extends CompletableFuture<T> {
    @Override
    public CompletableFuture<T> toCompletableFuture() {
      throw new UnsupportedOperationException("by design");
    }
  }

  @Test
  void aStageThatCannotBeCancelledIsWaitedFor() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    Uncancellable<Integer> stage = new Uncancellable<>();
    Service service = Service.builder()
        .method("late", call -> {
          CountDownLatch cancelled = new CountDownLatch(1);
          call.cancellation().onCancel(cancelled::countDown);
          started.countDown();
          await(cancelled);
          return stage;
        })
        .build();
    try (Link link = Link.open(service, Options.DEFAULT)) {
      link.other().send(request(1, "late"));
      await(started);
      link.other().send("""
          {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":1}}""");
      stage.complete(5);
      link.other().expect(CANCELLED.formatted(1));
      expectNothingRuns(link);
    }
  }

  @Test
  void anActionOnCancellationThatThrowsAnErrorDoesNotKeepOthersFromRunning() throws Exception {
    FakeClock clock = new FakeClock();
    Semaphore started = new Semaphore(0);
    CountDownLatch told = new CountDownLatch(2);
    Service service = Service.builder()
        .method("slow", call -> {
          call.cancellation().onCancel(() -> {
            throw new AssertionError("by design");
          });
          call.cancellation().onCancel(told::countDown);
          started.release();
          call.cancellation().sleep(Duration.ofSeconds(20));
          return 1;
        })
        .build();
    Limits limits = Limits.builder().handlerTimeout(Duration.ofSeconds(1)).build();
    try (Link link =
        Link.open(service, ClockOptions.builder(clock).limits(limits).build())) {
      for (int id = 1; id <= 2; id++) {
        link.other().send(request(id, "slow"));
        assertThat(started.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        clock.advance(Duration.ofSeconds(1));
        assertThat(link.other().receive()).contains("-32004", "\"id\":" + id);
      }
      await(told);
      CallFuture<Integer> call =
          link.peer().request("m").timeout(Duration.ofMillis(20)).send(int.class);
      clock.advance(Duration.ofMillis(20));
      assertThatThrownBy(call::await).isInstanceOf(CallTimeoutException.class);
    }
  }

  /** A result that cannot be read. */
  record Unreadable(int a) {
    Unreadable {
      throw new AssertionError("by design " + a);
    }
  }

  @Test
  void anErrorThrownWhileAnAnswerIsReadFailsItsCallAlone() throws Exception {
    try (Link link = Link.open(Service.NONE, Options.DEFAULT)) {
      CallFuture<Unreadable> call = link.peer().callAsync("m", Unreadable.class);
      link.other().receive();
      link.other().send(result(1, "{\"a\":1}"));
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class);
      expectNothingRuns(link);
    }
  }

  @Test
  void aCallWhoseParamsCannotBeWrittenIsNotWaitedFor() {
    try (Link link = Link.open(Service.NONE, Options.DEFAULT)) {
      assertThatThrownBy(() -> link.peer().callAsync("m", int.class, BROKEN))
          .isInstanceOf(AssertionError.class);
      expectNothingRuns(link);
    }
  }

  @Test
  void theLongestTimeOutNeverComes() throws Exception {
    FakeClock clock = new FakeClock();
    try (Link link = Link.open(Service.NONE, ClockOptions.builder(clock).build())) {
      CallFuture<Integer> call =
          link.peer().request("m").timeout(Duration.ofNanos(Long.MAX_VALUE)).send(int.class);
      String id = JsonTexts.id(link.other().receive());
      CallFuture<Integer> century =
          link.peer().request("n").timeout(Duration.ofDays(36_499)).send(int.class);
      clock.advance(Duration.ofDays(36_499));
      assertThatThrownBy(century::await).isInstanceOf(CallTimeoutException.class);
      link.other().send(result(id, "5"));
      assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo(5);
    }
  }

  @Test
  void waitingInTheCallbackOfATimeOutThrowsAndNamesTheMethod() throws Exception {
    CompletableFuture<Boolean> held = new CompletableFuture<>();
    CompletableFuture<Boolean> registered = new CompletableFuture<>();
    // No time-out passes before the callback is registered: a late one would run on this thread.
    Clock.SYSTEM.schedule(Duration.ZERO, Runnable::run, () -> {
      held.complete(true);
      registered.join();
    });
    try (Link link = Link.open(Service.NONE, Options.DEFAULT)) {
      held.get(60, TimeUnit.SECONDS);
      Function<Throwable, Integer> waiting =
          late -> link.peer().callAsync("second", Integer.class).join();
      CompletableFuture<Integer> again = link.peer()
          .request("first")
          .timeout(Duration.ofMillis(1))
          .<Integer>send(Integer.class)
          .exceptionally(waiting);
      registered.complete(true);
      assertThatThrownBy(() -> again.get(60, TimeUnit.SECONDS))
          .hasRootCauseInstanceOf(IllegalStateException.class)
          .hasStackTraceContaining("'second'");
    } finally {
      registered.complete(true);
    }
  }

  @Test
  void aNotificationThatCannotBeSentFailsThroughLayersToo() throws Exception {
    Options layered =
        Options.builder().callLayer((call, next) -> next.handle(call)).build();
    try (Link link = Link.open(Service.NONE, layered)) {
      link.other().close();
      link.peer().closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThatThrownBy(() -> link.peer().notify("n")).isInstanceOf(DisconnectedException.class);
    }
  }

  /** A service with a method that closes its server. */
  public static final class Stoppable {
    volatile @Nullable Server server;

    @Rpc(lane = Lane.INLINE)
    public String stop() {
      Objects.requireNonNull(server).close(Duration.ofSeconds(20));
      return "stopping";
    }
  }

  @Test
  void aServerClosedByAnInlineHandlerAnswersItAndEnds() throws Exception {
    Stoppable service = new Stoppable();
    for (String uri : List.of("tcp://127.0.0.1:0", "mem:stoppable")) {
      try (Server server = Repartee.listen(uri, Service.of(service))) {
        service.server = server;
        Peer idle = Repartee.connect(server.endpoint());
        Peer peer = Repartee.connect(server.endpoint());
        assertThat(peer.callAsync("stop", String.class).get(60, TimeUnit.SECONDS))
            .isEqualTo("stopping");
        idle.closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
        peer.closed().toCompletableFuture().get(60, TimeUnit.SECONDS);
        server.join();
      }
    }
  }
}
