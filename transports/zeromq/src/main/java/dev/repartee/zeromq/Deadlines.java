package dev.repartee.zeromq;

import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The messages of a service that have a deadline and run. Used by the thread of the sockets. */
final class Deadlines {
  /** The longest time that a message may run: its nanoseconds fit into a long. */
  private static final long LONGEST_MILLIS = TimeUnit.DAYS.toMillis(10_000);

  private final long began = System.nanoTime();

  /** The messages by the times of their deadlines; equal ones are moved by a nanosecond. */
  private final NavigableMap<Long, ZmqDelivery> running = new TreeMap<>();

  /** Sets the deadline of a message from now. */
  void add(ZmqDelivery delivery, long millis) {
    long deadline = now() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, LONGEST_MILLIS));
    while (running.putIfAbsent(deadline, delivery) != null) {
      deadline++;
    }
    delivery.until(deadline);
  }

  /** Removes a message that has ended, if it has a deadline. */
  void remove(ZmqDelivery delivery) {
    running.remove(delivery.deadline());
  }

  /** Removes and returns a message whose deadline has passed; null if there is none. */
  @Nullable ZmqDelivery pollLate() {
    boolean late = !running.isEmpty() && running.firstKey() <= now();
    return late ? running.pollFirstEntry().getValue() : null;
  }

  /** Returns the milliseconds to the next deadline; -1 if there is none. */
  long untilNext() {
    return running.isEmpty()
        ? -1
        : Math.max(0, 1 + TimeUnit.NANOSECONDS.toMillis(running.firstKey() - now()));
  }

  /** Returns the nanoseconds since the start of the service: a key that cannot overflow. */
  private long now() {
    return System.nanoTime() - began;
  }
}
