package dev.repartee.mcp.http;

import dev.repartee.internal.Clock;
import dev.repartee.limits.MemoryBudget;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the last events of all resumable streams, within one memory limit for the process. The
 * limit is separate from {@link MemoryBudget}: kept events never reduce the memory for answers. If
 * the limit is reached, the events of completely sent streams are dropped first, then the oldest
 * events of all sessions.
 *
 * <p>Thread-safe. One lock guards the events of all streams, because one stream makes room by
 * dropping the events of another stream. Only operations on collections run under the lock. A lock
 * for each stream was rejected: two streams that both need room could deadlock.
 */
public final class ReplayBuffers {
  /** The buffers of this process: an eighth of {@code heldBytes}. */
  public static final ReplayBuffers PROCESS =
      new ReplayBuffers(MemoryBudget.ofAnswers().max() / 8, Clock.SYSTEM);

  private static final int MAX_EVENTS = 1_000;
  private static final int MAX_BYTES = 1 << 20;

  /** The assumed memory of an event without its message, in bytes. */
  private static final int WEIGHT = 128;

  /**
   * The time for which the events of a stream are kept after the last one was sent. The connection
   * may break before the client receives them.
   */
  private static final long FINISHED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final long max;
  private final Clock clock;
  private final Object lock = new Object();

  // Guarded by the lock, like the fields of the buffers.
  private final Set<Event> oldestFirst = new LinkedHashSet<>();
  private final Set<Buffer> finished = new LinkedHashSet<>();
  private long held;

  /** Creates buffers for at most {@code max} bytes. */
  ReplayBuffers(long max, Clock clock) {
    this.max = max;
    this.clock = clock;
  }

  /** Returns the bytes that are kept now. */
  public long held() {
    synchronized (lock) {
      return held;
    }
  }

  /**
   * Starts the buffer of a stream.
   *
   * @param empty runs when the stream has ended and its last kept event was dropped; must not
   *     acquire another lock, because it runs under the lock
   */
  Buffer buffer(Runnable empty) {
    return new Buffer(empty);
  }

  /** A kept event. Compared by identity. */
  static final class Event {
    final long number;
    final byte[] message;
    private final Buffer buffer;

    private Event(Buffer buffer, long number, byte[] message) {
      this.buffer = buffer;
      this.number = number;
      this.message = message;
    }

    private long size() {
      return WEIGHT + message.length;
    }
  }

  private void makeRoom(long size) {
    expire();
    while (held + size > max && !finished.isEmpty()) {
      finished.iterator().next().clear();
    }
    while (held + size > max && !oldestFirst.isEmpty()) {
      Event oldest = oldestFirst.iterator().next();
      oldest.buffer.giveUpOldest();
    }
  }

  private void expire() {
    long now = clock.nanos();
    Iterator<Buffer> longest = finished.iterator();
    while (longest.hasNext()) {
      Buffer buffer = longest.next();
      if (now - buffer.finishedAt < FINISHED_NANOS) {
        return;
      }
      buffer.clear();
      longest = finished.iterator();
    }
  }

  /** The last events of one stream. */
  final class Buffer {
    private final Runnable empty;
    private final Deque<Event> events = new ArrayDeque<>(0);
    private long bytes;
    private long finishedAt;
    private boolean ended;
    private boolean closed;

    private Buffer(Runnable empty) {
      this.empty = empty;
    }

    /** Keeps an event. If the event alone exceeds the limit, drops all events of this stream. */
    void add(long number, byte[] message) {
      synchronized (lock) {
        if (closed) {
          return;
        }
        Event event = new Event(this, number, message);
        while (!events.isEmpty()
            && (events.size() >= MAX_EVENTS || bytes + event.size() > MAX_BYTES)) {
          giveUpOldest();
        }
        if (event.size() > max) {
          clear();
          return;
        }
        makeRoom(event.size());
        events.add(event);
        oldestFirst.add(event);
        bytes += event.size();
        held += event.size();
      }
    }

    /** Returns the kept events with higher numbers. */
    List<Event> after(long number) {
      synchronized (lock) {
        expire();
        return events.stream().filter(event -> event.number > number).toList();
      }
    }

    /** Ends the stream. {@code taken} is true if its last event was sent on a connection. */
    void end(boolean taken) {
      synchronized (lock) {
        ended = true;
        finished.remove(this);
        if (events.isEmpty()) {
          clear();
        } else if (taken) {
          finishedAt = clock.nanos();
          finished.add(this);
        }
        expire();
      }
    }

    /** Drops all events, and ignores later events. */
    void close() {
      synchronized (lock) {
        closed = true;
        clear();
      }
    }

    private void giveUpOldest() {
      Event event = events.remove();
      oldestFirst.remove(event);
      bytes -= event.size();
      held -= event.size();
      if (events.isEmpty()) {
        clear();
      }
    }

    private void clear() {
      events.forEach(oldestFirst::remove);
      finished.remove(this);
      held -= bytes;
      bytes = 0;
      events.clear();
      if (ended) {
        empty.run();
      }
    }
  }
}
