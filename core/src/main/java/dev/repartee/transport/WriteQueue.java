package dev.repartee.transport;

import dev.repartee.framing.Frames;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.MemoryBudget;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The write queue of one connection: unsent bytes, in commit order. Thread-safe. */
final class WriteQueue {
  // Implementation note.
  //
  // There are two buffers. Any thread appends to "filling", while one thread, which has the turn,
  // writes "leaving" to the transport. Appending never waits for a system call.
  //
  //   free  --append() or claim() returns true-->  taken
  //         <--more() finds both buffers empty---
  //
  // A thread that acquires the turn must write: it calls more() and took() until more() returns
  // null. While the turn is free, leaving is null, and filling contains only gathered frames, which
  // are sent by the next thread that acquires the turn. If the transport accepts fewer bytes than
  // offered, the turn is not released and the channel continues later; other threads only append
  // meanwhile. If a writer fails while it has the turn, nothing further can be written, and the
  // channel must end.
  //
  // Invariants, under the lock:
  //   - bytes.waiting() is the number of bytes in filling, plus the bytes in leaving after the
  //     position of view, plus the bytes that were written but not yet reported to took().
  //   - bytes.answers() is fillingAnswers + leavingAnswers. The answers in leaving count as its
  //     last bytes. The sum may be too high, but never too low: only answers make a channel stop
  //     reading.
  //   - While the queue is empty there is no buffer, since most connections are idle most of the
  //     time.
  //
  // Locks. lock guards all fields; the counts of bytes are read without it. The content of leaving
  // is not changed while a thread writes it: more() returns a view, and abort() only drops the
  // reference. The writer may then finish the piece that it has. Channel.abort() is called under
  // the lock and calls abort(), which is possible because the lock is reentrant. abort() must not
  // wait for a lock that another thread may hold while it appends.

  /**
   * The maximum size of one write: the JDK copies it to direct memory that it keeps for each
   * thread.
   */
  static final int WRITE = 128 << 10;

  /** The size above which an emptied buffer is not used again. */
  private static final int KEPT = 4 << 10;

  private static final int SMALLEST = 64;

  /** The maximum number of bytes that a framing adds to a message. */
  private static final int MARKS = 64;

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final MemoryBudget.Share share;
  private final Channel owner;
  private final ReentrantLock lock = new ReentrantLock();
  private final QueuedBytes bytes;

  // Guarded by the lock.

  /** The buffer to append to. */
  private @Nullable JsonWriter filling;

  /**
   * Whether the turn to write is taken: by a thread, or by a channel that waits until it can write.
   */
  private boolean turn;

  /** The number of bytes of answers in {@link #filling}. */
  private int fillingAnswers;

  /** The capacity of the next buffer: about the size of the last written buffer. */
  private int usual = SMALLEST;

  /** The number of bytes of answers in {@link #leaving}, or somewhat more. */
  private int leavingAnswers;

  /** Whether {@link #abort} was called: nothing more may be queued. */
  private boolean aborted;

  /** The buffer that the thread with the turn writes, through {@link #view}. */
  private @Nullable JsonWriter leaving;

  private ByteBuffer view = NOTHING;

  /**
   * @param max the limit {@code outboundBytes}
   * @param free the number of bytes that are not charged to {@link MemoryBudget}
   * @param remote the name of the peer for error messages
   * @param owner is aborted if the memory budget is exhausted, and then has to {@link #abort} this
   *     queue
   */
  WriteQueue(int max, int free, String remote, Channel owner) {
    this.bytes = new QueuedBytes(max, lock, remote);
    this.share = MemoryBudget.ofAnswers().share(free);
    this.owner = owner;
  }

  /** Returns the counts of bytes; the count of answers may be somewhat too high. */
  QueuedBytes bytes() {
    return bytes;
  }

