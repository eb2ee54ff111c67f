package dev.repartee;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one connection that have started or wait, to be found by their id. Two may have
 * the same id: each is a call of its own. Guarded by the {@link Lanes}.
 */
final class InFlight {
  /** Unknown to peers, so that they cannot choose ids that all fall into one bucket. */
  private static final int SALT = ThreadLocalRandom.current().nextInt() | 1;

  private static final @Nullable Exchange[] NONE = new Exchange[0];
  private static final int SMALLEST = 4;

  private @Nullable Exchange[] buckets = NONE;
  private int size;

  void add(Exchange x) {
    if (size == buckets.length) {
      grow();
    }
    link(x);
    size++;
  }

  private void link(Exchange x) {
    int bucket = bucket(x);
    Exchange head = buckets[bucket];
    x.nextInBucket = head;
    x.previousInBucket = null;
    if (head != null) {
      head.previousInBucket = x;
    }
    buckets[bucket] = x;
  }

  private void grow() {
    @Nullable Exchange[] old = buckets;
    buckets = new Exchange[Math.max(SMALLEST, old.length * 2)];
    for (Exchange head : old) {
      // From the oldest on: the last that is linked is the first that is found.
      for (Exchange x = last(head); x != null; ) {
        Exchange later = x.previousInBucket;
        link(x);
        x = later;
      }
    }
  }

  private static @Nullable Exchange last(@Nullable Exchange head) {
    Exchange last = head;
    for (Exchange x = head; x != null; x = x.nextInBucket) {
      last = x;
    }
    return last;
  }

  /**
   * Removes that one; answers whether it was there. Looks at no other: a peer may give thousands of
   * calls the same id.
   */
  boolean remove(Exchange gone) {
    Exchange before = gone.previousInBucket;
    Exchange after = gone.nextInBucket;
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

  /** The request of that id, the last to arrive where there are several; null if there is none. */
  @Nullable Exchange find(byte[] id) {
    if (size == 0) {
      return null;
    }
    for (Exchange x = buckets[bucket(id, 0, id.length)]; x != null; x = x.nextInBucket) {
      if (!x.isNotification() && Arrays.equals(x.bytes, x.idFrom, x.idTo, id, 0, id.length)) {
        return x;
      }
    }
    return null;
  }

  int size() {
    return size;
  }

  void forEach(Consumer<Exchange> action) {
    for (Exchange head : buckets) {
      for (Exchange x = head; x != null; x = x.nextInBucket) {
        action.accept(x);
      }
    }
  }

  /** Notifications, of which thousands may wait, have no id to be told apart by. */
  private int bucket(Exchange x) {
    return x.isNotification()
        ? System.identityHashCode(x) & buckets.length - 1
        : bucket(x.bytes, x.idFrom, x.idTo);
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
