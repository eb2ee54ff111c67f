package dev.repartee.broker;

import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.QueuedBytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a channel from their commit to their end: the send queue, and the messages in
 * flight by their keys. All methods are called with the lock of the channel.
 */
final class PendingMessages {
  /*
   * Implementation note.
   *
   * Life of a message:
   *
   *   add --> queued --next--> in flight --> ended by one of:
   *             ^                  |           end          its reply was delivered, the broker has
   *             |     putBack      |                        refused it, or has taken a notification
   *             +------------------+           dropGivenUp  nobody waits for it any more
   *             |       lost       |           endAnswered  replies without keys answered its calls
   *             +------------------+           lost         it is not sent again after a loss
   *
   * A queued message may also end in next and dropGivenUp, because nobody waits for it, and in
   * dropUnsendable, because the broker is unreachable.
   *
   * Invariants:
   *
   * - A message is in the queue or in flight, never in both, until it ends.
   * - bytes.waiting() is the sum of the sizes of all messages here. The size of a message in flight
   *   is 0 once the broker has it, unless it may have to be sent again.
   * - unmarked is the number of messages in flight that are unmarked. Other calls are bounded by
   *   the limit pendingCalls of the peer, so the table is bounded.
   * - An answered message stays in flight until its reply is delivered. A loss does not end it.
   */

  /**
   * The number of messages that are remembered although it is not known whether an answer follows:
   * code that uses the channel without a peer does not mark its calls.
   */
  private static final int UNMARKED = 1_000;

  /**
   * The number of connections that may be lost before the broker has taken an idempotent message:
   * the message may be the cause, such as one that is too large for the broker.
   */
  static final int TRIES = 3;

  private final SecretNumbers numbers;
  private final QueuedBytes bytes;
  private final boolean dropsCopies;
  private final Consumer<PendingMessage> ended;

  private final Deque<PendingMessage> queue = new ArrayDeque<>();

  /** The messages in flight by key, oldest first. */
  private final Map<String, PendingMessage> inFlight = new LinkedHashMap<>();

  private int unmarked;

  /**
   * @param numbers the source of the keys: a worker that knows one could else answer other messages
   * @param bytes the bound of the channel
   * @param dropsCopies see {@link RequestLink#dropsCopies}
   * @param ended is called at the end of each message that was in flight
   */
  PendingMessages(
      SecretNumbers numbers,
      QueuedBytes bytes,
      boolean dropsCopies,
      Consumer<PendingMessage> ended) {
    this.numbers = numbers;
    this.bytes = bytes;
    this.dropsCopies = dropsCopies;
    this.ended = ended;
  }

  // ---------------------------------------------------------------- sending

  /** Adds a message to the queue. */
  void add(OutboundFrame frame, boolean expectsReply) {
    PendingMessage message = new PendingMessage(numbers.nextKey(), frame, expectsReply);
    queue.add(message);
    bytes.add(message.size(), 0);
  }

  /** Returns the number of queued messages. */
  int queued() {
    return queue.size();
  }

  /**
   * Moves the first message of the queue in flight; returns null if there is none, or nobody waits
   * for it any more.
   */
  @Nullable PendingMessage next() {
    PendingMessage message = queue.poll();
    if (message == null) {
      return null;
    }
    if (message.isObsolete()) {
      bytes.remove(message.size(), 0);
      return null;
    }
    message.accepted = false;
    inFlight.put(message.key, message);
    if (message.isUnmarked() && ++unmarked > UNMARKED) {
      endOldestUnmarked();
    }
    return message;
  }

  private void endOldestUnmarked() {
    for (PendingMessage oldest : inFlight.values()) {
      if (oldest.isUnmarked()) {
        end(oldest);
        return;
      }
    }
  }

  /**
   * Makes a message in flight that was not sent the first one of the queue. Returns false if it is
   * not in flight: then {@link #lost} has dealt with it.
   */
  boolean putBack(PendingMessage message) {
    boolean mine = remove(message);
    if (mine) {
      queue.addFirst(message);
    }
    return mine;
  }

