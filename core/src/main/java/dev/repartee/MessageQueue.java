package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.HashTable;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.transport.FrameSink;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The waiting messages of one connection in the order of their arrival; decides when each starts.
 * Guarded by the lock of the {@link Scheduler}.
 *
 * <p>The messages are linked by {@link Node#next}: nothing is allocated when a message starts to
 * wait. A message that is cancelled or timed out while it waits is only marked ({@link
 * Node#dropped}); it is removed at the head of the queue without running.
 */
final class MessageQueue {
  /**
   * The memory in bytes that an exchange occupies in addition to its message, which may be very
   * small.
   */
  static final int WEIGHT = 256;

  /**
   * The place of one exchange in its scheduler. The lock of the scheduler guards all fields that
   * are not final.
   */
  static final class Node extends HashTable.Entry<Node> {
    final OwnedExchange exchange;
    final Lane lane;

    /** The next waiting message, or the next message that was started in the same step. */
    @Nullable Node next;

    boolean started;

    /** Whether the message runs and blocks all later ones. */
    boolean holdsLane;

    /** Whether the message was cancelled or timed out while it waited. */
    boolean dropped;

    boolean finished;

    /** The number of bytes of the additional members of the message. */
    private final int members;

    Node(OwnedExchange exchange, Lane lane, int members) {
      this.exchange = exchange;
      this.lane = lane;
      this.members = members;
    }

    boolean isNotification() {
      return exchange.isNotification();
    }

    /** Returns whether the message may be refused for now: a request outside of a batch. */
    boolean isRefusable() {
      return !isNotification() && !exchange.isInBatch();
    }

    /** Returns the size of the message in bytes. */
    int size() {
      return exchange.bytes.length + members;
    }

    /** Returns the memory that the message occupies in bytes. */
    int weight() {
      return size() + WEIGHT;
    }
  }

  private final Limits limits;
  private final FrameSink sink;
  private final InFlight inFlight;
  private final CallCounts calls;
  private @Nullable Node first;
  private @Nullable Node last;
  private int size;
  private long bytes;

  /** Whether a message runs that blocks all later ones. */
  private boolean ordered;

  /** The waiting messages in numbers; null without load shedding. */
  private final @Nullable Backlog backlog;

  private final Clock clock;

  MessageQueue(Options options, FrameSink sink, InFlight inFlight, CallCounts calls) {
    this.limits = options.limits();
    this.backlog = Backlog.of(options);
    this.clock = options.clock();
    this.sink = sink;
    this.inFlight = inFlight;
    this.calls = calls;
  }

  /** Starts a message or, if it has to wait, adds it; returns whether it was started. */
  boolean startOrAdd(Node node) {
    if (size == 0 && isStartable(node)) {
      start(node);
      return true;
    }
    add(node);
    return false;
  }

  private boolean isStartable(Node node) {
    return !ordered
        && (node.lane != Lane.CONCURRENT || calls.running() < limits.runningCalls())
        && sink.takesAnswers();
  }

  private void start(Node node) {
    node.started = true;
    calls.started();
    node.holdsLane = node.lane != Lane.CONCURRENT;
    ordered |= node.holdsLane;
  }

  /** Starts the waiting messages that may run now, and returns them linked by {@link Node#next}. */
  @Nullable Node startWaiting() {
    Node started = null;
    Node end = null;
    for (Node node = first; node != null; node = first) {
      if (!node.dropped && !isStartable(node)) {
        break;
      }
      removeFirst(node, !node.dropped);
      if (node.dropped) {
        inFlight.remove(node);
      } else {
        start(node);
        if (end == null) {
          started = node;
        } else {
          end.next = node;
        }
        end = node;
      }
    }
    return started;
  }

  /** Unblocks the later messages, if this one blocks them; returns whether it did. */
  boolean releaseLane(Node node) {
    boolean held = node.holdsLane;
    if (held) {
      node.holdsLane = false;
      ordered = false;
    }
    return held;
  }

  /** Removes all messages, also from those in flight. */
  void clear() {
    for (Node node = first; node != null; node = first) {
      removeFirst(node, false);
      inFlight.remove(node);
    }
  }

  /**
   * Returns the refusal of a message that would still wait at its deadline; null if there is none,
   * and without load shedding.
   *
   * @param threads the calls that wait for a thread; null if they are not counted
   */
  @Nullable LimitException shed(Node node, @Nullable Backlog threads) {
    if (backlog == null || !node.isRefusable()) {
      return null;
    }
    long due = node.exchange.due();
    if (due == Clock.NEVER) {
      return null;
    }
    long left = due - clock.nanos();
    if (left <= 0) {
      return null; // it is answered as late
    }
    long wait = backlog.estimate(left) + (threads == null ? 0 : threads.estimate(left));
    return wait < left
        ? null
        : new LimitException(RefusedCall.WAITING_TIME, TimeUnit.NANOSECONDS.toMillis(left));
  }

  private void add(Node node) {
    if (last == null) {
      first = node;
    } else {
      last.next = node;
    }
    last = node;
    size++;
    bytes += node.size();
    calls.queued();
    if (backlog != null) {
      backlog.add();
    }
  }

  private void removeFirst(Node node, boolean starts) {
    first = node.next;
    if (first == null) {
      last = null;
    }
    node.next = null;
    size--;
    bytes -= node.size();
    calls.dequeued();
    if (backlog != null && starts) {
      backlog.start();
    } else if (backlog != null) {
      backlog.drop();
    }
  }

  int size() {
    return size;
  }

  /** Returns the size of the messages in bytes. */
  long bytes() {
    return bytes;
  }

  /** Returns the number of messages, plus one if an ordered message runs. */
  int heldBack() {
    return size + (ordered ? 1 : 0);
  }

  /**
   * Multiplies each limit by {@code times}, and returns the first limit that the queue has reached;
   * null if there is none.
   */
  @Nullable LimitException overflow(int times) {
    if (size >= (long) limits.queuedMessages() * times) {
      return new LimitException("queuedMessages", limits.queuedMessages());
    }
    if (bytes >= (long) limits.queuedBytes() * times) {
      return new LimitException("queuedBytes", limits.queuedBytes());
    }
    return null;
  }

  /** Returns whether the queue has fallen to half of its limits. */
  boolean isHalfEmpty() {
    return size <= limits.queuedMessages() / 2 && bytes <= limits.queuedBytes() / 2;
  }
}
