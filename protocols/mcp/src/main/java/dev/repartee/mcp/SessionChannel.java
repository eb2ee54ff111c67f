package dev.repartee.mcp;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.OutboundFrame;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The channel of the server's requests to the client of an HTTP session. Requests leave on one of
 * the session's SSE streams, and each response comes in a POST of its own.
 *
 * <p>Thread-safe. {@code delivery} serializes incoming responses; the lock of this guards the
 * carrier and closed.
 */
final class SessionChannel implements Channel {
  private static final ChannelInfo INFO = new ChannelInfo("http", "", "message");

  private final Consumer<byte[]> standing;
  private final int frameBytes;
  private final Object delivery = new Object();
  private @Nullable Receiver receiver;
  private @Nullable Consumer<byte[]> carrier; // guarded by this
  private boolean closed; // guarded by this

  /** {@code standing} takes messages that belong to no request. */
  SessionChannel(Consumer<byte[]> standing, int frameBytes) {
    this.standing = standing;
    this.frameBytes = frameBytes;
  }

  /** Runs {@code sending}; messages that it sends leave on the given stream. */
  synchronized <T> T through(Consumer<byte[]> stream, Supplier<T> sending) {
    carrier = stream;
    try {
      return sending.get();
    } finally {
      carrier = null;
    }
  }

  /**
   * Delivers a response of the client. Code that waits for the response may run on this thread, so
   * it holds a lock of its own and senders do not wait for it.
   */
  void deliver(byte[] frame) {
    synchronized (delivery) {
      if (receiver != null && !isClosed()) {
        receiver.frame(frame, 0, frame.length);
      }
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void start(Receiver receiver) {
    this.receiver = receiver;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(frameBytes);
  }

  @Override
  public synchronized void commit(OutboundFrame frame) {
    (carrier == null ? standing : carrier).accept(frame.toBytes());
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (receiver != null) {
      receiver.closed(cause);
    }
  }

  @Override
  public ChannelInfo info() {
    return INFO;
  }
}
