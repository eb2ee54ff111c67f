package dev.repartee.transport;

import dev.repartee.framing.FrameFault;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.HttpGuard;
import dev.repartee.limits.MemoryBudget;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The read buffer of one connection over a byte stream. Keeps the bytes of incomplete frames
 * between two reads, passes complete frames from the framing to the receiver, and stops the framing
 * while the receiver is not ready.
 */
final class ReadBuffer implements Receiver {
  /*
   * Implementation note.
   *
   * One read:
   *
   *   target(shared) --> the channel reads to at(), up to room() bytes --> arrived(count, shared)
   *
   * The unread bytes are bytes[from, to). The field bytes is one of three arrays:
   *
   *   NOTHING           no unread bytes; an idle connection holds no buffer
   *   the shared one    only between target() and arrived(); all connections of a reading thread
   *                     use it; arrived() empties it or copies the rest into an own array
   *   an own array      unread bytes of an incomplete frame, or frames that the receiver refused
   *
   * A small rest (up to half of the shared buffer) is copied to the front of the shared buffer for
   * the next read. Otherwise, after one incomplete frame, all reads of the connection would go to a
   * small own array: one system call for each message of that size. A larger rest stays in the own
   * array, which at most doubles each time, up to the largest allowed frame and one more read.
   *
   * A thread that reads for one connection alone has a buffer that no other connection uses. Then a
   * small rest stays where it is, and no array is made for a frame that arrived in two reads.
   *
   * The size of the own array is charged to the process-wide memory budget on accepted connections.
   * If the budget is exhausted, the connection reads no further (full) and the peer gets an error.
   *
   * Threads: used by one thread at a time, without a lock here. The fields stopped, inputClosed and
   * closed are volatile, because StreamChannel also reads them outside its delivery lock: in its
   * reader, and on the loop that checks its time limits.
   *
   * Order of events: inputClosed() and closed() reach the receiver at most once, and neither
   * inputClosed() nor hungUp() reaches it after closed().
   */

  private static final byte[] NOTHING = {};
  private static final int SMALLEST = 1 << 10;

  /** The size up to which the own array is not charged: twice the rest of one read. */
  private static final int FREE = 2 * Loop.BUFFER;

  private final FramedChannel channel;
  private final Receiver receiver;
  private final MemoryBudget.Share share;

  /** The buffer of the reading thread if it reads for this connection alone; else empty. */
  private final byte[] exclusive;

  /** Whether input is checked for HTTP requests and TLS: on accepted connections only. */
  private boolean guarded;

  /** Whether too few bytes have arrived to detect whether the peer speaks HTTP or TLS. */
  private boolean undecided;

  /** Whether nothing more is read: the memory budget is exhausted, or the client speaks TLS. */
  private boolean full;

  private byte[] bytes = NOTHING;
  private int from;
  private int to;

  /** The number of bytes that have arrived: the offset of {@link #to} in the stream. */
  private long arrived;

  private volatile boolean stopped;
  private volatile boolean inputClosed;
  private volatile boolean closed;

  /** The reason of a fatal fault that was reported, if there was one. */
  private @Nullable String fatal;

  private @Nullable IOException refusal;

  ReadBuffer(FramedChannel channel, Receiver receiver, boolean guarded) {
    this(channel, receiver, guarded, NOTHING);
  }

  /** Creates the buffer of a connection with a separate reading thread. */
  ReadBuffer(FramedChannel channel, Receiver receiver, byte[] exclusive) {
    this(channel, receiver, false, exclusive);
  }

  private ReadBuffer(FramedChannel channel, Receiver receiver, boolean guarded, byte[] exclusive) {
    this.channel = channel;
    this.receiver = receiver;
    this.exclusive = exclusive;
    this.guarded = guarded;
    this.undecided = guarded;
    // Outgoing connections are not charged: the user chose the peer.
    this.share = MemoryBudget.ofProcess().share(guarded ? FREE : Integer.MAX_VALUE);
  }

  /**
   * Returns the array to read into: {@code shared} or an own array. If {@link #unreadable} returns
   * non-null afterwards, nothing may be read.
   */
  byte[] target(byte[] shared) {
    if (from == to) {
      release();
      bytes = shared;
    } else if (bytes == exclusive && bytes.length - to >= Loop.BUFFER) {
      return bytes; // the rest stays where it is
    } else if (to - from <= shared.length / 2) {
      moveTo(shared); // a read into the little room after the rest would return few bytes
    } else if (bytes.length - to < Math.min(to - from, Loop.BUFFER)) {
      makeRoom();
    }
    return bytes;
  }

  /** Returns the index in {@link #target} at which to store the bytes of the next read. */
  int at() {
    return to;
  }

  /** Returns the maximum number of bytes to read. */
  int room() {
    return Math.min(bytes.length - to, Loop.BUFFER);
  }

