package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.transport.OutboundFrame;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Frames that a transport keeps until it can send them, and then drops. */
class GivenUpFramesTest {
  private final KeepingChannel channel = new KeepingChannel();
  private final Peer peer = Peer.open(channel, Service.NONE, Options.DEFAULT);

  private OutboundFrame next() {
    return Objects.requireNonNull(channel.kept.poll());
  }

  @Test
  void aFrameIsGivenUpOnceItsCallIs() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    OutboundFrame frame = next();
    assertThat(frame.isGivenUp()).isFalse();
    call.cancel(true);
    assertThat(frame.isGivenUp()).isTrue();
    assertThat(next().isGivenUp()).as("the cancellation").isFalse();
  }

  @Test
  void aBatchIsGivenUpOnceAllOfItIs() {
    Batch batch = peer.batch();
    CallFuture<Integer> one = batch.callAsync("one", int.class);
    CallFuture<Integer> other = batch.callAsync("other", int.class);
    batch.send();
    OutboundFrame frame = next();
    one.cancel(true);
    assertThat(frame.isGivenUp()).isFalse();
    other.cancel(true);
    assertThat(frame.isGivenUp()).isTrue();
  }

  private void answer(int id) {
    byte[] answer =
        ("{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":" + id + "}").getBytes(StandardCharsets.UTF_8);
    channel.receiver().frame(answer, 0, answer.length);
  }

  @Test
  void aFrameIsAnsweredOnceItsCallIs() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    OutboundFrame frame = next();
    assertThat(frame.isAnswered()).isFalse();
    answer(1);
    assertThat(call.join()).isEqualTo(19);
    assertThat(frame.isAnswered()).isTrue();
  }

  @Test
  void aFrameOfAGivenUpCallIsNotAnswered() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    OutboundFrame frame = next();
    call.cancel(true);
    answer(1);
    assertThat(frame.isAwaited()).isFalse();
    assertThat(frame.isAnswered()).isFalse();
  }

  @Test
  void aBatchIsAnsweredOnceAllOfItIs() {
    Batch batch = peer.batch().notify("n");
    batch.callAsync("one", int.class);
    CallFuture<Integer> other = batch.callAsync("other", int.class);
    batch.send();
    OutboundFrame frame = next();
    answer(1);
    assertThat(frame.isAnswered()).isFalse();
    answer(2);
    assertThat(other.join()).isEqualTo(19);
    assertThat(frame.isAnswered()).isTrue();
  }

  @Test
  void aNotificationIsNeverAnswered() {
    peer.notify("n");
    assertThat(next().isAnswered()).isFalse();
    peer.batch().notify("n").send();
    assertThat(next().isAnswered()).isFalse();
  }

  @Test
  void aNotificationIsNeverGivenUp() {
    peer.notify("n");
    assertThat(next().isGivenUp()).isFalse();
    Batch batch = peer.batch().notify("n");
    CallFuture<Integer> call = batch.callAsync("m", int.class);
    batch.send();
    call.cancel(true);
    assertThat(next().isGivenUp()).isFalse();
  }
}
