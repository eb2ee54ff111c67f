package dev.repartee;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that wait to leave on one connection, in the order in which their frames were committed.
 *
 * <p>There are two buffers: any thread appends to one, while whoever has the <i>turn</i> writes the
 * other to the transport, so that appending never waits for a system call. The turn goes to whoever
 * appends while nobody has it, and comes back when {@link #more} finds nothing left. So while nobody
 * has the turn, nothing waits but what was {@linkplain #gather gathered}, which leaves with the next.
 */
final class Outbound {
  /** The most that one write takes: the JDK copies it to memory that it keeps for the thread. */
  static final int WRITE = 128 << 10;

  /** An emptied buffer larger than this is not used again for what waits behind it. */
  private static final int KEPT = 4 << 10;

  private static final int SMALLEST = 64;

  /** The most that a framing puts around a message. */
  private static final int MARKS = 64;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final int max;
  private final HeldBytes.Share share;
  private final Channel owner;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition room = lock.newCondition();

  // Guarded by the lock; the volatile ones are only written under it.
  private @Nullable Output filling;
  private boolean turn;
  private int fillingAnswers;

  /** As much as left last, and as the next buffer has room for. */
  private int usual = SMALLEST;

  private int leavingAnswers;
  private volatile int waiting;
  private volatile int answers;
  private volatile long left;
  private volatile boolean shut;
  private @Nullable Throwable cause;

  /** The other buffer: whoever has the turn writes it, by the view. */
  private @Nullable Output leaving;

  private ByteBuffer view = NOTHING;

  /**
   * What waits here counts as held once it is more than {@code free} bytes. Where there is no room for
   * more {@code owner} is aborted, which has to {@link #kill} this.
   */
  Outbound(int max, int free, Channel owner) {
    this.max = max;
    this.share = HeldBytes.ofAnswers().share(free);
    this.owner = owner;
  }

  /** Bytes that wait. */
  int waiting() {
    return waiting;
  }

  /** Bytes of answers that wait, or somewhat more: among what leaves now they count as the last. */
  int answers() {
    return answers;
  }

  /** Whether more than the bound waits. */
  boolean isFull() {
    return waiting > max;
  }

  /** Bytes that ever left from here. */
  long left() {
    return left;
  }

  /** Whether nothing more may be committed. */
  boolean isShut() {
    return shut;
  }

  /**
   * Appends the message with its marks around it.
   *
   * @return whether the caller got the turn, and must now write
   * @throws DisconnectedException if the way out is shut
   */
  boolean append(Frames frames, Output message) {
    lock.lock();
    try {
      gather(frames, message);
      return turn();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Appends the message with its marks around it; it leaves when somebody takes the turn.
   *
   * @throws DisconnectedException if the way out is shut
   */
  void gather(Frames frames, Output message) {
    lock.lock();
    try {
      Output out = open(message.size() + MARKS);
      int start = out.size();
      frames.begin(out);
      out.raw(message.array(), 0, message.size());
      frames.finish(out, start);
      appended(out.size() - start, message.initiated);
    } finally {
      lock.unlock();
    }
  }

  /** Appends bytes that have their marks already, as {@link #append(Frames, Output)} does. */
  boolean append(byte[] bytes, int from, int to, boolean initiated) {
    lock.lock();
    try {
      open(to - from).raw(bytes, from, to);
      appended(to - from, initiated);
      return turn();
    } finally {
      lock.unlock();
    }
  }

  /** The buffer to append to, if there is room for so many bytes more. */
  private Output open(int more) {
    Output out = filling;
    if (out == null) {
      out = new Output(usual);
    }
    hold(out.capacityFor(more) + capacity(leaving));
    if (shut) {
      throw DisconnectedException.closed(owner.info().other(), cause);
    }
    filling = out;
    out.reserve(more); // a frame of which half stands here would spoil all that follow
    return out;
  }

  /** Holds buffers of so many bytes; whoever does not read what fills them is cut off for others. */
  private void hold(long capacity) {
    if (!shut && !share.hold(capacity)) {
      owner.abort(share.refusal());
    }
  }

  private static long capacity(@Nullable Output buffer) {
    return buffer == null ? 0 : buffer.array().length;
  }

  private void appended(int bytes, boolean initiated) {
    waiting += bytes;
    if (!initiated) {
      fillingAnswers += bytes;
      answers = fillingAnswers + leavingAnswers;
    }
  }

  private boolean turn() {
    boolean mine = !turn;
    turn = true;
    return mine;
  }

  /** Takes the turn if nobody has it. */
  boolean claim() {
    lock.lock();
    try {
      return turn();
    } finally {
      lock.unlock();
    }
  }

  /** Puts bytes before all that wait; needs the turn, and nothing in the leaving buffer. */
  void hold(byte[] bytes, int from, int to) {
    lock.lock();
    try {
      hold(to - from + capacity(filling));
      if (cause == null) {
        Output out = new Output(to - from).raw(bytes, from, to);
        leaving = out;
        view = ByteBuffer.wrap(out.array(), 0, out.size());
        waiting += to - from;
        leavingAnswers = to - from;
        answers = fillingAnswers + leavingAnswers;
      }
    } finally {
      lock.unlock();
    }
  }

  /** The bytes to write next; null, and the turn is given back, when there are none. */
  @Nullable ByteBuffer more() {
    lock.lock();
    try {
      Output out = leaving;
      if (out == null || view.position() == out.size()) {
        out = swap();
        if (out == null) {
          return null;
        }
      }
      return view.limit(Math.min(out.size(), view.position() + WRITE));
    } finally {
      lock.unlock();
    }
  }

  /** While nothing waits no buffer is kept either: most connections are idle most of the time. */
  private @Nullable Output swap() {
    Output next = filling;
    leavingAnswers = fillingAnswers;
    fillingAnswers = 0;
    if (next == null || next.size() == 0) {
      Output last = leaving;
      if (last != null) {
        usual = Math.max(SMALLEST, Math.min(last.size(), KEPT));
      }
      filling = null;
      leaving = null;
      view = NOTHING;
      turn = false;
      share.hold(0);
      return null;
    }
    filling = reuse(leaving);
    leaving = next;
    view = ByteBuffer.wrap(next.array(), 0, 0);
    share.hold(capacity(filling) + capacity(next));
    return next;
  }

  private static @Nullable Output reuse(@Nullable Output empty) {
    if (empty == null || empty.array().length > KEPT) {
      return null;
    }
    empty.truncate(0);
    return empty;
  }

  /**
   * Takes note that so many bytes have left.
   *
   * @return whether there is room again where there was none
   */
  boolean took(int bytes) {
    lock.lock();
    try {
      int before = waiting;
      waiting = Math.max(0, before - bytes);
      left += bytes;
      leavingAnswers = Math.min(leavingAnswers, leavingBytes());
      int answersBefore = answers;
      answers = fillingAnswers + leavingAnswers;
      boolean roomAgain = isPassed(before, waiting);
      if (roomAgain) {
        room.signalAll();
      }
      return roomAgain || isPassed(answersBefore, answers);
    } finally {
      lock.unlock();
    }
  }

  /** Whether half of the bound was passed on the way down. */
  private boolean isPassed(int before, int after) {
    return before > max / 2 && after <= max / 2;
  }

  private int leavingBytes() {
    return leaving == null ? 0 : leaving.size() - view.position();
  }

  /** Lets nothing more in; what waits may still leave. */
  void shut() {
    lock.lock();
    try {
      shut = true;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Lets nothing more in, and forgets what waits: a writer has no more than its last piece. */
  void kill(Throwable why) {
    lock.lock();
    try {
      shut = true;
      if (cause == null) {
        cause = why;
      }
      filling = null;
      leaving = null;
      view = NOTHING;
      share.hold(0);
      waiting = 0;
      answers = 0;
      fillingAnswers = 0;
      room.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether nothing waits and nobody writes. */
  boolean isIdle() {
    lock.lock();
    try {
      return !turn && waiting == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for room; see {@link Channel#awaitRoom}. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    if (!shut && !isFull()) {
      return true;
    }
    long nanos = ReadingThread.isCurrent() ? 0 : unit.toNanos(time);
    lock.lockInterruptibly();
    try {
      while (!shut && isFull() && nanos > 0) {
        nanos = room.awaitNanos(nanos);
      }
      if (shut) {
        throw DisconnectedException.closed(owner.info().other(), cause);
      }
      return !isFull();
    } finally {
      lock.unlock();
    }
  }
}
