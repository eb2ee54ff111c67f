package dev.repartee.a2a.delivery;

import dev.repartee.internal.Clock;
import dev.repartee.limits.ClientShares;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The queued notifications, in order for each address of a task. A client may use at most half of
 * the queue, and a host a quarter; see {@link ClientShares}. If three consecutive attempts of one
 * client at a host time out, its notifications to this host are dropped, and new ones are refused
 * for 5 minutes. Other clients are not affected, because their addresses at the same host may
 * answer. Thread-safe.
 */
final class PushQueues {
  /** The result of {@link #add}. */
  enum Place {
    /** The notification is the first of its address: send it. */
    FIRST,
    /** The notification waits for earlier notifications. */
    LATER,
    /** The queue is full. */
    FULL,
    /** The host does not answer notifications of this client. */
    SILENT
  }

  /** The number of consecutive time-outs after which a host counts as silent. */
  private static final int TIMEOUTS = 3;

  private static final Duration SILENCE = Duration.ofMinutes(5);

  /** The maximum number of targets with time-outs that are remembered. */
  private static final int TARGETS = 1_000;

  /** The addresses of one client at one host. */
  private record Target(String client, String host) {
    static Target of(Notice notice) {
      return new Target(notice.client(), notice.host());
    }
  }

  /** The consecutive time-outs of one target. Guarded by the queues. */
  private static final class Silence {
    private int timeouts;
    private long last;
  }

  private final Clock clock;

  // Guarded by this.
  private final ClientShares clients;
  private final ClientShares hosts;

  /**
   * The queue of each address, without empty queues. The first notification of a queue is being
   * sent.
   */
  private final Map<String, Queue<Notice>> queues = new HashMap<>();

  private final Map<Target, Silence> silent = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Target, Silence> eldest) {
      return size() > TARGETS;
    }
  };

  /** Creates the queues; {@code clock} is the clock of the pauses of silent hosts. */
  PushQueues(int most, long mostBytes, Clock clock) {
    this.clients = new ClientShares(most, mostBytes);
    this.hosts = new ClientShares(most - most / 2, mostBytes - mostBytes / 2);
    this.clock = clock;
  }

  /** Adds a notification if the queue has room. */
  synchronized Place add(Notice notice) {
    Silence silence = silent.get(Target.of(notice));
    if (silence != null && silence.timeouts >= TIMEOUTS) {
      if (clock.nanos() - silence.last < SILENCE.toNanos()) {
        return Place.SILENT;
      }
      silence.timeouts = TIMEOUTS - 1; // one more attempt
    }
    int size = notice.body().length;
    if (clients.makeRoom(notice.id(), notice.client(), size, ClientShares.Use.RUNNING, id -> {})
            != null
        || hosts.half(notice.host(), 1, size) != null) {
      return Place.FULL;
    }
    clients.put(notice.id(), notice.client(), size, ClientShares.Use.RUNNING);
    hosts.put(notice.id(), notice.host(), size, ClientShares.Use.RUNNING);
    Queue<Notice> queue = queues.computeIfAbsent(notice.key(), key -> new ArrayDeque<>());
    queue.add(notice);
    return queue.size() == 1 ? Place.FIRST : Place.LATER;
  }

  /** Returns whether a notification was not dropped with its target. */
  synchronized boolean contains(Notice notice) {
    Queue<Notice> queue = queues.get(notice.key());
    return queue != null && queue.peek() == notice;
  }

  /** Removes the first notification of an address. Returns the next one, or null. */
  synchronized @Nullable Notice next(Notice done) {
    Queue<Notice> queue = queues.get(done.key());
    if (queue == null || queue.peek() != done) {
      return null; // dropped with its target
    }
    queue.remove();
    forget(done);
    if (queue.isEmpty()) {
      queues.remove(done.key());
    }
    return queue.peek();
  }

  private void forget(Notice notice) {
    clients.remove(notice.id());
    hosts.remove(notice.id());
  }

  /** Handles an answer to a notification. */
  synchronized void answered(Notice notice) {
    silent.remove(Target.of(notice));
  }

  /**
   * Handles a time-out. Attempts that ran at the same time count once.
   *
   * @param start the start of the attempt in nanoseconds, on the clock of these queues
   * @return the dropped notifications, if the host now counts as silent
   */
  synchronized List<Notice> timedOut(Notice notice, long start) {
    Target target = Target.of(notice);
    Silence silence = silent.computeIfAbsent(target, key -> new Silence());
    if (silence.timeouts > 0 && start - silence.last < 0) {
      return List.of();
    }
    silence.timeouts++;
    silence.last = clock.nanos();
    return silence.timeouts < TIMEOUTS ? List.of() : drop(target);
  }

  private List<Notice> drop(Target target) {
    List<Notice> dropped = new ArrayList<>();
    queues.values().removeIf(queue -> {
      boolean isOfTarget = Target.of(queue.element()).equals(target);
      if (isOfTarget) {
        dropped.add(queue.element());
        queue.forEach(this::forget);
      }
      return isOfTarget;
    });
    return dropped;
  }
}
