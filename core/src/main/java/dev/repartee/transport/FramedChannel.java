package dev.repartee.transport;

import dev.repartee.framing.Frames;
import dev.repartee.framing.Framing;
import dev.repartee.limits.Limits;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The base class of channels over a byte stream. All frames are sent through one write queue.
 * Replies that the reading thread commits while it serves a burst of frames are gathered in one
 * buffer and sent together.
 */
abstract class FramedChannel implements Channel {
  /*
   * Implementation note. Frames are sent in the order of commit(). There are two kinds:
   *
   * - A frame of the burst is written into the burst buffer, behind the earlier ones. Only the
   *   thread that called beginBurst() can open one, and only one at a time (building).
   * - Any other frame is private: a separate OutboundFrame, which commit() appends to the write
   *   queue.
   *
   * The first frame of a burst claims the turn of the write queue (turn): the right to write to the
   * stream. Frames of other threads cannot overtake the burst; they wait in the queue. Once one
   * waits there, the burst also commits to the queue, behind it: the burst buffer is sent first,
   * then the queue.
   *
   * A private frame gets its framing when it is committed. With Framing.AUTO the framing may not be
   * chosen yet when the frame is opened.
   *
   * The burst fields belong to the reading thread and have no lock. burstThread may be read by any
   * thread: a stale value is harmless, because a thread only compares it with itself.
   */

  /**
   * The number of replies of a long burst that are sent before the rest of the burst is served. The
   * peer processes them meanwhile; otherwise the two sides would alternately wait for each other.
   */
  static final int PIECE = 32;

  private static final OutboundFrame NO_BURST = OutboundFrame.sequence(0);

  final Limits limits;

  /**
   * The framing. The reading thread replaces it between two bursts; a writer that has read the old
   * one writes the same bytes with it.
   */
  private volatile Frames frames;

  final WriteQueue outbound;

  /** The counts of {@link #outbound}. */
  final QueuedBytes queued;

  private final String transport;
  private final String remote;
  private volatile ChannelInfo info;

  // Used by the reading thread only; other threads compare burstThread with themselves.
  private @Nullable Thread burstThread;
  private OutboundFrame burst = NO_BURST;
  private int gathered;
  private boolean turn;
  private boolean building;

  /**
   * Creates the channel.
   *
   * @param accepted whether the peer opened the connection; then the write queue is charged to the
   *     memory budget of the process
   */
  FramedChannel(ChannelInfo info, Framing framing, Limits limits, boolean accepted) {
    this.limits = limits;
    this.frames = framing.open(limits);
    this.transport = info.transport();
    this.remote = info.remote();
    ChannelInfo first = new ChannelInfo(transport, remote, framing.label());
    this.info = first;
    int free = accepted ? Loop.BUFFER : Integer.MAX_VALUE;
    this.outbound = new WriteQueue(limits.outboundBytes(), free, first.other(), this);
    this.queued = outbound.bytes();
  }

  /**
   * Writes the queue. The calling thread has the turn; it is released when the queue is empty.
   */
  abstract void writeQueue();

  /** Writes the replies of a burst, then the queue as {@link #writeQueue} does. */
  abstract void writeBurst(OutboundFrame burst);

  /**
   * Makes the loop check the time limits, because the write queue is congested. May be called
   * often, from any thread; it is cheap while the loop checks them already.
   */
  abstract void congested();

  @Override
  public final OutboundFrame open() {
    if (Thread.currentThread() == burstThread && !building && (turn || outbound.claim())) {
      turn = true;
      building = true;
      burst.next();
      frames.begin(burst.unlimited());
      burst.beginText(limits.frameBytes() - 1);
      return burst;
    }
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public final void commit(OutboundFrame frame) {
    if (frame == burst && Thread.currentThread() == burstThread) {
      commitToBurst();
    } else if (outbound.append(frames, frame)) {
      writeQueue();
    } else {
      appended();
    }
  }

  /** Called after a frame was queued behind the frames that another thread writes. */
  private void appended() {
    if (queued.isCongested()) {
      congested();
    }
  }

  @Override
  public final void gather(OutboundFrame frame) {
    if (frame == burst && Thread.currentThread() == burstThread) {
      commitToBurst();
    } else {
      outbound.gather(frames, frame);
    }
  }

  @Override
  public final void flush() {
    if (queued.waiting() > 0 && outbound.claim()) {
      writeQueue();
    } else {
      appended();
    }
  }

  private void commitToBurst() {
    building = false;
    frames.finish(burst.unlimited(), burst.start());
    if (queued.waiting() > 0 || queued.isClosed()) {
      int start = burst.start();
      int end = burst.size();
      burst.truncate(start);
      outbound.append(burst.array(), start, end, burst.isInitiated());
      appended();
    } else if (++gathered == PIECE) {
      writeGathered();
    }
  }

  @Override
  public final void discard(OutboundFrame frame) {
    if (frame == burst && Thread.currentThread() == burstThread) {
      building = false;
      burst.truncate(burst.start());
    }
  }

  /**
   * Starts a burst: until {@link #endBurst}, the frames of the calling thread are gathered in
   * {@code buffer}, which is empty.
   */
  final void beginBurst(OutboundFrame buffer) {
    Frames next = frames.successor(); // not later: a frame of the burst may be begun by then
    if (next != frames) {
      frames = next;
    }
    burst = buffer;
    burstThread = Thread.currentThread();
  }

  /** Ends the burst and sends the gathered frames. */
  final void endBurst() {
    burstThread = null;
    if (building) {
      building = false;
      burst.truncate(burst.start());
    }
    if (turn) {
      writeGathered();
    }
    burst = NO_BURST; // the buffer belongs to the thread, not to this channel
  }

  private void writeGathered() {
    turn = false;
    gathered = 0;
    writeBurst(burst);
    burst.truncate(0);
  }

  /** Returns whether the gathered frames have to be sent before more input is delivered. */
  final boolean isBurstFull() {
    int inBurst = Thread.currentThread() == burstThread ? burst.size() : 0;
    return inBurst > 0 && inBurst + queued.answers() > limits.outboundBytes();
  }

  @Override
  public final boolean takesAnswers() {
    return queued.takesAnswers();
  }

  @Override
  public final boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return queued.awaitRoom(time, unit);
  }

  /** Returns the framing; it changes only when a burst begins. */
  final Frames frames() {
    return frames;
  }

  final String remote() {
    return info.other();
  }

  @Override
  public final ChannelInfo info() {
    String framing = frames.framing().label();
    ChannelInfo known = info;
    if (!known.framing().equals(framing)) {
      known = new ChannelInfo(transport, remote, framing);
      info = known;
    }
    return known;
  }
}