  /** Returns whether a message may be sent again although workers may have it. */
  boolean mayRepeat(PendingMessage message) {
    return message.isIdempotent() || !message.expectsReply && dropsCopies;
  }

  // ---------------------------------------------------------------- in flight

  /** Returns a message in flight; null if there is none with this key. */
  @Nullable PendingMessage find(String key) {
    return inFlight.get(key);
  }

  /** Records that the broker has taken a message over. */
  void accepted(PendingMessage message) {
    message.accepted = true;
    if (!message.expectsReply) {
      end(message);
    } else if (!message.isIdempotent()) {
      bytes.remove(message.dropText(), 0);
    }
  }

  /** Ends a message; returns false if it is not in flight. */
  boolean end(PendingMessage message) {
    boolean mine = remove(message);
    if (mine) {
      bytes.remove(message.size(), 0);
      message.ended = true;
      ended.accept(message);
    }
    return mine;
  }

  private boolean remove(PendingMessage message) {
    boolean mine = inFlight.remove(message.key, message);
    if (mine && message.isUnmarked()) {
      unmarked--;
    }
    return mine;
  }

  /**
   * Ends the messages for which nobody waits any more.
   *
   * @return the keys of those that workers may still handle, for nobody
   */
  List<String> dropGivenUp() {
    drop(message -> message.frame().isGivenUp());
    List<String> unwanted = new ArrayList<>();
    for (PendingMessage message : List.copyOf(inFlight.values())) {
      if (message.hasCalls && !message.frame().isAwaited()) {
        end(message);
        if (!message.answered && message.frame().isGivenUp()) { // no notification is among them
          unwanted.add(message.key);
        }
      }
    }
    return unwanted;
  }

  /** Ends the messages that were answered by replies without keys. */
  void endAnswered() {
    for (PendingMessage message : List.copyOf(inFlight.values())) {
      if (message.hasCalls && !message.frame().isAwaited()) {
        end(message);
      }
    }
  }

  /** Returns whether something has to be sent or answered yet. */
  boolean isAwaited() {
    if (!queue.isEmpty()) {
      return true;
    }
    for (PendingMessage message : inFlight.values()) {
      if (message.hasCalls ? message.frame().isAwaited() : !message.accepted) {
        return true;
      }
    }
    return false;
  }

  // ---------------------------------------------------------------- the connection

  /**
   * Queues the messages in flight that may be sent again after a loss, before all others, and ends
   * the rest.
   *
   * @return those that were ended; their outcome is unknown
   */
  List<PendingMessage> lost() {
    List<PendingMessage> again = new ArrayList<>();
    List<PendingMessage> unknown = new ArrayList<>();
    for (PendingMessage message : List.copyOf(inFlight.values())) {
      if (message.answered) {
        continue; // the reply has arrived, and is to be delivered
      }
      message.mayHaveRun = true;
      if (!message.accepted) {
        message.losses++;
      }
      boolean hasBegun = message.window != null;
      if (mayRepeat(message) && !hasBegun && message.losses < TRIES) {
        again.add(message);
      } else {
        end(message);
        unknown.add(message);
      }
    }
    for (int i = again.size() - 1; i >= 0; i--) {
      putBack(again.get(i));
    }
    return unknown;
  }

  /** Ends and returns the queued messages that do not wait while the broker is unreachable. */
  List<PendingMessage> dropUnsendable() {
    return drop(message -> !mayRepeat(message));
  }

  private List<PendingMessage> drop(Predicate<PendingMessage> condition) {
    List<PendingMessage> dropped = new ArrayList<>();
    queue.removeIf(message -> {
      boolean drop = condition.test(message);
      if (drop) {
        bytes.remove(message.size(), 0);
        dropped.add(message);
      }
      return drop;
    });
    return dropped;
  }

  /** Forgets all messages. */
  void clear() {
    queue.clear();
    inFlight.clear();
  }
}