  /**
   * Appends a message as a frame.
   *
   * @return whether the caller has acquired the turn, and must now write
   * @throws DisconnectedException if the queue was closed
   */
  boolean append(Frames frames, OutboundFrame message) {
    lock.lock();
    try {
      gather(frames, message);
      return turn();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Appends a message as a frame that is sent when a thread acquires the turn.
   *
   * @throws DisconnectedException if the queue was closed
   */
  void gather(Frames frames, OutboundFrame message) {
    lock.lock();
    try {
      JsonWriter out = open(message.size() + MARKS);
      int start = out.size();
      frames.begin(out);
      out.raw(message.array(), 0, message.size());
      frames.finish(out, start);
      appended(out.size() - start, message.isInitiated());
    } finally {
      lock.unlock();
    }
  }

  /** Appends bytes that are framed already; otherwise as {@link #append(Frames, OutboundFrame)}. */
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

  /** Returns the buffer to append to, with room for {@code more} bytes. */
  private JsonWriter open(int more) {
    JsonWriter out = filling;
    if (out == null) {
      out = new JsonWriter(usual);
    }
    hold(out.capacityFor(more) + capacity(leaving));
    bytes.requireOpen();
    filling = out;
    out.reserve(more); // before the first byte: half a frame would corrupt all later frames
    return out;
  }

  /**
   * Charges the capacity of the buffers to the memory budget; if it is exhausted, ends the channel.
   */
  private void hold(long capacity) {
    if (!bytes.isClosed() && !share.hold(capacity)) {
      owner.abort(share.refusal());
    }
  }

  private static long capacity(@Nullable JsonWriter buffer) {
    return buffer == null ? 0 : buffer.array().length;
  }

  private void appended(int size, boolean initiated) {
    int ofAnswers = initiated ? 0 : size;
    fillingAnswers += ofAnswers;
    bytes.add(size, ofAnswers);
  }

  /** Acquires the turn; returns false if it is taken. */
  private boolean turn() {
    boolean mine = !turn;
    turn = true;
    return mine;
  }

  /** Acquires the turn; returns false if it is taken. */
  boolean claim() {
    lock.lock();
    try {
      return turn();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Puts answers before all queued bytes. The caller has the turn, and {@code leaving} is empty.
   */
  void hold(byte[] first, int from, int to) {
    lock.lock();
    try {
      hold(to - from + capacity(filling));
      if (!aborted) {
        JsonWriter out = new JsonWriter(to - from).raw(first, from, to);
        leaving = out;
        view = ByteBuffer.wrap(out.array(), 0, out.size());
        leavingAnswers = to - from;
        bytes.add(to - from, to - from);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the bytes to write next. If there are none, releases the turn and returns null. */
  @Nullable ByteBuffer more() {
    lock.lock();
    try {
      JsonWriter out = leaving;
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

  /** Makes the filled buffer the one to write; if it is empty, frees both and releases the turn. */
  private @Nullable JsonWriter swap() {
    JsonWriter next = filling;
    leavingAnswers = fillingAnswers;
    fillingAnswers = 0;
    if (next == null || next.size() == 0) {
      JsonWriter last = leaving;
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

  private static @Nullable JsonWriter reuse(@Nullable JsonWriter empty) {
    if (empty == null || empty.array().length > KEPT) {
      return null;
    }
    empty.truncate(0);
    return empty;
  }

  /**
   * Records that bytes were sent.
   *
   * @return whether the queue, or its answers, fell to half of the limit, so that reading may
   *     resume
   */
  boolean took(int size) {
    lock.lock();
    try {
      int before = leavingAnswers;
      leavingAnswers = Math.min(before, leavingBytes());
      return bytes.remove(size, before - leavingAnswers);
    } finally {
      lock.unlock();
    }
  }

  private int leavingBytes() {
    return leaving == null ? 0 : leaving.size() - view.position();
  }

  /** Refuses further frames; queued bytes may still be sent. */
  void close() {
    lock.lock();
    try {
      bytes.close(null);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Refuses further frames and drops the queue. A thread that is writing may finish its last piece.
   *
   * @param why null after an orderly end
   */
  void abort(@Nullable Throwable why) {
    lock.lock();
    try {
      aborted = true;
      bytes.close(why);
      bytes.clear();
      filling = null;
      leaving = null;
      view = NOTHING;
      share.hold(0);
      fillingAnswers = 0;
      leavingAnswers = 0;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns whether the queue is closed and nothing more will be written: no bytes are unsent, and
   * the turn is free.
   */
  boolean isDrained() {
    lock.lock();
    try {
      return bytes.isClosed() && !turn && bytes.waiting() == 0;
    } finally {
      lock.unlock();
    }
  }
}
