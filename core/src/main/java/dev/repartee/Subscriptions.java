package dev.repartee;

import dev.repartee.stream.Outflow;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** The subscriptions that the other side of one connection has opened here. Thread-safe. */
final class Subscriptions {
  /** The bytes of an id: nobody can guess it, so logs may show it and other connections know none. */
  private static final int ID = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private record Subscription(String unsubscribe, Outflow outflow) {}

  private final int max;
  private final Map<String, Subscription> open = new HashMap<>(); // guarded by this
  private boolean closed; // guarded by this

  /**
   * @param max the number of subscriptions at the same time
   */
  Subscriptions(int max) {
    this.max = max;
  }

  int max() {
    return max;
  }

  static String newId() {
    byte[] id = new byte[ID];
    RANDOM.nextBytes(id);
    return "0x" + HexFormat.of().formatHex(id);
  }

  /** Adds a subscription; returns false if there are too many, or the connection has ended. */
  synchronized boolean add(String id, String unsubscribe, Outflow outflow) {
    if (closed || open.size() >= max) {
      return false;
    }
    open.put(id, new Subscription(unsubscribe, outflow));
    return true;
  }

  /** Removes a subscription that has ended; returns false if its end was caused here. */
  synchronized boolean remove(String id) {
    return open.remove(id) != null;
  }

  /** Ends a subscription with the method for that; returns whether there is one. */
  boolean end(String unsubscribe, String id) {
    Subscription ended;
    synchronized (this) {
      ended = open.get(id);
      if (ended == null || !ended.unsubscribe.equals(unsubscribe)) {
        return false;
      }
      open.remove(id);
    }
    stop(ended);
    return true;
  }

  /** Ends all subscriptions, because the connection has ended; adds none from now on. */
  void close() {
    List<Subscription> all;
    synchronized (this) {
      closed = true;
      all = new ArrayList<>(open.values());
      open.clear();
    }
    all.forEach(Subscriptions::stop);
  }

  private static void stop(Subscription ended) {
    ended.outflow.stop(new CancellationException("the subscription was ended"));
  }
}
