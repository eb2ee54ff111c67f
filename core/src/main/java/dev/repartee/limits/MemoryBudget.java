package dev.repartee.limits;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A memory budget for messages, in bytes: the limit {@code heldBytes}. All other limits apply to
 * one connection; this one applies to the whole process.
 *
 * <p>There are two budgets of the same size. {@link #ofProcess()} covers partly received, queued
 * and running messages. {@link #ofAnswers()} covers answers that are not sent yet.
 *
 * <p>Each budget is a quarter of the maximum heap, since a handler may well keep its params two or
 * three times. A request is charged twice for a moment: once for the read buffer and once for its
 * exchange. This requires a heap that is at least eight times as large as the largest request: 128
 * MB for the default of {@link Limits#frameBytes}. The system property {@value #PROPERTY} sets
 * another size in bytes.
 *
 * <p>Each owner of a buffer has a {@link Share}. Small buffers are not charged: small messages are
 * served even if the budget is exhausted. Thread-safe and lock-free; a share is for one thread at a
 * time.
 */
public final class MemoryBudget {
  /*
   * Implementation note. The only shared state is the counter held. Each Share remembers the amount
   * it has charged (counted), and hold(n) charges or returns the difference to the new amount. An
   * owner declares its current size instead of pairing an allocation with a release. This rules out
   * code paths that release bytes twice or never: hold(0) releases everything. Invariant: held is
   * the sum of counted over all shares.
   *
   * A share charges nothing up to its free size, and all of its bytes above that. Most connections
   * never update the shared counter, and small messages are never refused.
   *
   * held may exceed max, because holdAnyway() charges bytes that it is too late to refuse. take()
   * and hasRoomFor() must therefore handle max - held being negative.
   *
   * Requests and answers have separate budgets. With one budget, peers that do not read their
   * answers could use up all of it, and no connection could receive a large request.
   */

  /** The system property that sets the limit. */
  public static final String PROPERTY = "repartee.heldBytes";

  private static final String LIMIT = "heldBytes";
  private static final long BOUND =
      bound(System.getProperty(PROPERTY), Runtime.getRuntime().maxMemory());
  private static final MemoryBudget PROCESS = new MemoryBudget(BOUND);
  private static final MemoryBudget ANSWERS = new MemoryBudget(BOUND);

  private final long max;
  private final AtomicLong held = new AtomicLong();

  MemoryBudget(long max) {
    this.max = max;
  }

  /**
   * Returns a new budget, separate from the two of the process. For data that a protocol keeps
   * between messages: it must not use up the memory for messages.
   *
   * @param max the size of the budget in bytes
   */
  public static MemoryBudget of(long max) {
    return new MemoryBudget(max);
  }

  /** Returns the budget of this process for partly received, queued and running messages. */
  public static MemoryBudget ofProcess() {
    return PROCESS;
  }

  /**
   * Returns the budget of this process for answers that are not sent yet. It is separate from
   * {@link #ofProcess()}, so that unread answers cannot starve requests, or the reverse.
   */
  public static MemoryBudget ofAnswers() {
    return ANSWERS;
  }

  static long bound(@Nullable String property, long heap) {
    if (property == null) {
      return heap / 4;
    }
    if (!property.matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException("the system property " + PROPERTY
          + " is a number of bytes, such as 67108864, not '" + property + "'");
    }
    return Long.parseLong(property);
  }

  /** Returns the size of the budget in bytes. */
  public long max() {
    return max;
  }

  /** Returns the bytes that are charged now; may exceed {@link #max()}. */
  public long held() {
    return held.get();
  }

  /**
   * Returns a new share of this budget that holds nothing yet.
   *
   * @param free the number of bytes up to which the share charges nothing. A share that holds more
   *     is charged for all of its bytes
   */
  public Share share(int free) {
    return new Share(this, free);
  }

  /** Returns the exception for a message that does not fit into the budget. */
  LimitException refusal() {
    return new LimitException(LIMIT, max);
  }

  /** Charges {@code bytes} to the budget; returns false and charges nothing if they do not fit. */
  boolean take(long bytes) {
    long now = held.get();
    while (bytes <= max - now) {
      if (held.compareAndSet(now, now + bytes)) {
        return true;
      }
      now = held.get();
    }
    return false;
  }

  /** Returns {@code bytes} to the budget. */
  void give(long bytes) {
    held.addAndGet(-bytes);
  }

  /**
   * The part of a budget that one owner holds. An owner reports its current size with {@link
   * #hold}; {@code hold(0)} returns everything. Not thread-safe.
   */
  public static final class Share {
    private final MemoryBudget whole;
    private final int free;
    private long counted;

    private Share(MemoryBudget whole, int free) {
      this.whole = whole;
      this.free = free;
    }

    /**
     * Sets the size of this share to {@code bytes}.
     *
     * @return false, without a change, if the share would grow and the budget is exhausted
     */
    public boolean hold(long bytes) {
      long more = charge(bytes) - counted;
      if (more > 0 && !whole.take(more)) {
        return false;
      }
      settle(more);
      return true;
    }

    /**
     * Sets the size of this share to {@code bytes} even if the budget is exhausted: for bytes that
     * it is too late to refuse.
     */
    public void holdAnyway(long bytes) {
      long more = charge(bytes) - counted;
      if (more > 0) {
        whole.held.addAndGet(more);
      }
      settle(more);
    }

    private void settle(long more) {
      if (more < 0) {
        whole.give(-more);
      }
      counted += more;
    }

    /** Returns whether this share could grow to {@code bytes} now. Charges nothing. */
    public boolean hasRoomFor(long bytes) {
      return charge(bytes) - counted <= Math.max(0, whole.max - whole.held());
    }

    /** Returns the bytes that are charged for a share of that size. */
    private long charge(long bytes) {
      return bytes <= free ? 0 : bytes;
    }

    /** Returns the bytes that are charged for this share; 0 up to its free size. */
    public long counted() {
      return counted;
    }

    /** Returns the exception for a message that does not fit into the budget. */
    public LimitException refusal() {
      return whole.refusal();
    }
  }
}
