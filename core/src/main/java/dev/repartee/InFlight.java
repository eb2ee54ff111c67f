package dev.repartee;

import dev.repartee.MessageQueue.Node;
import dev.repartee.internal.HashTable;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.MemoryBudget;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The waiting and running exchanges of one connection, indexed by request id, and the memory that
 * they occupy. Guarded by the lock of the {@link Scheduler}.
 */
final class InFlight {
  /** The seed of the hash; random, so that peers cannot choose ids that share a bucket. */
  private static final int SALT = ThreadLocalRandom.current().nextInt() | 1;

  /** The exchanges by the hash of their id. Requests may share an id. */
  private final HashTable<Node> table = new HashTable<>();

  /** The number of notifications so far. */
  private long notifications;

  private final MemoryBudget.Share share;

  /** The sum of the weights of the exchanges. */
  private long held;

  /**
   * @param free the number of bytes that are not charged to {@link MemoryBudget}
   */
  InFlight(int free) {
    share = MemoryBudget.ofProcess().share(free);
  }

  /**
   * Adds an exchange and reserves its memory.
   *
   * @return null if that was done, otherwise the memory limit that it would exceed
   */
  @Nullable LimitException add(Node x) {
    // A notification has no id. A number spreads them, since thousands of them may wait.
    OwnedExchange exchange = x.exchange;
    table.add(
        x.isNotification() ? ++notifications : hash(exchange.bytes, exchange.idFrom, exchange.idTo),
        x);
    if (!tryReserve(x)) { // last, so that no failure leaves a reservation
      table.remove(x);
      return share.refusal();
    }
    held += x.weight();
    return null;
  }

  /**
   * Reserves the memory of an exchange; returns false if the memory budget is exhausted. The
   * elements of a batch always get theirs: {@link #checkRoom} was asked for the whole batch, before
   * any of its elements ran.
   */
  private boolean tryReserve(Node x) {
    long needed = held + x.weight();
    if (x.exchange.isInBatch()) {
      share.holdAnyway(needed);
      return true;
    }
    return share.hold(needed);
  }

  /** Returns the memory limit that a frame of this size would exceed, or null. Reserves nothing. */
  @Nullable LimitException checkRoom(int bytes) {
    return share.hasRoomFor(held + bytes) ? null : share.refusal();
  }

  /** Removes an exchange in constant time; returns whether it was in the table. */
  boolean remove(Node x) {
    boolean removed = table.remove(x);
    if (removed) {
      held -= x.weight();
      share.holdAnyway(held);
    }
    return removed;
  }

  /**
   * Returns the request with that id literal, the newest if several have it; null if there is none.
   */
  @Nullable Node find(byte[] id) {
    Node x = table.find(hash(id, 0, id.length));
    while (x != null && !hasId(x, id)) {
      x = table.next(x);
    }
    return x;
  }

  private static boolean hasId(Node x, byte[] id) {
    OwnedExchange exchange = x.exchange;
    return !x.isNotification()
        && Arrays.equals(exchange.bytes, exchange.idFrom, exchange.idTo, id, 0, id.length);
  }

  /** Returns an exchange that such a worker runs now; null if there is none. */
  @Nullable OwnedExchange runBy(Predicate<Thread> worker) {
    return exchanges().stream().filter(x -> x.isRunBy(worker)).findAny().orElse(null);
  }

  List<OwnedExchange> exchanges() {
    List<OwnedExchange> all = new ArrayList<>(table.size());
    table.forEach(node -> all.add(node.exchange));
    return all;
  }

  void forEach(Consumer<Node> action) {
    table.forEach(action);
  }

  private static int hash(byte[] b, int from, int to) {
    int hash = SALT;
    for (int i = from; i < to; i++) {
      hash = (hash ^ b[i]) * SALT;
      hash ^= hash >>> 15;
    }
    return hash;
  }
}
