package dev.repartee.zeromq;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A connection of a client to a service, from its first message to its end: the messages in work,
 * and all that waits while the client does not read its replies. Used by the thread of the sockets,
 * except where noted.
 */
final class Client {
  /** Something that waits until the client reads its replies. */
  record Held(long size, Runnable action) {}

  /** The messages in work, also those that are held, by the key that the client knows. */
  final Map<String, ZmqDelivery> running = new HashMap<>();

  /** The replies that were not given to ZeroMQ yet, and their bytes. */
  final Deque<List<byte[]>> queue = new ArrayDeque<>();

  long bytes;

  /** The messages that wait, and their bytes. */
  final Deque<Held> held = new ArrayDeque<>();

  long heldBytes;

  /** The bytes that ZeroMQ has in its queue. Used by its thread, too. */
  final AtomicLong unread = new AtomicLong();

  /** Whether {@link #queue} has waited for room. Read by the thread of ZeroMQ, too. */
  volatile boolean isBlocked;

  /** Whether dropped messages were reported. */
  boolean isReported;

  /** Whether the connection has ended. Another one may have the same identity then. */
  boolean isGone;

  boolean isBusy() {
    return !running.isEmpty() || !queue.isEmpty() || !held.isEmpty();
  }
}
