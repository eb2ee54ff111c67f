package dev.repartee;

import dev.repartee.Scheduler.Node;
import dev.repartee.internal.HashTable;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting and running exchanges of one connection, indexed by request id. Guarded by the lock
 * of the {@link Scheduler}.
 */
final class InFlight {
  /** The seed of the hash; random, so that peers cannot choose ids that share a bucket. */
  private static final int SALT = ThreadLocalRandom.current().nextInt() | 1;

  /** The exchanges by the hash of their id. Requests may share an id. */
  private final HashTable<Node> table = new HashTable<>();

  /** The number of notifications so far. */
  private long notifications;

  void add(Node x) {
    // A notification has no id. A number spreads them, since thousands of them may wait.
    OwnedExchange exchange = x.exchange;
    table.add(
        x.isNotification() ? ++notifications : hash(exchange.bytes, exchange.idFrom, exchange.idTo),
        x);
  }

  /** Removes an exchange in constant time; returns whether it was in the table. */
  boolean remove(Node x) {
    return table.remove(x);
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

  int size() {
    return table.size();
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