  private void moveTo(byte[] shared) {
    int kept = to - from;
    System.arraycopy(bytes, from, shared, 0, kept);
    release();
    bytes = shared;
    to = kept;
  }

  private void makeRoom() {
    int kept = to - from;
    int room = Math.max(SMALLEST, kept + Math.min(kept, growth(kept)));
    if (share.hold(room)) {
      byte[] other = new byte[room];
      System.arraycopy(bytes, from, other, 0, kept);
      bytes = other;
      from = 0;
      to = kept;
    } else {
      full = true;
      release();
      fault(FrameFault.overBudget(share.refusal()));
    }
  }

  /** Returns the number of bytes by which an incomplete frame may still grow, with its framing. */
  private int growth(int kept) {
    return Math.max(0, channel.limits.frameBytes() - kept) + Loop.BUFFER;
  }

  /**
   * Delivers the frames in the bytes of a read. Must follow each call of {@link #target}.
   *
   * @param count the number of bytes that were read, may be 0
   */
  void arrived(int count, byte[] shared) {
    to += count;
    arrived += count;
    if (undecided) {
      HttpGuard.Verdict verdict = HttpGuard.judge(bytes, from, to);
      undecided = verdict == HttpGuard.Verdict.UNDECIDED;
      if (verdict == HttpGuard.Verdict.HTTP) {
        refuseHttp();
      } else if (verdict == HttpGuard.Verdict.TLS) {
        full = true;
        fault(FrameFault.fatal(HttpGuard.TLS_DEFECT, from));
        release();
      }
    }
    deliver();
    if (bytes == shared) {
      if (from == to) {
        release();
      } else if (bytes != exclusive || to - from > bytes.length / 2) {
        makeRoom();
      }
    }
  }

  /** Delivers the frames in the unread bytes, while the receiver is ready. */
  void deliver() {
    stopped = false;
    if (from < to && !undecided && refusal == null) {
      receiver.burstBegins();
      try {
        from = channel.frames().read(bytes, from, to, this);
      } finally {
        receiver.burstEnds();
      }
      giveBack();
    }
  }

  /** Releases an empty array, and shrinks a large array that is mostly empty. */
  private void giveBack() {
    if (from == to) {
      release();
    } else if (bytes != exclusive && bytes.length > Loop.BUFFER && to - from < bytes.length / 4) {
      makeRoom();
    }
  }

  /** Passes the unread bytes to the framing after the end of input. */
  void end() {
    channel.frames().end(bytes, from, to, this);
    release();
  }

  /** Discards the unread bytes and releases the memory. */
  void release() {
    bytes = NOTHING;
    from = 0;
    to = 0;
    share.hold(0);
  }

  /**
   * Returns the number of unread bytes; 0 if they are too few to be charged to the memory budget.
   */
  int held() {
    return share.counted() == 0 ? 0 : to - from;
  }

  /** Returns whether the framing was stopped, so that the unread bytes may hold whole frames. */
  boolean stopped() {
    return stopped;
  }

  /**
   * Returns the reason to end the connection immediately without an answer (HTTP); null if none.
   */
  @Nullable IOException refusal() {
    return refusal;
  }

  /** Returns the reason why no further message can be read; null while reading is possible. */
  @Nullable IOException unreadable() {
    return channel.frames().ended() || full
        ? new IOException("no further message can be found in what "
            + channel.remote()
            + " sends: "
            + (fatal == null ? "a message was not JSON" : fatal))
        : null;
  }

  /** Returns whether the receiver was notified that no more frames will arrive. */
  boolean isInputClosed() {
    return inputClosed || closed;
  }

  @Override
  public boolean frame(byte[] b, int from, int to) {
    if (guarded && HttpGuard.isRequest(b, from, to)) {
      refuseHttp();
      return true;
    }
    return receiver.frame(b, from, to);
  }

  /** Ends the connection without an answer, which a web page could read; the log gets the reason. */
  private void refuseHttp() {
    refusal = HttpGuard.refusal(channel.remote());
    receiver.violation(HttpGuard.VIOLATION);
  }

  @Override
  public void fault(FrameFault fault) {
    FrameFault located = fault.inStream(arrived - to);
    if (located.fatal()) {
      fatal = located.reason();
    }
    receiver.fault(located);
  }

  @Override
  public boolean ready() {
    boolean ready = refusal == null
        && !full
        && !isInputClosed()
        && !channel.queued.isClosed()
        && !channel.isBurstFull()
        && receiver.ready();
    stopped = !ready;
    return ready;
  }

  @Override
  public void roomAgain() {
    if (!closed) {
      receiver.roomAgain();
    }
  }

  @Override
  public void inputClosed(@Nullable Throwable cause) {
    if (!inputClosed && !closed) {
      inputClosed = true;
      receiver.inputClosed(cause);
    }
  }

  @Override
  public void hungUp() {
    if (!closed) {
      receiver.hungUp();
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    if (!closed) {
      closed = true;
      receiver.closed(cause);
    }
  }
}
