package dev.repartee.mcp.http;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import org.jspecify.annotations.Nullable;

/**
 * A channel for messages in HTTP requests and responses of several connections. It does not queue
 * messages: a POST delivers its message immediately or fails, and an event stream uses the queue of
 * its response. Thread-safe; the lock of this object guards {@code closed}.
 */
abstract class HttpChannel implements Channel {
  private final ChannelInfo info;
  private final int frameBytes;
  private @Nullable Receiver receiver;
  private boolean closed; // guarded by this

  /** {@code framing} is the framing in {@link #info}. */
  HttpChannel(String framing, int frameBytes) {
    this.info = new ChannelInfo("http", "", framing);
    this.frameBytes = frameBytes;
  }

  /** Returns the receiver; null before the start and after the end. */
  final synchronized @Nullable Receiver receiver() {
    return closed ? null : receiver;
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public final OutboundFrame open() {
    return new OutboundFrame(frameBytes);
  }

  @Override
  public final void abort(@Nullable Throwable cause) {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    ended();
    if (receiver != null) {
      receiver.closed(cause);
    }
  }

  /** Called once when the channel is closed, before its receiver is notified. */
  void ended() {}

  @Override
  public final ChannelInfo info() {
    return info;
  }
}
