package dev.repartee;

import dev.repartee.Scheduler.Node;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The waiting and running exchanges of one connection, indexed by request id. Guarded by the lock
 * of the {@link Scheduler}.
 */
final class InFlight {
  /*
   * Implementation note. A chained hash table. The chains are doubly linked through
   * Node.nextInBucket and previousInBucket, so an entry costs no allocation and remove() takes
   * constant time. That matters for hostile input: a peer may give thousands of requests the same
   * id, and they all share one bucket. With a singly linked chain each of them would walk past the
   * others when it ends.
   *
   * Invariants:
   * - buckets.length is a power of two, or 0 until the first exchange (idle connections stay
   *   small).
   * - A chain is ordered from the newest exchange to the oldest, also after grow(). Requests may
   *   share an id, and find() returns the newest one.
   * - An exchange has a previous neighbour, or is the head of its bucket, or is not in the table.
   *   So remove() can be called twice.
   */

  /** The seed of the hash; random, so that peers cannot choose ids that share a bucket. */
  private static final int SALT = ThreadLocalRandom.current().nextInt() | 1;

  private static final @Nullable Node[] NONE = new Node[0];
  private static final int SMALLEST = 4;

  private @Nullable Node[] buckets = NONE;
  private int size;

  void add(Node x) {
    if (size == buckets.length) {
      grow();
    }
    link(x);
    size++;
  }

  private void link(Node x) {
    int bucket = bucket(x);
    Node head = buckets[bucket];
    x.nextInBucket = head;
    x.previousInBucket = null;
    if (head != null) {
      head.previousInBucket = x;
    }
    buckets[bucket] = x;
  }

  private void grow() {
    @Nullable Node[] old = buckets;
    buckets = new Node[Math.max(SMALLEST, old.length * 2)];
    for (Node head : old) {
      // Start with the oldest: link() inserts at the head, and the newest must be found first.
      for (Node x = last(head); x != null; ) {
        Node later = x.previousInBucket;
        link(x);
        x = later;
      }
    }
  }

  private static @Nullable Node last(@Nullable Node head) {
    Node last = head;
    for (Node x = head; x != null; x = x.nextInBucket) {
      last = x;
    }
    return last;
  }

  /** Removes an exchange in constant time; returns whether it was in the table. */
  boolean remove(Node gone) {
    Node before = gone.previousInBucket;
    Node after = gone.nextInBucket;
    if (before != null) {
      before.nextInBucket = after;
    } else if (size > 0 && buckets[bucket(gone)] == gone) {
      buckets[bucket(gone)] = after;
    } else {
      return false;
    }
    if (after != null) {
      after.previousInBucket = before;
    }
    gone.previousInBucket = null;
    gone.nextInBucket = null;
    size--;
    return true;
  }

  /**
   * Returns the request with that id literal, the newest if several have it; null if there is none.
   */
  @Nullable Node find(byte[] id) {
    if (size == 0) {
      return null;
    }
    for (Node x = buckets[bucket(id, 0, id.length)]; x != null; x = x.nextInBucket) {
      Reply reply = x.exchange.reply;
      if (!x.isNotification()
          && Arrays.equals(reply.bytes, reply.idFrom, reply.idTo, id, 0, id.length)) {
        return x;
      }
    }
    return null;
  }

  int size() {
    return size;
  }

  void forEach(Consumer<Node> action) {
    for (Node head : buckets) {
      for (Node x = head; x != null; x = x.nextInBucket) {
        action.accept(x);
      }
    }
  }

  /**
   * Returns the bucket of an exchange. Notifications have no id; they are spread by their identity,
   * since thousands of them may wait.
   */
  private int bucket(Node x) {
    Reply reply = x.exchange.reply;
    return x.isNotification()
        ? System.identityHashCode(x) & buckets.length - 1
        : bucket(reply.bytes, reply.idFrom, reply.idTo);
  }

  private int bucket(byte[] b, int from, int to) {
    int hash = SALT;
    for (int i = from; i < to; i++) {
      hash = (hash ^ b[i]) * SALT;
      hash ^= hash >>> 15;
    }
    return hash & buckets.length - 1;
  }
}
