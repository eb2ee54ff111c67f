package dev.repartee.examples.guides;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.FrameResponder;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueChannelTest {
  private final Broker broker = new Broker();
  private final Peer peer =
      Peer.open(new QueueChannel(broker, Limits.DEFAULT), Service.NONE, Options.DEFAULT);

  /** A message in the queue. */
  private record Message(String key, byte[] body, long nanos) {}

  /** A broker in memory, whose workers run when the test says so. */
  private static final class Broker implements QueueBroker {
    final Queue<Message> queue = new ArrayDeque<>();
    final List<String> cancelled = new ArrayList<>();
    boolean isFull;
    boolean isClosed;
    Runnable publishing = () -> {};

    @Nullable BiConsumer<String, byte[]> replies;

    private final FrameResponder worker = FrameResponder.of(
        Service.builder()
            .method("twice", Integer[].class, Integer.class, (params, call) -> 2 * params[0])
            .build(),
        Options.DEFAULT,
        new ChannelInfo("queue", "", "message"));

    @Override
    public void publish(String key, byte[] body, long nanos) throws IOException {
      if (isFull) {
        throw new IOException("the queue is full");
      }
      publishing.run();
      queue.add(new Message(key, body, nanos));
    }

    @Override
    public void cancel(String key) {
      cancelled.add(key);
      queue.removeIf(message -> message.key().equals(key));
    }

    @Override
    public void subscribe(BiConsumer<String, byte[]> replies) {
      this.replies = replies;
    }

    @Override
    public void close() {
      isClosed = true;
    }

    void reply(String key, byte[] body) {
      Objects.requireNonNull(replies).accept(key, body);
    }

    /** Handles the first message of the queue. */
    void work() throws InterruptedException {
      Message next = queue.remove();
      byte[] reply = worker.respond(next.body());
      if (reply != null) {
        reply(next.key(), reply);
      }
    }
  }

  @Test
  void aCallIsAnswered() throws Exception {
    CallFuture<Integer> twice = peer.callAsync("twice", int.class, 4);
    broker.work();
    assertThat(twice.join()).isEqualTo(8);
    CallFuture<Integer> unknown = peer.callAsync("thrice", int.class, 4);
    broker.work();
    assertThatThrownBy(unknown::await).isInstanceOf(RemoteRpcException.class);
    assertThat(broker.cancelled).isEmpty();
  }

  @Test
  void aBatchIsOneMessageAndANotificationHasNoReply() throws Exception {
    peer.notify("twice", 1);
    broker.work();
    Batch batch = peer.batch().notify("twice", 2);
    CallFuture<Integer> one = batch.callAsync("twice", int.class, 3);
    CallFuture<Integer> other = batch.callAsync("twice", int.class, 4);
    batch.send();
    broker.work();
    assertThat(one.join() + other.join()).isEqualTo(14);
    assertThat(broker.queue).isEmpty();
  }

  @Test
  void aCallThatIsGivenUpIsCancelledAndItsLateReplyIsDropped() {
    CallFuture<Integer> call =
        peer.request("twice").args(1).timeout(Duration.ofHours(1)).send(int.class);
    Message message = broker.queue.remove();
    assertThat(message.nanos()).isBetween(1L, Duration.ofHours(1).toNanos());
    call.cancel(true);
    assertThat(broker.cancelled).containsExactly(message.key());
    broker.reply(message.key(), """
        {"jsonrpc":"2.0","result":2,"id":1}""".getBytes(UTF_8));
    assertThat(broker.queue).as("no message cancels it, too").isEmpty();
  }

  @Test
  void aCallThatIsGivenUpWhileItIsPublishedIsCancelledAfterThat() {
    Batch batch = peer.batch();
    CallFuture<Integer> call = batch.callAsync("twice", int.class, 1);
    broker.publishing = () -> call.cancel(true);
    batch.send();
    assertThat(broker.cancelled).hasSize(1);
    assertThat(broker.queue).isEmpty();
  }

  @Test
  void aReplyThatAnswersNothingFailsTheCall() {
    CallFuture<Integer> call = peer.callAsync("twice", int.class, 1);
    broker.reply(broker.queue.remove().key(), "{}".getBytes(UTF_8));
    assertThatThrownBy(call::await)
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("does not answer");
  }

  @Test
  void aMessageThatTheBrokerRefusesFailsAlone() throws Exception {
    broker.isFull = true;
    assertThatThrownBy(() -> peer.callAsync("twice", int.class, 1))
        .isInstanceOf(DisconnectedException.class)
        .hasMessage("the broker did not accept the message");
    broker.isFull = false;
    CallFuture<Integer> call = peer.callAsync("twice", int.class, 1);
    broker.work();
    assertThat(call.join()).isEqualTo(2);
  }

  @Test
  void closingEndsTheCallsThatWait() {
    CallFuture<Integer> call = peer.callAsync("twice", int.class, 1);
    peer.close();
    assertThat(broker.isClosed).isTrue();
    assertThatThrownBy(call::await).isInstanceOf(DisconnectedException.class);
    assertThat(peer.isOpen()).isFalse();
  }
}
