package dev.repartee.transport;

import dev.repartee.framing.Receiver;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A channel that forwards every method to another channel. Extend it for a channel that differs
 * from another one in a few methods only. {@link #send(byte[])} calls {@link #open} and {@link
 * #commit} of this channel. A {@link MessageChannel} stays one only if the subclass implements that
 * interface, too.
 */
public abstract class ForwardingChannel implements Channel {
  private final Channel channel;

  /** Forwards to that channel. */
  protected ForwardingChannel(Channel channel) {
    this.channel = Objects.requireNonNull(channel);
  }

  @Override
  public void start(Receiver receiver) {
    channel.start(receiver);
  }

  @Override
  public OutboundFrame open() {
    return channel.open();
  }

  @Override
  public void commit(OutboundFrame frame) {
    channel.commit(frame);
  }

  @Override
  public void gather(OutboundFrame frame) {
    channel.gather(frame);
  }

  @Override
  public void flush() {
    channel.flush();
  }

  @Override
  public void flushSoon() {
    channel.flushSoon();
  }

  @Override
  public void discard(OutboundFrame frame) {
    channel.discard(frame);
  }

  @Override
  public boolean streams() {
    return channel.streams();
  }

  @Override
  public boolean takesAnswers() {
    return channel.takesAnswers();
  }

  @Override
  public void onRoom(Runnable action) {
    channel.onRoom(action);
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return channel.awaitRoom(time, unit);
  }

  @Override
  public void resume() {
    channel.resume();
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    channel.abort(cause);
  }

  @Override
  public Attributes attributes() {
    return channel.attributes();
  }

  @Override
  public boolean isLowLatency() {
    return channel.isLowLatency();
  }

  @Override
  public ChannelInfo info() {
    return channel.info();
  }
}
