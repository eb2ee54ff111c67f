package dev.repartee.zeromq;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection of a client to a service, from its first message to its end: the running messages,
 * and the messages and replies that wait while the client does not read its replies. Used by the
 * thread of the sockets, except where noted.
 */
final class Client {
  /** An action that waits until the client reads its replies. */
  record Held(long size, Runnable action) {}

  /** The running and held messages, by the key that the client has set. */
  final Map<String, ZmqDelivery> running = new HashMap<>();

  /** The replies that were not passed to ZeroMQ yet, and their bytes. */
  final Deque<List<byte[]>> queue = new ArrayDeque<>();

  long bytes;

  /** The waiting messages, and their bytes. */
  final Deque<Held> held = new ArrayDeque<>();

  long heldBytes;

  /** The bytes in the queue of ZeroMQ. Also used by its thread. */
  final AtomicLong unread = new AtomicLong();

  /** Whether {@link #queue} has waited for room. Also read by the thread of ZeroMQ. */
  volatile boolean isBlocked;

  /** Whether dropped messages were reported. */
  boolean isReported;

  /** Whether the connection has ended. After that another one may have the same identity. */
  boolean isGone;

  boolean isBusy() {
    return !running.isEmpty() || !queue.isEmpty() || !held.isEmpty();
  }
}
