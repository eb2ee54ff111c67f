package dev.repartee.mcp.http;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.OutboundFrame;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The channel of the server's requests to the client of an HTTP session. Requests are sent on one
 * of the session's SSE streams. Each response arrives in a separate POST.
 *
 * <p>Thread-safe. {@code delivery} serializes incoming responses; the lock of this object guards
 * the carrier.
 */
final class SessionChannel extends HttpChannel {
  private final Consumer<byte[]> standing;
  private final Object delivery = new Object();
  private @Nullable Consumer<byte[]> carrier; // guarded by this

  /** Creates the channel; {@code standing} sends the messages that do not belong to a request. */
  SessionChannel(Consumer<byte[]> standing, int frameBytes) {
    super("message", frameBytes);
    this.standing = standing;
  }

  /** Runs {@code sending} and sends its messages on the given stream. */
  synchronized <T> T through(Consumer<byte[]> stream, Supplier<T> sending) {
    carrier = stream;
    try {
      return sending.get();
    } finally {
      carrier = null;
    }
  }

  /**
   * Delivers a response of the client. Code that waits for the response may run on this thread.
   * Therefore this method uses a separate lock, and senders do not wait for that code.
   */
  void deliver(byte[] frame) {
    synchronized (delivery) {
      Receiver receiver = receiver();
      if (receiver != null) {
        receiver.frame(frame, 0, frame.length);
      }
    }
  }

  @Override
  public synchronized void commit(OutboundFrame frame) {
    (carrier == null ? standing : carrier).accept(frame.toBytes());
  }
}
