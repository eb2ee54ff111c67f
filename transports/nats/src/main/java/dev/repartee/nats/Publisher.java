package dev.repartee.nats;

import dev.repartee.broker.Causes;
import io.nats.client.Connection;
import io.nats.client.Connection.Status;
import io.nats.client.impl.Headers;
import io.nats.client.support.NatsConstants;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages over one connection, and waits while the server reads none: the queue of the
 * client library does not limit the bytes of its messages. Thread-safe.
 */
final class Publisher {
  /** The number of bytes after which the queue is checked. */
  private static final int STEP = 1 << 20;

  /** The number of queued bytes above which the sender waits. */
  private static final int MOST = 4 << 20;

  /** The number of bytes that are counted for a message in addition to its body and its headers. */
  private static final int OVERHEAD = 128;

  /** The maximum number of messages in the queue: large enough that only the bytes limit it. */
  static final int MESSAGES = 2 * (MOST + STEP) / OVERHEAD;

  private static final Duration WAIT = Duration.ofSeconds(10);

  private final Connection connection;
  private final ReentrantLock lock = new ReentrantLock();
  private int bytes; // guarded by the lock

  Publisher(Connection connection) {
    this.connection = connection;
  }

  Connection connection() {
    return connection;
  }

  /** Returns the maximum size of a message with its headers that the server accepts, in bytes. */
  long most() {
    return connection.getMaxPayload();
  }

  /**
   * Sends a message.
   *
   * @throws IOException if the connection has ended; or if the message is too large; the connection
   *     then continues
   */
  void publish(String subject, @Nullable String reply, @Nullable Headers headers, byte[] body)
      throws IOException {
    lock.lock();
    try {
      bytes += weight(headers, body);
      if (bytes >= STEP) {
        bytes = 0;
        awaitRoom();
      }
      add(subject, reply, headers, body);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends a message if this is possible without waiting.
   *
   * @return whether it was sent
   * @throws IOException see {@link #publish}
   */
  boolean offer(String subject, @Nullable String reply, @Nullable Headers headers, byte[] body)
      throws IOException {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      int next = bytes + weight(headers, body);
      if (next >= STEP) {
        return false;
      }
      bytes = next;
      add(subject, reply, headers, body);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private static int weight(@Nullable Headers headers, byte[] body) {
    return body.length + OVERHEAD + (headers == null ? 0 : headers.serializedLength());
  }

  private void add(String subject, @Nullable String reply, @Nullable Headers headers, byte[] body)
      throws IOException {
    while (true) {
      try {
        connection.publish(subject, reply, headers, body);
        return;
      } catch (IllegalStateException e) {
        if (connection.getStatus() != Status.CONNECTED || !isFull(e)) {
          throw new IOException(Causes.text(e), e);
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
   * Waits until the server has received everything that was sent before, for at most ten seconds.
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
