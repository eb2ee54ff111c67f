package dev.repartee;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of one connection over a byte stream: keeps what no frame was made of yet, and
 * stands between the framing and the receiver to stop it where no more is welcome.
 *
 * <p>Bytes are read into a buffer that others share, behind what little is kept, and straight behind
 * that in a buffer of its own where it is much. Nothing is left in the shared buffer between two reads.
 * Used by one thread at a time.
 */
final class Intake implements Receiver {
  private static final byte[] NOTHING = {};
  private static final int SMALLEST = 1 << 10;

  /** What may be kept of a message of one read is not counted. */
  private static final int FREE = 2 * Loop.BUFFER;

  private final FramedChannel channel;
  private final Frames frames;
  private final Receiver receiver;
  private final HeldBytes.Share share;
  private boolean guarded;
  private boolean undecided;
  private boolean full;

  private byte[] bytes = NOTHING;
  private int from;
  private int to;

  /** How many bytes have come in all: the offset in the stream of what {@link #to} stands behind. */
  private long arrived;

  private volatile boolean stopped;
  private volatile boolean ended;
  private volatile boolean told;
  private @Nullable String fatal;
  private @Nullable IOException refusal;

  Intake(FramedChannel channel, Receiver receiver, boolean guarded) {
    this.channel = channel;
    this.frames = channel.frames;
    this.receiver = receiver;
    this.guarded = guarded;
    this.undecided = guarded;
    // What comes on a connection of our own making is our own choice.
    this.share = HeldBytes.ofProcess().share(guarded ? FREE : Integer.MAX_VALUE);
  }

  /** Where to read into: {@code shared}, or behind what is kept; nowhere, once {@link #lost}. */
  byte[] target(byte[] shared) {
    if (from == to) {
      release();
      bytes = shared;
    } else if (to - from <= shared.length / 2) {
      moveTo(shared); // a read of what little room is left behind it would bring little
    } else if (bytes.length - to < Math.min(to - from, Loop.BUFFER)) {
      makeRoom();
    }
    return bytes;
  }

  /** The index in {@link #target} to read to. */
  int at() {
    return to;
  }

  /** How many bytes to read there at most. */
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
      fault(share.fault());
    }
  }

  /** What a frame may still grow by, its marks included. */
  private int growth(int kept) {
    return Math.max(0, channel.limits.frameBytes() - kept) + Loop.BUFFER;
  }

  /**
   * Delivers what can be of these bytes more, if any, which were read to where {@link #target} said;
   * follows each call of that.
   */
  void arrived(int count, byte[] shared) {
    to += count;
    arrived += count;
    if (undecided) {
      HttpGuard.Verdict verdict = HttpGuard.judge(bytes, from, to);
      undecided = verdict == HttpGuard.Verdict.UNDECIDED;
      if (verdict == HttpGuard.Verdict.HTTP) {
        refusal = HttpGuard.refusal(channel.remote());
      }
    }
    deliver();
    if (bytes == shared) {
      if (from == to) {
        release();
      } else {
        makeRoom();
      }
    }
  }

  /** Delivers what was kept because the receiver was not ready. */
  void deliver() {
    stopped = false;
    if (from < to && !undecided && refusal == null) {
      receiver.burstBegins();
      try {
        from = frames.read(bytes, from, to, this);
      } finally {
        receiver.burstEnds();
      }
      giveBack();
    }
  }

  /** Keeps no more memory than what is left in it is worth. */
  private void giveBack() {
    if (from == to) {
      release();
    } else if (bytes.length > Loop.BUFFER && to - from < bytes.length / 4) {
      makeRoom();
    }
  }

  /** Delivers what is left now that nothing will follow. */
  void end() {
    frames.end(bytes, from, to, this);
    release();
  }

  /** Gives the memory back. */
  void release() {
    bytes = NOTHING;
    from = 0;
    to = 0;
    share.hold(0);
  }

  /** How many bytes of the process's memory are kept; 0 where they are too few to count. */
  int held() {
    return share.counted() == 0 ? 0 : to - from;
  }

  /** Whether the framing was stopped, so that whole frames may be among what is kept. */
  boolean stopped() {
    return stopped;
  }

  /** Why the connection must end at once and without an answer, if it must. */
  @Nullable IOException refusal() {
    return refusal;
  }

  /** Why nothing more can be read, if the framing has given up. */
  @Nullable IOException lost() {
    return frames.ended() || full
        ? new IOException("no further message can be found in what "
            + channel.remote()
            + " sends: "
            + (fatal == null ? "a message was not JSON" : fatal))
        : null;
  }

  /** Whether the receiver was told that no more frames come. */
  boolean over() {
    return ended || told;
  }

  @Override
  public boolean frame(byte[] b, int from, int to) {
    if (guarded && HttpGuard.isRequest(b, from, to)) {
      refusal = HttpGuard.refusal(channel.remote());
      return true;
    }
    return receiver.frame(b, from, to);
  }

  @Override
  public void fault(FrameFault fault) {
    FrameFault told = fault.inStream(arrived - to);
    if (told.fatal()) {
      fatal = told.reason();
    }
    receiver.fault(told);
  }

  @Override
  public boolean ready() {
    boolean ready = refusal == null
        && !full
        && !over()
        && !channel.outbound.isShut()
        && channel.takesReplies()
        && receiver.ready();
    stopped = !ready;
    return ready;
  }

  @Override
  public void inputEnded() {
    if (!ended && !told) {
      ended = true;
      receiver.inputEnded();
    }
  }

  @Override
  public void hungUp() {
    if (!told) {
      receiver.hungUp();
    }
  }

  @Override
  public void closed(@Nullable Throwable cause) {
    if (!told) {
      told = true;
      receiver.closed(cause);
    }
  }
}
