package dev.repartee.examples.guides;

import dev.repartee.ProtocolException;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Calls the workers of a queue. Each message has a key that its reply repeats. */
public final class QueueChannel implements MessageChannel {
  private final QueueBroker broker;
  private final Limits limits;
  private final Map<String, OutgoingMessage> awaited = new ConcurrentHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable Receiver receiver;

  public QueueChannel(QueueBroker broker, Limits limits) {
    this.broker = broker;
    this.limits = limits;
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
    broker.subscribe(this::replied);
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void send(OutgoingMessage message) {
    String key = UUID.randomUUID().toString();
    if (message.isCall()) {
      awaited.put(key, message);
    }
    try {
      broker.publish(key, message.text().toBytes(), message.timeLeft());
      message.dropText();
    } catch (IOException e) {
      awaited.remove(key);
      throw new DisconnectedException("the broker did not accept the message", e);
    }
    message.onEnd(unwanted -> ended(key, unwanted)); // a cancellation follows its message
  }

  private void replied(String key, byte[] body) {
    OutgoingMessage message = awaited.get(key);
    if (message != null) { // otherwise it is late
      Objects.requireNonNull(receiver).frame(body, 0, body.length);
      awaited.remove(key);
      if (!message.isDone()) {
        message.fail(new ProtocolException("the reply of the queue does not answer the call"));
      }
    }
  }

  private void ended(String key, boolean unwanted) {
    if (awaited.remove(key) != null && unwanted) {
      broker.cancel(key);
    }
  }

  @Override
  public boolean cancels() {
    return true;
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    if (closed.compareAndSet(false, true)) {
      broker.close();
      Objects.requireNonNull(receiver).closed(cause);
    }
  }

  @Override
  public ChannelInfo info() {
    return new ChannelInfo("queue", "the queue", "message");
  }
}
