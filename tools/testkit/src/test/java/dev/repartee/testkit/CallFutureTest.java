package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the future of a call, against a scripted peer. */
class CallFutureTest {
  private static final String CANCEL = """
      {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":%d}}""";

  /** No call times out, and only one call may be in flight. */
  private static final Options ONE_CALL = Options.builder()
      .limits(limits -> limits.callTimeout(Duration.ZERO).pendingCalls(1))
      .build();

  private Link link = Link.open(Service.NONE, ONE_CALL);

  @AfterEach
  void close() {
    link.close();
  }

  private Peer peer() {
    return link.peer();
  }

  private ScriptedPeer other() {
    return link.other();
  }

  private CallFuture<Integer> call() {
    return peer().callAsync("m", Integer.class);
  }

  /** Asserts that one cancellation is sent, and that another call may be made. */
  private void expectGivenUp(int id) {
    other().expect(CANCEL.formatted(id));
    CallFuture<Integer> next = call();
    assertThat(other().receive()).contains("\"id\":" + (id + 1));
    other().send("""
        {"jsonrpc":"2.0","result":5,"id":%d}""".formatted(id + 1));
    assertThat(next.await()).isEqualTo(5);
  }

  /**
   * Waits, because the thread that ends a derived future may cancel the call's own future later.
   */
  private static void expectCancelled(CallFuture<Integer> call) {
    assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
        .isInstanceOf(CancellationException.class);
  }

  private static Named<Consumer<CompletableFuture<Integer>>> way(
      String name, Consumer<CompletableFuture<Integer>> end) {
    return Named.of(name, end);
  }

