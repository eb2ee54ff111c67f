package dev.repartee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A worker with clients that violate the rules. */
class WorkerTest {
  private final List<FrameSink> served = new ArrayList<>();
  private final List<Integer> refusals = new ArrayList<>();
  private boolean isFaulty;
  private boolean closesMeanwhile;
  private int abandoned;
  private final FakeClock clock = new FakeClock();
  private final Worker worker = new Worker(
      new Frames(),
      new ChannelInfo("test", "", "message"),
      ClockLimits.builder(clock).build());

  /** A service whose messages do not end. */
  private final class Frames implements FrameService, FrameService.InFlight {
    @Override
    public FrameService of(ChannelInfo channel, Attributes attributes) {
      return this;
    }

    @Override
    public InFlight serve(byte[] frame, int from, int to, FrameSink replies) {
      served.add(replies);
      if (closesMeanwhile) {
        worker.finish(Duration.ZERO);
        clock.advance(Duration.ZERO);
      }
      return this;
    }

    @Override
    public InFlight refuse(
        byte[] frame, int from, int to, int code, String message, FrameSink replies) {
      refusals.add(code);
      if (isFaulty && refusals.size() == 1) {
        throw new IllegalStateException("by design");
      }
      return this;
    }

    @Override
    public boolean isIdempotent(byte[] frame, int from, int to) {
      return false;
    }

    @Override
    public int httpStatus(OptionalInt errorCode) {
      return 200;
    }

    @Override
    public int httpNotificationStatus() {
      return 204;
    }

    @Override
    public void whenDone(Runnable action) {}

    @Override
    public void abandon() {
      abandoned++;
    }
  }

  private record Message(String key, int window, List<String> returned) implements Delivery {
    Message(String key, int window) {
      this(key, window, new ArrayList<>());
    }

    @Override
    public byte[] body() {
      return new byte[1];
    }

    @Override
    public boolean expectsReply() {
      return true;
    }

    @Override
    public boolean isIdempotent() {
      return false;
    }

    @Override
    public boolean isRepeated() {
      return false;
    }

    @Override
    public int attempts() {
      return 0;
    }

    @Override
    public void reply(byte[] body, boolean hasMore) {}

    @Override
    public void done() {}

    @Override
    public void dead(String reason) {}

    @Override
    public void again() {
      returned.add(key);
    }
  }

  @Test
  void aRequestThatWasCancelledBeforeIsNotRun() {
    worker.cancel("key");
    worker.serve(new Message("key", 1));
    assertThat(served).isEmpty();
  }

  @Test
  void cancellationsWithKeysThatNoRequestHasTakeNoMemory() {
    String huge = "x".repeat(100_000);
    worker.cancel(huge);
    worker.serve(new Message(huge, 1));
    assertThat(served).hasSize(1); // the key was not remembered
  }

  @Test
  void closingStopsAMessageAtTheTimeLimit() {
    worker.serve(new Message("key", 1));
    CompletableFuture<?> end = worker.finish(Duration.ofSeconds(2)).toCompletableFuture();
    clock.advance(Duration.ofSeconds(2).minusNanos(1));
    assertThat(end).isNotDone();
    assertThat(refusals).isEmpty();
    clock.advance(Duration.ofNanos(1));
    assertThat(end).isCompleted();
    assertThat(refusals).containsExactly(RpcError.OUTCOME_UNKNOWN);
  }

  @Test
  void aMessageWhoseServiceHasNotReturnedAtTheTimeLimitIsAbandoned() {
    closesMeanwhile = true;
    worker.serve(new Message("key", 1));
    assertThat(refusals).containsExactly(RpcError.OUTCOME_UNKNOWN);
    assertThat(abandoned).isEqualTo(1);
  }

  @Test
  void aMessageThatArrivesAtAClosingWorkerIsReturned() {
    Message message = new Message("key", 1);
    worker.finish(Duration.ZERO);
    worker.serve(message);
    assertThat(served).isEmpty();
    assertThat(message.returned()).containsExactly("key");
    assertThat(worker.running()).isZero();
  }

  @Test
  void closingStopsTheOtherMessagesAfterOneThatCannotBeSettled() {
    isFaulty = true;
    worker.serve(new Message("one", 1));
    worker.serve(new Message("two", 1));
    CompletableFuture<?> end = worker.finish(Duration.ofSeconds(2)).toCompletableFuture();
    clock.advance(Duration.ofSeconds(2));
    assertThat(refusals).hasSize(2);
    assertThat(end).isCompleted();
  }

  @Test
  void closingEndsImmediatelyIfNoMessageRuns() {
    assertThat(worker.finish(Duration.ofSeconds(2)).toCompletableFuture()).isCompleted();
    assertThat(clock.timers()).isZero();
  }

  @Test
  void aClientCannotMakeTheWorkerSendMoreAheadThanItsOwnClientsTake() throws Exception {
    worker.serve(new Message("key", Integer.MAX_VALUE));
    FrameSink replies = served.get(0);
    byte[] item = new byte[RequestChannel.WINDOW];
    var frame = replies.open();
    frame.raw(item);
    replies.commit(frame.initiate());
    assertThat(replies.awaitRoom(0, TimeUnit.SECONDS)).isTrue();
    frame = replies.open();
    frame.raw(item);
    replies.commit(frame.initiate());
    assertThat(replies.awaitRoom(0, TimeUnit.SECONDS)).isFalse();
  }
}
