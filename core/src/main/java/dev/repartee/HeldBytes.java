package dev.repartee;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that all connections of this process hold of messages which have arrived in part, or which
 * wait or run, and as many again of answers that wait to leave: the limit {@code heldBytes}. All other limits are those of one connection; memory is
 * the process's.
 *
 * <p>It is a quarter of the heap, since a handler may well hold what it got two or three times. A call
 * is held twice for a moment, in the buffer that it arrived in and by whoever runs it, so a heap has to
 * be eight times as large as the largest of them: 128 MB for the default of {@link Limits#frameBytes}.
 * The system property {@value #PROPERTY} sets another bound, in bytes.
 *
 * <p>Whoever holds something has a {@link Share}. Small messages are never counted, so they are served
 * however much others hold. Thread-safe and lock-free.
 */
public final class HeldBytes {
  /** The system property that sets the limit. */
  public static final String PROPERTY = "repartee.heldBytes";

  private static final String LIMIT = "heldBytes";
  private static final long BOUND =
      bound(System.getProperty(PROPERTY), Runtime.getRuntime().maxMemory());
  private static final HeldBytes PROCESS = new HeldBytes(BOUND);
  private static final HeldBytes ANSWERS = new HeldBytes(BOUND);

  private final long max;
  private final AtomicLong held = new AtomicLong();

  HeldBytes(long max) {
    this.max = max;
  }

  /**
   * A bound of its own, for what a protocol keeps between messages: kept bytes then take no room from
   * messages.
   *
   * @param max the most bytes that may be held
   */
  public static HeldBytes of(long max) {
    return new HeldBytes(max);
  }

  /** What holds for this process. */
  public static HeldBytes ofProcess() {
    return PROCESS;
  }

  /**
   * The same for what waits to be read by the other ends: as much once more, so that neither keeps the
   * other from getting on.
   */
  public static HeldBytes ofAnswers() {
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

  /** How many bytes may be held. */
  public long max() {
    return max;
  }

  /** How many are held and counted now. */
  public long held() {
    return held.get();
  }

  /**
   * A share of it, empty for now.
   *
   * @param free as long as no more than that is held, nothing is counted
   */
  public Share share(int free) {
    return new Share(this, free);
  }

  /** What whoever finds no room is refused with. */
  LimitException refusal() {
    return new LimitException(LIMIT, max);
  }

  /** The answer to a message of which no more can be held; nothing behind it can be found. */
  FrameFault fault() {
    return new FrameFault(
        RpcError.limit(RpcError.BUSY, "Busy; try again later", LIMIT, max),
        "a message for which there is no room within the limit heldBytes of " + max,
        true,
        0);
  }

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

  void give(long bytes) {
    held.addAndGet(-bytes);
  }

  /**
   * What one owner holds. It knows what was counted for it and settles the difference, so an owner
   * gives everything back by holding nothing. For one thread at a time.
   */
  public static final class Share {
    private final HeldBytes whole;
    private final int free;
    private long counted;

    private Share(HeldBytes whole, int free) {
      this.whole = whole;
      this.free = free;
    }

    /**
     * Holds that many bytes from now on, all in all.
     *
     * @return false, changing nothing, if there is no room for more
     */
    public boolean hold(long bytes) {
      long more = worth(bytes) - counted;
      if (more > 0 && !whole.take(more)) {
        return false;
      }
      settle(more);
      return true;
    }

    /** Holds that many bytes, whether there is room or not: for what cannot be refused any more. */
    public void holdAnyway(long bytes) {
      long more = worth(bytes) - counted;
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

    /** Whether that many bytes could be held now. */
    boolean hasRoomFor(long bytes) {
      return worth(bytes) - counted <= Math.max(0, whole.max - whole.held());
    }

    private long worth(long bytes) {
      return bytes <= free ? 0 : bytes;
    }

    /** How many bytes are counted for this one. */
    public long counted() {
      return counted;
    }

    /** What whoever finds no room is refused with. */
    public LimitException refusal() {
      return whole.refusal();
    }

    FrameFault fault() {
      return whole.fault();
    }
  }
}