  /** The ways to end a future without the engine. */
  static List<Named<Consumer<CompletableFuture<Integer>>>> ways() {
    return List.of(
        way("cancel", future -> future.cancel(true)),
        way("orTimeout", future -> future.orTimeout(1, TimeUnit.MILLISECONDS)),
        way("completeOnTimeout", future -> future.completeOnTimeout(7, 1, TimeUnit.MILLISECONDS)),
        way("complete", future -> future.complete(7)),
        way("completeExceptionally", future -> future.completeExceptionally(new Error("enough"))),
        way("completeAsync", future -> future.completeAsync(() -> 7)),
        way(
            "completeAsync that fails",
            future -> future.completeAsync(() -> {
              throw new IllegalStateException("enough");
            })),
        way("obtrudeValue", future -> future.obtrudeValue(7)),
        way("obtrudeException", future -> future.obtrudeException(new Error("enough"))));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFutureThatEndsBeforeItsAnswerGivesItsCallUp(Consumer<CompletableFuture<Integer>> end) {
    CallFuture<Integer> call = call();
    other().receive();
    end.accept(call);
    expectGivenUp(1);
    assertThat(call).isDone();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aDerivedFutureThatEndsBeforeTheAnswerGivesTheCallUp(
      Consumer<CompletableFuture<Integer>> end) {
    CallFuture<Integer> call = call();
    CompletableFuture<Integer> derived = call.thenApply(i -> i + 1).handle((i, e) -> i);
    other().receive();
    end.accept(derived);
    expectGivenUp(1);
    assertThat(derived).isDone();
    expectCancelled(call);
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFutureThatEndsBeforeItsAnswerGivesUpTheCallBehindTheLayers(
      Consumer<CompletableFuture<Integer>> end) {
    Options layered = ONE_CALL.toBuilder()
        .callLayer((call, next) -> next.handle(call))
        .callLayer((call, next) -> next.handle(call))
        .build();
    try (Link behind = Link.open(Service.NONE, layered)) {
      CallFuture<Integer> call = behind.peer().callAsync("m", Integer.class);
      behind.other().receive();
      end.accept(call);
      behind.other().expect(CANCEL.formatted(1));
      assertThat(call).isDone();
      CallFuture<Integer> next = behind.peer().callAsync("m", Integer.class);
      end.accept(next.thenApply(i -> i + 1));
      assertThat(behind.other().receive()).contains("\"id\":2");
      behind.other().expect(CANCEL.formatted(2));
      expectCancelled(next);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFutureThatALayerEndsGivesTheCallUp(Consumer<CompletableFuture<Integer>> end) {
    Options layered = ONE_CALL.toBuilder()
        .callLayer((call, next) -> {
          CompletableFuture<Integer> sent = asFuture(next.handle(call));
          end.accept(sent);
          return sent;
        })
        .build();
    try (Link behind = Link.open(Service.NONE, layered)) {
      CallFuture<Integer> call = behind.peer().callAsync("m", Integer.class);
      assertThat(behind.other().receive()).contains("\"id\":1");
      behind.other().expect(CANCEL.formatted(1));
      assertThat(call.handle((i, e) -> true).join()).isTrue();
    }
  }

  @SuppressWarnings("unchecked")
  private static CompletableFuture<Integer> asFuture(Object sent) {
    return (CompletableFuture<Integer>) sent;
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aFutureThatEndsAfterItsAnswerSendsNothing(Consumer<CompletableFuture<Integer>> end) {
    CallFuture<Integer> call = call();
    CompletableFuture<Integer> derived = call.thenApply(i -> i + 1);
    other().receive();
    other().send("""
        {"jsonrpc":"2.0","result":5,"id":1}""");
    assertThat(derived.join()).isEqualTo(6);
    end.accept(call);
    end.accept(derived);
    end.accept(call.thenApply(i -> i));
    other().expectSilence();
  }

  @Test
  void aCallThatEndedThroughItsLayersIsNotCancelled() {
    CompletableFuture<String> cancelled = new CompletableFuture<>();
    Options layered = ONE_CALL.toBuilder()
        .callLayer((call, next) -> {
          call.cancellation().onCancel(() -> cancelled.complete(call.method()));
          return next.handle(call);
        })
        .build();
    try (Link behind = Link.open(Service.NONE, layered)) {
      CallFuture<Integer> call = behind.peer().callAsync("m", Integer.class);
      behind.other().receive();
      behind.other().send("""
          {"jsonrpc":"2.0","result":5,"id":1}""");
      assertThat(call.await()).isEqualTo(5);
      behind.other().expectSilence();
      assertThat(cancelled).isNotDone();
    }
  }

  @Test
  void aMinimalStageNeverEndsTheCall() {
    CallFuture<Integer> call = call();
    CompletableFuture<Integer> copy = call.minimalCompletionStage().toCompletableFuture();
    assertThat(copy.complete(7)).isTrue();
    other().receive();
    other().expectSilence();
    other().send("""
        {"jsonrpc":"2.0","result":5,"id":1}""");
    assertThat(call.await()).isEqualTo(5);
  }

  @Test
  void theFuturesOfABatchGiveTheirCallsUpOneByOne() {
    try (Link wide = Link.open(Service.NONE, Options.DEFAULT)) {
      Batch batch = wide.peer().batch();
      CallFuture<Integer> first = batch.callAsync("m", Integer.class);
      CallFuture<Integer> second = batch.callAsync("m", Integer.class);
      batch.send();
      wide.other().receive();
      first.complete(7);
      wide.other().expect(CANCEL.formatted(1));
      wide.other().send("""
          [{"jsonrpc":"2.0","result":5,"id":2}]""");
      assertThat(second.await()).isEqualTo(5);
      assertThat(first.await()).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aCallWhoseFutureEndsBeforeItsBatchIsSentIsLeftOut(Consumer<CompletableFuture<Integer>> end) {
    try (Link wide = Link.open(Service.NONE, Options.DEFAULT)) {
      Batch batch = wide.peer().batch();
      CallFuture<Integer> first = batch.callAsync("m", Integer.class);
      CompletableFuture<Integer> derived = first.thenApply(i -> i + 1);
      end.accept(derived);
      expectCancelled(first);
      batch.notify("n").send();
      wide.other().expect("""
          [{"jsonrpc":"2.0","method":"n","params":[]}]""");
    }
  }

  /** The methods of a server, as a client declares them. */
  public interface Forever {
    /** Never answers. */
    CompletionStage<Integer> stage();

    /** Never answers. */
    CompletableFuture<Integer> future();
  }

  /** Methods that end only when they are cancelled. */
  public static final class Forgotten implements Forever {
    private final CountDownLatch cancelled = new CountDownLatch(2);

    @Override
    public CompletionStage<Integer> stage() {
      return future();
    }

    @Override
    public CompletableFuture<Integer> future() {
      CompletableFuture<Integer> never = new CompletableFuture<>();
      never.whenComplete((value, failure) -> cancelled.countDown());
      return never;
    }
  }

  @Test
  void aTimeOutOnAFutureOfAProxyCancelsTheHandlerAtTheServer() throws Exception {
    Forgotten methods = new Forgotten();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(methods));
        Peer client = Repartee.connect(server.endpoint())) {
      Forever proxy = client.proxy(Forever.class);
      CompletableFuture<Integer> stage = proxy.stage().toCompletableFuture();
      CompletableFuture<Integer> future = proxy.future().thenApply(i -> i + 1);
      assertThatThrownBy(() -> stage.orTimeout(1, TimeUnit.MILLISECONDS).join())
          .hasCauseInstanceOf(TimeoutException.class);
      assertThat(future.completeOnTimeout(7, 1, TimeUnit.MILLISECONDS).join()).isEqualTo(7);
      assertThat(methods.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void theEndOfALongChainGivesTheCallUp() {
    CallFuture<Integer> call = call();
    other().receive();
    CompletableFuture<Integer> last = call;
    for (int i = 0; i < 100_000; i++) {
      last = last.thenApply(n -> n + 1);
    }
    assertThat(last.cancel(true)).isTrue();
    assertThat(last).isCancelled();
    assertThat(call).isCancelled();
    expectGivenUp(1);
  }

  private static void fail(CallFuture<Integer> call) {
    assertThatThrownBy(call::await).isInstanceOf(RpcException.class);
  }

  @Test
  void aFailureShowsTheFirstPlaceThatWaitedForIt() throws Exception {
    CallFuture<Integer> call = call();
    other().receive();
    other().send("""
        {"jsonrpc":"2.0","error":{"code":7,"message":"no"},"id":1}""");
    List<CompletableFuture<Void>> waiting = IntStream.range(0, 8)
        .mapToObj(thread ->
            CompletableFuture.runAsync(() -> IntStream.range(0, 100).forEach(again -> fail(call))))
        .toList();
    for (CompletableFuture<Void> thread : waiting) {
      thread.get(60, TimeUnit.SECONDS);
    }
    assertThatThrownBy(call::await).satisfies(failure -> {
      assertThat(failure.getSuppressed()).hasSize(1);
      Throwable called = failure.getSuppressed()[0];
      assertThat(called).hasMessage("the call of 'm'");
      assertThat(called.getStackTrace())
          .anyMatch(frame -> frame.getClassName().equals(CallFutureTest.class.getName()));
    });
  }

  @Test
  void anExceptionThatALayerThrowsRepeatedlyDoesNotGrow() {
    RpcException open = new RpcException(7, "the circuit is open");
    open.addSuppressed(new IllegalStateException("the layer's own"));
    Options layered = ONE_CALL.toBuilder()
        .callLayer((call, next) -> {
          throw open;
        })
        .build();
    try (Link behind = Link.open(Service.NONE, layered)) {
      for (int i = 0; i < 100; i++) {
        assertThatThrownBy(() -> behind.peer().call("m", Integer.class)).isSameAs(open);
        assertThatThrownBy(() -> behind.peer().notify("m")).isSameAs(open);
      }
      assertThat(open.getSuppressed()).hasSize(2);
    }
  }
}
