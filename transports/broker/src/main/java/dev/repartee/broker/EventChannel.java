package dev.repartee.broker;

import dev.repartee.framing.Receiver;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The channel from a service to all subscribers of its events. A transport passes it to the
 * acceptor of the service, so that {@link dev.repartee.Server#broadcast} sends each notification
 * once and the broker distributes it. Nothing is ever received; calls fail immediately.
 */
public final class EventChannel implements MessageChannel {
  /** The publisher of events. */
  @FunctionalInterface
  public interface Publisher {
    /**
     * Publishes an event; called by the thread of the outbox.
     *
     * @param method the name of the notification
     */
    void publish(String method, byte[] body) throws Exception;
  }

  private final ChannelInfo info;
  private final Limits limits;
  private final Outbox outbox;
  private final Publisher publisher;

  // Guarded by this.
  private @Nullable Receiver receiver;
  private boolean closed;
  private boolean told;

  /** Creates a channel that sends through an outbox. */
  public EventChannel(ChannelInfo info, Limits limits, Outbox outbox, Publisher publisher) {
    this.info = info;
    this.limits = limits;
    this.outbox = outbox;
    this.publisher = publisher;
  }

  @Override
  public void start(Receiver receiver) {
    synchronized (this) {
      this.receiver = receiver;
    }
    tellIfClosed(null);
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void send(OutgoingMessage message) {
    if (message.isCall()) {
      message.fail(new DisconnectedException(
          "the subscribers of " + info.other() + " accept only notifications, no calls", null));
      return;
    }
    byte[] body = message.text().toBytes();
    Json method = Json.parse(body).get("method");
    if (method != null) {
      String name = method.as(String.class);
      outbox.add(body.length, () -> publisher.publish(name, body));
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return outbox.awaitRoom(time, unit);
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    synchronized (this) {
      closed = true;
    }
    tellIfClosed(cause);
  }

  private void tellIfClosed(@Nullable Throwable cause) {
    Receiver to;
    synchronized (this) {
      to = closed && !told ? receiver : null;
      told |= to != null;
    }
    if (to != null) {
      to.closed(cause);
    }
  }

  @Override
  public ChannelInfo info() {
    return info;
  }
}
