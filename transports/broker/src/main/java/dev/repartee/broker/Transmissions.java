package dev.repartee.broker;

import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.QueuedBytes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a channel that have not ended: the send queue, and the messages in flight by the
 * keys that their replies repeat. Whether a call still waits is not known here: other code ends a
 * message that nobody awaits. All methods are called with the lock of the channel.
 */
final class Transmissions {
  /*
   * Implementation note.
   *
   *   add --> queued --next--> in flight --end--> ended
   *             ^                  |
   *             +-- putBack, lost -+
   *
   * A transmission ends when its reply was delivered, the broker has refused the message or accepted a
   * notification, a connection was lost and the message is not sent again, or all its calls have
   * ended. A queued one also ends in next(), because it has timed out, and in dropUnsendable().
   *
   * Invariants:
   *
   * - A transmission is in the queue or in flight, never in both, until it ends.
   * - bytes.waiting() is the sum of the sizes of all transmissions here. The size of one in flight
   *   is 0 once the broker has the message, unless it may have to be sent again.
   * - The queue is in the order of the first commits: a message that is put back precedes those that
   *   were never sent.
   * - unmarked is the number in flight that are unmarked. Calls are bounded by the limit
   *   pendingCalls of the peer. Both bound the table.
   * - One that was answered stays in flight until its reply is delivered. A loss does not end it.
   */

  /** The number of messages of code without a peer whose replies are awaited. */
  private static final int UNMARKED = 1_000;

  /**
   * The number of connections that may be lost before the broker has accepted an idempotent
   * message: the message may be the cause, for example because it is too large for the broker.
   */
  static final int TRIES = 3;

  private final QueuedBytes bytes;
  private final boolean dropsCopies;
  private final Consumer<Transmission> ended;

  /** The messages to send by their numbers. */
  private final TreeMap<Long, Transmission> queue = new TreeMap<>();

  /** The messages in flight by key, oldest first. */
  private final Map<String, Transmission> inFlight = new LinkedHashMap<>();

  private long added;
  private int unmarked;

  /**
   * @param bytes the bound of the channel
   * @param dropsCopies see {@link RequestLink#dropsCopies}
   * @param ended is called at the end of each transmission
   */
  Transmissions(QueuedBytes bytes, boolean dropsCopies, Consumer<Transmission> ended) {
    this.bytes = bytes;
    this.dropsCopies = dropsCopies;
    this.ended = ended;
  }

  // ---------------------------------------------------------------- sending

  void add(Transmission transmission) {
    transmission.number = ++added;
    queue.put(transmission.number, transmission);
    bytes.add(transmission.size(), 0);
  }

  /** Returns the number of queued messages. */
  int queued() {
    return queue.size();
  }

  /**
   * Moves the first message of the queue in flight; returns null if there is none, or nobody waits
   * for it any more.
   */
  @Nullable Transmission next() {
    Map.Entry<Long, Transmission> first = queue.firstEntry();
    if (first == null) {
      return null;
    }
    Transmission next = first.getValue();
    if (next.isObsolete()) {
      end(next);
      return null;
    }
    queue.remove(next.number);
    next.accepted = false;
    inFlight.put(next.key, next);
    if (next.isUnmarked() && ++unmarked > UNMARKED) {
      endOldestUnmarked();
    }
    return next;
  }

  private void endOldestUnmarked() {
    for (Transmission oldest : inFlight.values()) {
      if (oldest.isUnmarked()) {
        end(oldest);
        return;
      }
    }
  }

  /**
   * Queues a message in flight that was not sent. Returns false if it is not in flight: then
   * {@link #lost} has handled it.
   */
  boolean putBack(Transmission transmission) {
    boolean mine = land(transmission);
    if (mine) {
      queue.put(transmission.number, transmission);
    }
    return mine;
  }

  /** Returns whether a message may be sent again although workers may have it. */
  boolean mayRepeat(Transmission transmission) {
    OutgoingMessage message = transmission.outgoing;
    return message.isIdempotent() || !transmission.expectsReply && dropsCopies;
  }

  // ---------------------------------------------------------------- in flight

  /** Returns the transmission in flight with this key; null if there is none. */
  @Nullable Transmission find(String key) {
    return inFlight.get(key);
  }

  boolean isInFlight(Transmission transmission) {
    return inFlight.get(transmission.key) == transmission;
  }

  /** Records that the broker has accepted a message. */
  void accepted(Transmission transmission) {
    transmission.accepted = true;
    boolean isOver = transmission.outgoing.isCall() && transmission.outgoing.isDone();
    if (!transmission.expectsReply || isOver) {
      end(transmission);
    } else if (!transmission.outgoing.isIdempotent()) {
      bytes.remove(transmission.dropText(), 0);
    }
  }

  /** Ends a transmission; returns false if it is not in flight. */
  boolean end(Transmission transmission) {
    boolean flew = land(transmission);
    if (flew || queue.remove(transmission.number, transmission)) {
      bytes.remove(transmission.size(), 0);
      transmission.ended = true;
      ended.accept(transmission);
    }
    return flew;
  }

  private boolean land(Transmission transmission) {
    boolean mine = inFlight.remove(transmission.key, transmission);
    if (mine && transmission.isUnmarked()) {
      unmarked--;
    }
    return mine;
  }

  /** Returns whether something must still be sent or answered. */
  boolean isUnfinished() {
    return !queue.isEmpty()
        || inFlight.values().stream().anyMatch(each -> each.hasWaitingCall() || !each.accepted);
  }

  // ---------------------------------------------------------------- the connection

  /**
   * Queues the messages in flight that may be sent again after a loss, before all others, and ends
   * the rest.
   *
   * @return the ended messages; their outcome is unknown
   */
  List<Transmission> lost() {
    List<Transmission> unknown = new ArrayList<>();
    for (Transmission each : List.copyOf(inFlight.values())) {
      if (each.answered) {
        continue; // the reply has arrived, and is to be delivered
      }
      each.mayHaveRun = true;
      if (!each.accepted) {
        each.losses++;
      }
      boolean hasBegun = each.window != null;
      if (mayRepeat(each) && !hasBegun && each.losses < TRIES) {
        putBack(each);
      } else {
        end(each);
        unknown.add(each);
      }
    }
    return unknown;
  }

  /** Ends and returns the queued messages that must not wait while the broker is unreachable. */
  List<Transmission> dropUnsendable() {
    List<Transmission> dropped =
        queue.values().stream().filter(each -> !mayRepeat(each)).toList();
    dropped.forEach(this::end);
    return dropped;
  }

  /** Forgets all messages. */
  void clear() {
    queue.clear();
    inFlight.clear();
  }
}
