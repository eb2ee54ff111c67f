package dev.repartee.broker;

import dev.repartee.ProtocolException;
import dev.repartee.framing.Receiver;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ReadingThread;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The replies and events of a channel that were not delivered yet, and the turn to deliver them:
 * one thread at a time calls the {@link Receiver}.
 */
final class Inbox {
  /*
   * Implementation note.
   *
   *   add --> arrivals --> the receiver, while it is ready
   *              |             ^
   *              +--> held ----+  while the stream of the message takes no items
   *
   * Arrivals for one message are delivered in order. If a stream takes no items, its arrivals are
   * held in a separate queue, so that nothing else waits for them. If an arrival is held for a
   * message, all later arrivals for it are held behind it.
   *
   * Bounds: a message has one reply and a ReceiveWindow; the link bounds events; replies without a
   * key count towards queuedMessages and queuedBytes.
   *
   * No wake-up is lost: deliver() sets "again" under the lock, even if another thread has the turn.
   * That thread releases the turn only after it has checked the queues again. resume() is called
   * when the receiver is ready or a stream takes items again.
   *
   * Neither the receiver nor a frame is called with the lock.
   */

  /** The user of an inbox. */
  interface Owner {
    /**
     * Called after a reply was delivered.
     *
     * @param to the message that it answers; null if it has no key
     */
    void delivered(Reply reply, @Nullable Transmission to);

    /** Called after an event was delivered; {@code done} runs on the thread of the link. */
    void delivered(Runnable done);

    /** Reports that the receiver has failed. */
    void failed(Throwable why);

    /** Reports that no thread is delivering now. Called with the lock. */
    void paused();
  }

  /**
   * A frame to deliver.
   *
   * @param body the frame; empty if there is none
   * @param to the message that it answers; null for an event, or if there is no key
   * @param reply the reply; null for an event
   * @param done runs after the delivery of an event; null for a reply
   */
  private record Arrival(
      byte[] body,
      @Nullable Transmission to,
      @Nullable Reply reply,
      @Nullable Runnable done) {}

  private final ReentrantLock lock;
  private final Condition idle;
  private final Limits limits;
  private final String broker;
  private final Owner owner;

  /** Null before the start and after the end. Written under the lock. */
  private volatile @Nullable Receiver receiver;

  // Guarded by the lock.
  private final Queue<Arrival> arrivals = new ArrayDeque<>();

  /** The arrivals of streams that currently take no items. No queue is empty. */
  private final Map<Transmission, Queue<Arrival>> held = new LinkedHashMap<>();

  /** The number and the bytes of the replies without a key in {@link #arrivals}. */
  private int keyless;

  private long keylessBytes;

  /** Whether a thread delivers. */
  private boolean turn;

  /** Whether the thread that delivers must check again before it ends. */
  private boolean again;

  /** Whether {@link #resume} has requested a thread that has not started delivering yet. */
  private boolean resuming;

  private boolean closed;

  /**
   * @param lock the lock of the channel
   * @param broker the name of the broker for error messages
   */
  Inbox(ReentrantLock lock, Limits limits, String broker, Owner owner) {
    this.lock = lock;
    this.idle = lock.newCondition();
    this.limits = limits;
    this.broker = broker;
    this.owner = owner;
  }

  /** Sets the receiver; {@link #resume} must follow. Called with the lock. */
  void start(Receiver to) {
    receiver = to;
  }

  /** Returns the receiver; null before the start and after the end. */
  @Nullable Receiver receiver() {
    return receiver;
  }

  // ---------------------------------------------------------------- arrival

  /**
   * Adds a reply; {@link #deliver} must follow. Called with the lock.
   *
   * @param to the message that it answers; null if the reply has no key
   * @return null, or the limit that the reply exceeds: then it is dropped
   */
  @Nullable RuntimeException add(Reply reply, @Nullable Transmission to) {
    int length = reply.body().length;
    if (length >= limits.frameBytes()) {
      return new LimitException("frameBytes", limits.frameBytes());
    }
    if (to == null) {
      if (keyless > 0 && keyless >= limits.queuedMessages()) {
        return new LimitException("queuedMessages", limits.queuedMessages());
      }
      if (keyless > 0 && keylessBytes + length > limits.queuedBytes()) {
        return new LimitException("queuedBytes", limits.queuedBytes());
      }
      keyless++;
      keylessBytes += length;
    } else if (!reply.hasMore()) {
      to.answered = true;
    } else if (!to.window().take(length, limits.frameBytes())) {
      return new ProtocolException("a worker of " + broker
          + " has sent more before its reply than the " + RequestChannel.WINDOW
          + " bytes that it may");
    }
    add(new Arrival(reply.body(), to, reply, null));
    return null;
  }

  /** Adds an event; {@link #deliver} must follow. Called with the lock. */
  void add(byte[] event, Runnable done) {
    add(new Arrival(event, null, null, done));
  }

