package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.trace.Trace;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The messages that a channel without a connection sends, and their ends. */
class OutgoingMessagesTest {
  private final Messages channel = new Messages();
  private final Peer peer = Peer.open(channel, Service.NONE, Options.DEFAULT);

  /** A channel that keeps its messages, and notes their ends. */
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

  private OutgoingMessage next() {
    return Objects.requireNonNull(channel.sent.poll());
  }

  /** Returns the list of the ends of a message: whether it was unwanted. */
  private static List<Boolean> ends(OutgoingMessage message) {
    List<Boolean> ends = new ArrayList<>();
    message.onEnd(ends::add);
    return ends;
  }

  private void answer(int id) {
    byte[] answer = """
        {"jsonrpc":"2.0","result":19,"id":%s}""".formatted(id).getBytes(StandardCharsets.UTF_8);
    channel.receiver().frame(answer, 0, answer.length);
  }

  @Test
  void aMessageIsUnwantedOnceItsCallIsGivenUp() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    OutgoingMessage message = next();
    List<Boolean> ends = ends(message);
    assertThat(message.isCall()).isTrue();
    assertThat(message.isDone()).isFalse();
    assertThat(message.method()).isEqualTo("m");
    call.cancel(true);
    assertThat(message.isDone()).isTrue();
    assertThat(message.isUnwanted()).isTrue();
    assertThat(ends).containsExactly(true);
    assertThat(next().isCall()).as("the cancellation").isFalse();
  }

  @Test
  void aBatchIsUnwantedOnceAllOfItIsGivenUp() {
    Batch batch = peer.batch();
    CallFuture<Integer> one = batch.callAsync("one", int.class);
    CallFuture<Integer> other = batch.callAsync("other", int.class);
    batch.send();
    OutgoingMessage message = next();
    List<Boolean> ends = ends(message);
    one.cancel(true);
    assertThat(message.isDone()).isFalse();
    assertThat(ends).isEmpty();
    other.cancel(true);
    assertThat(ends).containsExactly(true);
  }

  @Test
  void aMessageEndsOnceItsCallIsAnswered() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    OutgoingMessage message = next();
    List<Boolean> ends = ends(message);
    answer(1);
    assertThat(call.join()).isEqualTo(19);
    assertThat(message.isDone()).isTrue();
    assertThat(ends).containsExactly(false);
  }

  @Test
  void aLateAnswerDoesNotEndAMessageAgain() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    List<Boolean> ends = ends(next());
    call.cancel(true);
    answer(1);
    assertThat(ends).containsExactly(true);
  }

  @Test
  void aBatchEndsOnceAllOfItIsAnswered() {
    Batch batch = peer.batch().notify("n");
    batch.callAsync("one", int.class);
    CallFuture<Integer> other = batch.callAsync("other", int.class);
    batch.send();
    OutgoingMessage message = next();
    List<Boolean> ends = ends(message);
    answer(1);
    assertThat(ends).isEmpty();
    answer(2);
    assertThat(other.join()).isEqualTo(19);
    assertThat(ends).containsExactly(false);
  }

  @Test
  void anEndBeforeTheChannelListensIsReportedAtOnce() {
    CallFuture<Integer> call = peer.callAsync("m", int.class);
    call.cancel(true);
    assertThat(ends(next())).containsExactly(true);
  }

  @Test
  void aNotificationHasNoEnd() {
    peer.notify("n");
    OutgoingMessage notification = next();
    assertThat(notification.isCall()).isFalse();
    assertThat(notification.isAnswer()).isFalse();
    assertThat(ends(notification)).isEmpty();
    assertThat(notification.fail(new IllegalStateException())).isFalse();
    peer.batch().notify("n").send();
    assertThat(next().isCall()).isFalse();
  }

  @Test
  void aBatchWithANotificationIsNeverUnwanted() {
    Batch batch = peer.batch().notify("n");
    CallFuture<Integer> call = batch.callAsync("m", int.class);
    batch.send();
    OutgoingMessage message = next();
    List<Boolean> ends = ends(message);
    call.cancel(true);
    assertThat(ends).containsExactly(false);
    assertThat(message.isDone()).isTrue();
    assertThat(message.isUnwanted()).isFalse();
  }

  @Test
  void aFailureFailsTheCallsThatWait() {
    Batch batch = peer.batch();
    CallFuture<Integer> answered = batch.callAsync("one", int.class);
    CallFuture<Integer> waiting = batch.callAsync("other", int.class);
    batch.send();
    OutgoingMessage message = next();
    List<Boolean> ends = ends(message);
    answer(1);
    assertThat(message.fail(new DisconnectedException("refused", null))).isTrue();
    assertThat(answered.join()).isEqualTo(19);
    assertThatThrownBy(waiting::await).hasMessage("refused");
    assertThat(ends).containsExactly(true);
  }

  @Test
  void aMessageWithoutItsTextStillTellsWhetherItsCallWaits() {
    peer.callAsync("m", int.class);
    OutgoingMessage message = next();
    int size = message.text().size();
    message.dropText();
    assertThat(message.size()).isEqualTo(size);
    assertThatThrownBy(message::text).isInstanceOf(IllegalStateException.class);
    assertThat(message.isDone()).isFalse();
  }

  @Test
  void aMessageTellsWhetherItsCallsAreIdempotentAndHowLongTheyWait() {
    peer.request("withdraw").timeout(Duration.ofHours(1)).send(int.class);
    OutgoingMessage withdraw = next();
    assertThat(withdraw.isIdempotent()).isFalse();
    assertThat(withdraw.timeLeft()).isBetween(1L, Duration.ofHours(1).toNanos());

    peer.request("balance").timeout(Duration.ZERO).idempotent().send(int.class);
    OutgoingMessage balance = next();
    assertThat(balance.isIdempotent()).isTrue();
    assertThat(balance.timeLeft()).isEqualTo(Long.MAX_VALUE);

    peer.notify("tick");
    OutgoingMessage tick = next();
    assertThat(tick.isIdempotent()).isFalse();
    assertThat(tick.timeLeft()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aTraceRecordsMessagesAndLeavesThemWhole() {
    List<String> recorded = new CopyOnWriteArrayList<>();
    Messages traced = new Messages();
    try (Trace trace = Trace.builder().to(entry -> recorded.add(entry.toString()))) {
      Options options = Options.builder().trace(trace).build();
      Peer other = Peer.open(traced, Service.NONE, options);
      CallFuture<Integer> call = other.callAsync("m", int.class);
      List<Boolean> ends = ends(Objects.requireNonNull(traced.sent.poll()));
      call.cancel(true);
      assertThat(ends).containsExactly(true);
      other.notify("n");
    }
    assertThat(traced.sent).hasSize(2); // the cancellation and the notification
    assertThat(recorded).filteredOn(each -> each.contains("\"method\":\"n\"")).hasSize(1);
    assertThat(recorded).filteredOn(each -> each.contains("\"method\":\"m\"")).hasSize(1);
  }
}
