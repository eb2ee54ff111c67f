package dev.repartee;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What all channels over a byte stream share: frames leave through one queue, and the replies that
 * are written while a burst of frames is read are gathered and leave together.
 *
 * <p>The order on the wire is the order of {@link #commit}. The burst holds the turn of the {@link
 * Outbound} queue from its first frame on, so nothing overtakes it; once something else was committed
 * meanwhile, what the burst commits goes behind that into the queue. A private frame gets its marks
 * when it is committed, as only then {@link Framing#AUTO} can be sure to know which.
 */
abstract class FramedChannel implements Channel {
  /**
   * Replies of a long burst that leave before the rest of it is served: the peer goes on with them
   * meanwhile, so that neither side waits for the other to be done with all.
   */
  static final int PIECE = 32;

  private static final Output NO_BURST = new Output(0);

  final Limits limits;
  final Frames frames;
  final Outbound outbound;
  private final String transport;
  private final String remote;
  private volatile ChannelInfo info;

  // Of the thread that reads: others see in burstThread that they are not it.
  private @Nullable Thread burstThread;
  private Output burst = NO_BURST;
  private int gathered;
  private boolean turn;
  private boolean building;

  /** What waits to leave counts as held on connections that others have made ({@code accepted}). */
  FramedChannel(String transport, String remote, Framing framing, Limits limits, boolean accepted) {
    this.limits = limits;
    this.frames = framing.open(limits);
    int free = accepted ? Loop.BUFFER : Integer.MAX_VALUE;
    this.outbound = new Outbound(limits.outboundBytes(), free, this);
    this.transport = transport;
    this.remote = remote;
    this.info = new ChannelInfo(transport, remote, framing.label());
  }

  /** Sends what waits; the caller has the turn, and it is given back when nothing is left. */
  abstract void leave();

  /** Sends the replies of a burst before all else that waits, then does as {@link #leave()}. */
  abstract void leave(Output burst);

  @Override
  public final Output open() {
    if (Thread.currentThread() == burstThread && !building && (turn || outbound.claim())) {
      turn = true;
      building = true;
      burst.frame = burst.size();
      burst.initiated = false;
      burst.error = null;
      burst.awaited = null;
      frames.begin(burst.limit(Output.NO_LIMIT));
      return limited(burst);
    }
    return limited(new Output());
  }

  private Output limited(Output out) {
    long limit = (long) out.size() + limits.frameBytes() - 1;
    return out.limit((int) Math.min(limit, Output.NO_LIMIT));
  }

  @Override
  public final void commit(Output frame) {
    if (frame == burst && Thread.currentThread() == burstThread) {
      commitToBurst();
    } else if (outbound.append(frames, frame)) {
      leave();
    }
  }

  @Override
  public final void gather(Output frame) {
    outbound.gather(frames, frame);
  }

  @Override
  public final void flush() {
    if (outbound.waiting() > 0 && outbound.claim()) {
      leave();
    }
  }

  private void commitToBurst() {
    building = false;
    frames.finish(burst.limit(Output.NO_LIMIT), burst.frame);
    if (outbound.waiting() > 0 || outbound.isShut()) {
      int start = burst.frame;
      int end = burst.size();
      burst.truncate(start);
      outbound.append(burst.array(), start, end, burst.initiated);
    } else if (++gathered == PIECE) {
      leaveNow();
    }
  }

  @Override
  public final void discard(Output frame) {
    if (frame == burst && Thread.currentThread() == burstThread) {
      building = false;
      burst.truncate(burst.frame);
    }
  }

  /** Gathers what the calling thread commits in that empty buffer, until {@link #endBurst}. */
  final void beginBurst(Output buffer) {
    burst = buffer;
    burstThread = Thread.currentThread();
  }

  /** Sends what was gathered. */
  final void endBurst() {
    burstThread = null;
    if (building) {
      building = false;
      burst.truncate(burst.frame);
    }
    if (turn) {
      leaveNow();
    }
    burst = NO_BURST; // a large buffer is the thread's for this burst only
  }

  private void leaveNow() {
    turn = false;
    gathered = 0;
    leave(burst);
    burst.truncate(0);
  }

  /** Whether there is room for the answers that reading on will cause. */
  final boolean takesReplies() {
    int inBurst = Thread.currentThread() == burstThread ? burst.size() : 0;
    return inBurst + outbound.answers() <= limits.outboundBytes();
  }

  @Override
  public final boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return outbound.awaitRoom(time, unit);
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
