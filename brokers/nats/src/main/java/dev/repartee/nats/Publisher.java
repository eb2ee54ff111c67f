package dev.repartee.nats;

import io.nats.client.Connection;
import io.nats.client.Connection.Status;
import io.nats.client.impl.Headers;
import io.nats.client.support.NatsConstants;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages over one connection, and waits while the server takes none: the queue of the client
 * library bounds the number of messages, but not their bytes. Thread-safe.
 */
final class Publisher {
  /** The bytes after which the queue is looked at. */
  private static final int STEP = 1 << 20;

  /** The bytes in the queue above which the sender waits. */
  private static final int MOST = 4 << 20;

  private static final Duration WAIT = Duration.ofSeconds(1);

  private final Connection connection;
  private int bytes; // guarded by this

  Publisher(Connection connection) {
    this.connection = connection;
  }

  Connection connection() {
    return connection;
  }

  /** Returns the most bytes that the server takes in a message with its headers. */
  long most() {
    return connection.getMaxPayload();
  }

  /**
   * Sends a message.
   *
   * @throws IOException if the connection has ended; or if the message is too large, which ends
   *     nothing
   */
  synchronized void publish(
      String subject, @Nullable String reply, @Nullable Headers headers, byte[] body)
      throws IOException {
    bytes += body.length;
    if (bytes >= STEP) {
      bytes = 0;
      awaitRoom();
    }
    while (true) {
      try {
        connection.publish(subject, reply, headers, body);
        return;
      } catch (IllegalStateException e) {
        if (connection.getStatus() != Status.CONNECTED || !isFull(e)) {
          throw new IOException(NatsConnector.text(e), e);
        }
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "a message of " + body.length + " bytes for '" + subject
                + "' cannot be sent; the server" + " takes " + most() + ": " + e.getMessage(),
            e);
      }
    }
  }

  private static boolean isFull(IllegalStateException e) {
    String message = String.valueOf(e.getMessage());
    return message.startsWith(NatsConstants.OUTPUT_QUEUE_IS_FULL)
        || message.startsWith(NatsConstants.OUTPUT_QUEUE_BUSY);
  }

  private void awaitRoom() throws IOException {
    while (connection.getStatus() == Status.CONNECTED && connection.outgoingPendingBytes() > MOST) {
      flush();
    }
  }

  /**
   * Waits until the server has taken everything that was sent before, at most for a second.
   *
   * @return whether it has
   * @throws IOException if this thread was interrupted
   */
  boolean flush() throws IOException {
    try {
      connection.flush(WAIT);
      return true;
    } catch (TimeoutException | RuntimeException e) {
      return false; // it is slow, or the connection has ended
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("the sender was interrupted", e);
    }
  }
}
