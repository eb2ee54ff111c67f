package dev.repartee.acp.runs;

import dev.repartee.limits.ClientShares;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Estimates the memory of messages in bytes, and bounds the number and the memory of active runs.
 * The clients share both, see {@link ClientShares}. Thread-safe; acquires no other lock.
 */
final class Budget {
  /** The default bound: a sixteenth of the heap, 16 MiB at least. */
  static final long BYTES = Math.max(16 << 20, Runtime.getRuntime().maxMemory() / 16);

  /** The estimated memory of an object with a few short strings. */
  static final int OBJECT = 200;

  private final long most;

  // Guarded by this.
  private final ClientShares shares;
  private final Map<String, Share> runs = new HashMap<>();

  /**
   * Creates a budget.
   *
   * @param runs the maximum number of runs
   * @param most the maximum memory in bytes
   */
  Budget(int runs, long most) {
    this.most = most;
    this.shares = new ClientShares(runs, most);
  }

  long most() {
    return most;
  }

  /**
   * Reserves a place and memory for a new run.
   *
   * @param share the share of the run
   * @param replaced receives the share of each waiting run that loses its place; must not block
   * @return the bound that refuses the run, or null if the run has a place
   */
  synchronized ClientShares.@Nullable Bound begin(Share share, Consumer<Share> replaced) {
    ClientShares.Bound full = shares.makeRoom(
        share.id,
        share.client,
        share.bytes,
        ClientShares.Use.RUNNING,
        id -> replaced.accept(Objects.requireNonNull(runs.remove(id))));
    if (full == null) {
      runs.put(share.id, share);
      share.put();
    }
    return full;
  }

  /** The place and the memory of one run. */
  final class Share {
    private final String id;
    private final String client;
    private ClientShares.Use use = ClientShares.Use.RUNNING; // guarded by the budget
    private long bytes; // guarded by the budget

    Share(String id, String client, long bytes) {
      this.id = id;
      this.client = client;
      this.bytes = bytes;
    }

    String id() {
      return id;
    }

    String client() {
      return client;
    }

    /**
     * Reserves more memory. Returns false if the budget or the client's half of it is exhausted.
     */
    boolean take(long more) {
      synchronized (Budget.this) {
        if (shares.bytes() + more > most || shares.half(client, 0, more) != null) {
          return false;
        }
        bytes += more;
        put();
        return true;
      }
    }

    /** Sets whether the run waits for its client. */
    void waits(boolean waits) {
      synchronized (Budget.this) {
        use = waits ? ClientShares.Use.WAITING : ClientShares.Use.RUNNING;
        put();
      }
    }

    /** Releases the place and the memory. */
    void end() {
      synchronized (Budget.this) {
        if (runs.remove(id, this)) {
          shares.remove(id);
        }
      }
    }

    /** Counts the run unless it has ended or lost its place. The caller holds the lock. */
    private void put() {
      if (runs.get(id) == this) {
        shares.put(id, client, bytes, use);
      }
    }

    long most() {
      return most;
    }

    long bytes() {
      synchronized (Budget.this) {
        return bytes;
      }
    }
  }

  static long size(List<RunMessage> messages) {
    long size = 0;
    for (RunMessage each : messages) {
      size += OBJECT + each.role().length();
      for (MessagePart part : each.parts()) {
        size += size(part);
      }
    }
    return size;
  }

  static long size(MessagePart part) {
    return OBJECT
        + part.contentType().length()
        + length(part.content())
        + length(part.contentEncoding())
        + length(part.contentUrl())
        + length(part.name())
        + part.metadata().map(metadata -> (long) metadata.length()).orElse(0L);
  }

  private static long length(Optional<String> text) {
    return text.map(present -> (long) present.length()).orElse(0L);
  }
}
