package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Frames that a transport keeps until it can send them. */
class GivenUpFramesTest {
  private final Queue<Output> kept = new ArrayDeque<>();
  private final Peer peer = Peer.open(new Keeping(), Service.NONE, Options.DEFAULT);

  /** A channel that keeps its frames unsent. */
  private final class Keeping implements Channel {
    @Override
    public void start(Receiver receiver) {}

    @Override
    public void resume() {}

    @Override
    public Output open() {
      return new Output();
    }

    @Override
    public void commit(Output frame) {
      kept.add(frame);
    }

    @Override
    public void discard(Output frame) {}

    @Override
    public boolean awaitRoom(long time, TimeUnit unit) {
      return true;
    }

    @Override
    public void close() {}

    @Override
    public void abort(@Nullable Throwable cause) {}

    @Override
    public ChannelInfo info() {
      return new ChannelInfo("test", "", "message");
    }
  }

  private Output next() {
    return java.util.Objects.requireNonNull(kept.poll());
  }

  @Test
  void aFrameIsGivenUpOnceItsCallIs() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    Output frame = next();
    assertThat(frame.isGivenUp()).isFalse();
    call.cancel(true);
    assertThat(frame.isGivenUp()).isTrue();
    assertThat(next().isGivenUp()).as("the cancellation").isFalse();
  }

  @Test
  void aBatchIsGivenUpOnceAllOfItIs() {
    Batch batch = peer.batch();
    CallFuture<Integer> one = batch.call("one", int.class);
    CallFuture<Integer> other = batch.call("other", int.class);
    batch.send();
    Output frame = next();
    one.cancel(true);
    assertThat(frame.isGivenUp()).isFalse();
    other.cancel(true);
    assertThat(frame.isGivenUp()).isTrue();
  }

  @Test
  void aNotificationIsNeverGivenUp() {
    peer.notify("n");
    assertThat(next().isGivenUp()).isFalse();
    Batch batch = peer.batch().notify("n");
    CallFuture<Integer> call = batch.call("m", int.class);
    batch.send();
    call.cancel(true);
    assertThat(next().isGivenUp()).isFalse();
  }
}
