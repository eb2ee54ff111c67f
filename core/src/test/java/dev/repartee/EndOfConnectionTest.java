package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.Clock;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All actions at the end of a connection run, also after one of them has failed. */
@Timeout(60)
class EndOfConnectionTest {
  /** The actions at the end of a connection. */
  enum Step {
    CALL_FAILS,
    STREAM_FAILS,
    INPUT_CLOSED,
    HANDLER_IS_CANCELLED,
    STREAM_IS_CANCELLED,
    SUBSCRIPTION_IS_ENDED,
    CREDIT_IS_DROPPED,
    ROOM_IS_REPORTED,
    ROOM_IS_REPORTED_AGAIN,
    LISTENER_IS_TOLD,
    CLOSED_COMPLETES,
    SERVER_IS_TOLD
  }

  private final Map<Step, CountDownLatch> steps = new EnumMap<>(Step.class);
  private final FullChannel channel = new FullChannel() {
    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      if (closed) {
        done(Step.CREDIT_IS_DROPPED);
      }
      return super.awaitRoom(time, unit);
    }
  };
  private final List<String> events = new CopyOnWriteArrayList<>();
  private @Nullable Step failing;

  /** Notes a step, and lets it fail if it is the one to fail. */
  private void done(Step step) {
    Objects.requireNonNull(steps.get(step)).countDown();
    if (step == failing) {
      throw new AssertionError(step + " fails");
    }
  }

  /** Returns a publisher without items that notes the cancellation. */
  private Flow.Publisher<Integer> silent(Step step, CountDownLatch open) {
    return subscriber -> subscriber.onSubscribe(new Flow.Subscription() {
      @Override
      public void request(long n) {
        open.countDown();
      }

      @Override
      public void cancel() {
        done(step);
      }
    });
  }

  private Options options() {
    return Options.builder()
        .listener(new Listener() {
          @Override
          public void disconnected(Peer peer, @Nullable Throwable cause) {
            done(Step.LISTENER_IS_TOLD);
          }
        })
        .build();
  }

  /** Methods that run until the connection ends. */
  public final class Methods {
    final CountDownLatch open = new CountDownLatch(3);

    public CompletableFuture<String> hang(Call call) {
      call.cancellation().onCancel(() -> done(Step.HANDLER_IS_CANCELLED));
      open.countDown();
      return new CompletableFuture<>();
    }

    public Flow.Publisher<Integer> rows() {
      return silent(Step.STREAM_IS_CANCELLED, open);
    }

    @Streamed(subscription = "item", unsubscribe = "unsubscribe")
    public Flow.Publisher<Integer> subscribe() {
      return silent(Step.SUBSCRIPTION_IS_ENDED, open);
    }
  }

  /** Opens a received stream whose credit waits for room. */
  private void openStream(Peer peer) throws InterruptedException {
    Probe<Integer> subscriber = new Probe<>(10) {
      @Override
      public void onError(Throwable failure) {
        super.onError(failure);
        done(Step.STREAM_FAILS);
      }
    };
    peer.request("numbers").streaming(Streaming.DEFAULT.buffer(1)).stream(int.class)
        .subscribe(subscriber);
    channel.full = true;
    channel.asked.drainPermits();
    channel.receiveItems("1");
    channel.asked.acquire(2); // before the credit waits, and after
    channel.full = false;
  }

  @ParameterizedTest
  @EnumSource
  void aFailureOfOneActionKeepsNoOtherFromRunning(Step step) throws Exception {
    for (Step each : Step.values()) {
      steps.put(each, new CountDownLatch(1));
    }
    failing = step;
    Methods methods = new Methods();
    Peer peer = Peer.open(channel, Service.of(methods), options());
    openStream(peer);
    peer.callAsync("answer", int.class).whenComplete((result, failure) -> done(Step.CALL_FAILS));
    channel.receive("""
        {"jsonrpc":"2.0","id":1,"method":"hang"}""");
    channel.receive("""
        {"jsonrpc":"2.0","id":2,"method":"rows"}""");
    channel.receive("""
        {"jsonrpc":"2.0","method":"rpc.credit","params":{"id":2,"n":5}}""");
    channel.receive("""
        {"jsonrpc":"2.0","id":3,"method":"subscribe"}""");
    assertThat(methods.open.await(60, SECONDS)).isTrue();
    channel.full = true;
    peer.flow().hasRoom(() -> done(Step.ROOM_IS_REPORTED));
    peer.flow().hasRoom(() -> done(Step.ROOM_IS_REPORTED_AGAIN));
    peer.flow().onInputClosed(() -> done(Step.INPUT_CLOSED));
    peer.closed().whenComplete((nothing, cause) -> done(Step.CLOSED_COMPLETES));
    peer.ending().whenEnded(ended -> done(Step.SERVER_IS_TOLD));
    peer.ending().endAfter(Duration.ofDays(1));

    channel.closed = true;
    channel.receiver().inputClosed(null);
    channel.receiver().closed(new IOException("reset"));

    for (Step each : Step.values()) {
      assertThat(steps.get(each).await(60, SECONDS)).as(each.toString()).isTrue();
    }
    assertThat(peer.ending().due()).isEqualTo(Clock.NEVER);
    assertThat(peer.ending().isInUseHere()).isFalse();
    assertThat(peer.ending().hasEnded()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"tcp://127.0.0.1:0,true", "tcp://127.0.0.1:0,false", "mem:end,true", "mem:end,false"})
  void aStreamFailsIfItsConnectionEndsWhileAnItemIsHandled(String uri, boolean here)
      throws Exception {
    Service service =
        Service.builder().method("numbers", call -> List.of(1, 2, 3).iterator()).build();
    try (Server server = Repartee.listen(uri, service);
        Peer peer = Repartee.connect(server.endpoint())) {
      CountDownLatch handling = new CountDownLatch(1);
      CountDownLatch ended = new CountDownLatch(1);
      Probe<Integer> subscriber = new Probe<>(3) {
        @Override
        public void onNext(Integer item) {
          handling.countDown();
          assertThat(awaits(ended)).isTrue();
        }
      };
      peer.request("numbers").streaming(Streaming.DEFAULT.buffer(1)).stream(int.class)
          .subscribe(subscriber);
      assertThat(handling.await(60, SECONDS)).isTrue();
      if (here) {
        peer.close(Duration.ZERO);
      } else {
        server.close(Duration.ZERO);
      }
      peer.closed().handle((nothing, cause) -> true).toCompletableFuture().get(60, SECONDS);
      ended.countDown();
      assertThat(subscriber.failure()).isInstanceOf(DisconnectedException.class);
    }
  }

  @Test
  void aFailureOfAnActionThatWaitedForRoomKeepsNoOtherFromRunningAndEndsTheConnection() {
    List<Throwable> aborts = new ArrayList<>();
    FullChannel full = new FullChannel() {
      @Override
      public void abort(@Nullable Throwable cause) {
        aborts.add(Objects.requireNonNull(cause));
      }
    };
    Peer peer = Peer.open(full, Service.NONE, Options.DEFAULT);
    full.full = true;
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Error failure = new AssertionError(i);
      assertThat(peer.flow().hasRoom(() -> {
            failures.add(failure);
            throw failure;
          }))
          .isFalse();
    }
    full.receiver().roomAgain();
    assertThat(failures).hasSize(3);
    assertThat(aborts).containsExactly(failures.get(0));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theRunningCallEndsBeforeTheConnectionWhetherItIsClosedBeforeOrAfterTheEndOfInput(
      boolean inputFirst) throws Exception {
    CompletableFuture<String> result = new CompletableFuture<>();
    CountDownLatch called = new CountDownLatch(1);
    FullChannel ending = new FullChannel() {
      @Override
      public void close() {
        events.add("the channel is closed");
        receiver().closed(null);
      }
    };
    Service service = Service.builder()
        .method("hang", call -> {
          called.countDown();
          return result.whenComplete((text, failure) -> events.add("the call has ended"));
        })
        .build();
    Peer peer = Peer.open(ending, service, Options.DEFAULT);
    ending.receive("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hang\"}");
    assertThat(called.await(60, SECONDS)).isTrue();
    List<Runnable> steps = List.of(() -> ending.receiver().inputClosed(null), peer.ending()::start);
    CallFuture<Integer> call = peer.callAsync("answer", int.class);
    steps.get(inputFirst ? 0 : 1).run();
    steps.get(inputFirst ? 1 : 0).run();
    assertThat(call).isCompletedExceptionally();
    assertThat(events).isEmpty();
    result.complete("done");
    peer.closed().toCompletableFuture().get(60, SECONDS);
    assertThat(events).startsWith("the call has ended", "the channel is closed");
    assertThat(ending.kept).hasSize(2); // the call and the answer
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(60, SECONDS);
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Test
  void aServerStopsIfAFactoryFailsWhenItIsToldOfTheEnd() throws Exception {
    PeerFactory factory = new PeerFactory() {
      @Override
      public Peer open(Channel given) {
        return Peer.open(given, Service.NONE, Options.DEFAULT);
      }

      @Override
      public void closing() {
        throw new IllegalStateException("closing");
      }

      @Override
      public void closed() {
        throw new IllegalStateException("closed");
      }
    };
    Server server = Repartee.listen("mem:factory", factory, Options.DEFAULT);
    server.close();
    server.join();
  }
}