  private void add(Arrival arrival) {
    if (!closed) {
      arrivals.add(arrival);
    }
  }

  /** Drops the held arrivals of a message that has ended. Called with the lock. */
  void drop(Transmission ended) {
    held.remove(ended);
  }

  /** Returns whether nothing waits to be delivered. Called with the lock. */
  boolean isEmpty() {
    return arrivals.isEmpty() && held.isEmpty();
  }

  // ---------------------------------------------------------------- delivery

  /**
   * Records that the receiver, or a stream, may take more. Called with the lock.
   *
   * @return whether a thread must call {@link #deliver}
   */
  boolean resume() {
    again = true; // for the thread that has the turn
    boolean isNeeded = !turn && !resuming && !isEmpty();
    resuming |= isNeeded;
    return isNeeded;
  }

  /**
   * Delivers everything that the receiver takes now, unless another thread does so. On a
   * {@link ReadingThread}.
   */
  void deliver() {
    List<Transmission> streams = begin();
    if (streams == null) {
      return;
    }
    try {
      while (streams != null) {
        for (Transmission stream : streams) {
          for (Arrival next = nextOf(stream); next != null; next = nextOf(stream)) {
            deliver(next);
          }
        }
        for (Arrival next = next(); next != null; next = next()) {
          deliver(next);
        }
        streams = goOn();
      }
    } catch (RuntimeException | Error e) {
      endTurn();
      owner.failed(e);
    } finally {
      ReadingThread.clearInterrupt(); // otherwise it would affect the client library of the broker
    }
  }

  private void deliver(Arrival arrival) {
    Receiver to = receiver;
    byte[] body = arrival.body;
    if (body.length > 0 && to != null) {
      to.frame(body, 0, body.length);
    }
    if (arrival.reply != null) {
      owner.delivered(arrival.reply, arrival.to);
    } else if (arrival.done != null) {
      owner.delivered(arrival.done);
    }
  }

  /**
   * Acquires the turn, and returns the streams with held arrivals; null if another thread has the
   * turn.
   */
  private @Nullable List<Transmission> begin() {
    lock.lock();
    try {
      resuming = false;
      again = true;
      return turn || receiver == null ? null : look();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the streams as {@link #begin} does; null if nothing has changed since the last check.
   */
  private @Nullable List<Transmission> goOn() {
    lock.lock();
    try {
      return look();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable List<Transmission> look() {
    turn = again && !closed;
    again = false;
    if (turn) {
      return held.isEmpty() ? List.of() : List.copyOf(held.keySet());
    }
    pause();
    return null;
  }

  private void endTurn() {
    lock.lock();
    try {
      turn = false;
      pause();
    } finally {
      lock.unlock();
    }
  }

  private void pause() {
    idle.signal();
    owner.paused();
  }

  /** Removes and returns the held arrivals of a stream if it takes them now; null if not. */
  private @Nullable Arrival nextOf(Transmission stream) {
    if (!isReady() || !stream.outgoing.takesItems()) {
      return null;
    }
    lock.lock();
    try {
      Queue<Arrival> waiting = held.get(stream);
      Arrival next = waiting == null || closed ? null : waiting.poll();
      if (waiting != null && waiting.isEmpty()) {
        held.remove(stream);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns the next arrival that is accepted; null if there is none. */
  private @Nullable Arrival next() {
    while (isReady()) {
      Arrival next = poll();
      if (next == null) {
        return null;
      }
      Transmission to = next.to;
      if (to == null || to.outgoing.takesItems()) {
        return next;
      }
      hold(to, next);
    }
    return null;
  }

  private boolean isReady() {
    Receiver to = receiver;
    return to != null && to.ready();
  }

  /** Removes and returns the next arrival; skips arrivals that must wait behind held ones. */
  private @Nullable Arrival poll() {
    lock.lock();
    try {
      while (!closed) {
        Arrival next = arrivals.poll();
        if (next == null) {
          return null;
        }
        if (next.to == null && next.reply != null) {
          keyless--;
          keylessBytes -= next.body.length;
        }
        Queue<Arrival> before = next.to == null ? null : held.get(next.to);
        if (before == null) {
          return next;
        }
        before.add(next);
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void hold(Transmission stream, Arrival arrival) {
    lock.lock();
    try {
      if (!stream.ended) { // otherwise its sender no longer waits
        held.computeIfAbsent(stream, any -> new ArrayDeque<>()).add(arrival);
      }
    } finally {
      lock.unlock();
    }
  }

  // ---------------------------------------------------------------- the end

  /** Delivers nothing more after the current frame. Called with the lock. */
  void close() {
    closed = true;
    arrivals.clear();
    held.clear();
  }

  /**
   * Waits until no thread is delivering, after {@link #close}. Called with the lock.
   *
   * @return the receiver, which is no longer called; null if there is none
   */
  @Nullable Receiver end() {
    while (turn) {
      idle.awaitUninterruptibly();
    }
    Receiver last = receiver;
    receiver = null;
    return last;
  }
}
