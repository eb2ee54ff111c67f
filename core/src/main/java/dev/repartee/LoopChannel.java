package dev.repartee;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a TCP or Unix socket, served by one of the {@link Loops}. Methods of {@link
 * Channel} may be called from any thread.
 */
final class LoopChannel extends FramedChannel implements Loop.Ready, Loop.Watched {
  // Implementation note.
  //
  // Threads. Only the loop reads, closes the socket and changes its interests; other threads reach
  // these steps through onLoop(). The thread that has the turn of the WriteQueue writes. If the
  // socket does not take all bytes, the turn stays with the channel: block() sets OP_WRITE, and the
  // loop continues to write when the socket is writable. No lock is held during a system call; the
  // only lock is that of WriteQueue.
  //
  // States, all of them changed on the loop:
  //
  //   new --start--> reading <--> paused      paused: receiver not ready, or answers unread
  //                     |            |
  //                     +------+-----+
  //                            |              end of input, or the framing is lost
  //                            v
  //                        inputOver          answers may still be sent
  //                            |
  //                            |              close(), from this or any earlier state:
  //                            v              settle() waits until all bytes are written
  //                        lingering          output is shut down, input is discarded
  //                            |
  //                            v
  //                          gone             final; end() runs once
  //
  // abort(), failed() and broken() lead to gone from any state. Lingering is skipped if the peer
  // has closed its output (atEnd): the socket then has no unread input. Otherwise closing a socket
  // with unread input would reset the connection, and the peer might lose the last answers.
  // Lingering ends when the peer closes too, or after LINGER.
  //
  // Invariants:
  //   - end() is the only place that closes the socket. It is idempotent and sets gone first,
  //     because steps that it calls may lead back to it.
  //   - The receiver gets closed() once: from settle() when lingering begins, or from end() (see
  //     ReadBuffer). A channel that is gone before start() keeps the cause in goneBy and reports it
  // in
  //     start().
  //   - blocked is set by the thread with the turn and cleared by the loop before it writes.
  //   - The loop sweeps this channel while watched is set; interests() sets it whenever a time
  //     limit runs.
  //
  // A channel that does not read cannot see that its peer has died, since only a read reports the
  // end of input or a reset: see isDeaf() and lookForHangUp().

  /** The time for which input is discarded after the output was shut down. */
  private static final long LINGER = TimeUnit.SECONDS.toNanos(1);

  /**
   * The number of reads to deliver the remaining input of a peer that can no longer be written to.
   */
  private static final int LAST_READS = 64;

  private static final Runnable NOTHING = () -> {};

  private final Loop loop = Loops.ofProcess().enter();
  private final SocketChannel socket;
  private final SocketMode mode;
  private final boolean accepted;
  private final TimeLimits times;
  private final Runnable released;

  /** Whether the socket took less than was written, so that the loop waits until it is writable. */
  private volatile boolean blocked;

  /** Whether a task of the loop will flush. */
  private volatile boolean flushing;

  // Used on the loop only.
  private @Nullable SelectionKey key;
  private @Nullable ReadBuffer intake;

  /** Whether reading is paused: the receiver is not ready, or too many answers are unsent. */
  private boolean paused;

  /** Whether no further frame will be delivered: the input has ended, or the framing is lost. */
  private boolean inputOver;

  /** The reason for which no further message can be found in the input, or null. */
  private @Nullable IOException unreadable;

  /** Whether the peer has ended its output. */
  private boolean atEnd;

  private boolean lingering;
  private boolean gone;
  private @Nullable Throwable goneBy;

  /** Whether the loop sweeps this channel. */
  private boolean watched;

  private long lingersSince;

  private LoopChannel(
      SocketChannel socket,
      ChannelInfo info,
      SocketMode mode,
      boolean accepted,
      Runnable released) {
    super(info.transport(), info.remote(), mode.framing(), mode.limits(), accepted);
    this.socket = socket;
    this.mode = mode;
    this.accepted = accepted;
    boolean auto = mode.framing() == Framing.AUTO;
    this.times = new TimeLimits(mode.limits(), accepted && auto, outbound, remote());
    this.released = released;
  }

  /** Creates the channel of a socket that this side has connected. */
  static LoopChannel connected(SocketChannel socket, ChannelInfo info, SocketMode mode)
      throws IOException {
    socket.configureBlocking(false);
    return new LoopChannel(socket, info, mode, false, NOTHING);
  }

  /**
   * Creates the channel of an accepted socket; {@code released} runs when the channel has ended.
   */
  static LoopChannel accepted(
      SocketChannel socket, ChannelInfo info, SocketMode mode, Runnable released)
      throws IOException {
    socket.configureBlocking(false);
    return new LoopChannel(socket, info, mode, true, released);
  }

  /** Returns the loop that serves this channel. */
  Loop loop() {
    return loop;
  }

  @Override
  public boolean isLowLatency() {
    return mode.lowLatency();
  }

  @Override
  public void start(Receiver receiver) {
    ReadBuffer starting = new ReadBuffer(this, receiver, accepted);
    onLoop(() -> {
      intake = starting;
      if (gone) {
        starting.closed(goneBy);
      } else {
        key = loop.register(socket, 0, this);
        if (mode.lowLatency()) {
          loop.hurry();
        }
        proceed();
      }
    });
  }

  @Override
  public void resume() {
    onLoop(this::proceed);
  }

  @Override
  public void close() {
    outbound.shut();
    onLoop(this::settle);
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    outbound.kill(cause == null ? new IOException("the connection was cut off") : cause);
    loop.execute(() -> finish(cause));
  }

  @Override
  public void ready(int operations) throws IOException {
    if ((operations & SelectionKey.OP_WRITE) != 0) {
      blocked = false;
      interests();
      leave();
    }
    if ((operations & SelectionKey.OP_READ) != 0 && !gone) {
      read();
    }
    ReadBuffer in = intake;
    if ((operations & SelectionKey.OP_CONNECT) != 0 && !gone && in != null) {
      in.hungUp();
    }
  }

  /**
   * Asks the selector once whether the peer has stopped reading, which a channel that does not read
   * would not notice. A connected socket is never ready for {@link SelectionKey#OP_CONNECT} unless
   * its peer has reset or closed it. The interest is removed after one selection: the system would
   * report the socket as writable all the time, and the loop would spin.
   */
  private void lookForHangUp() {
    SelectionKey registered = key;
    if (registered != null && !gone) {
      registered.interestOpsOr(SelectionKey.OP_CONNECT);
      onLoop(this::interests); // after the next selection
    }
  }

  /** Returns whether the connection could end unnoticed, because nothing is read or written. */
  private boolean isDeaf() {
    return (paused || inputOver) && !lingering && !outbound.isShut();
  }

  private void read() throws IOException {
    ReadBuffer in = intake;
    if (in == null || lingering) {
      skip();
      return;
    }
    byte[] shared = loop.buffer.array();
    byte[] target = in.target(shared);
    if (in.lost() != null) {
      afterBurst(in);
      return;
    }
    ByteBuffer buffer =
        target == shared ? loop.buffer.clear().position(in.at()) : behind(target, in);
    int count = socket.read(buffer);
    if (count < 0) {
      endOfInput(in);
    } else {
      if (count > 0) {
        times.heard();
      }
      beginBurst(loop.burst());
      try {
        in.arrived(count, shared);
      } finally {
        endBurst();
      }
      afterBurst(in);
    }
  }

  private static ByteBuffer behind(byte[] target, ReadBuffer in) {
    return ByteBuffer.wrap(target, in.at(), in.room());
  }

  private void skip() throws IOException {
    if (socket.read(loop.buffer.clear()) < 0) {
      end(null);
    }
  }

  private void deliver(ReadBuffer in) {
    beginBurst(loop.burst());
    try {
      in.deliver();
    } finally {
      endBurst();
    }
  }

  /** Delivers the frames that are kept, as far as the receiver takes them, and resumes reading. */
  private void proceed() {
    ReadBuffer in = intake;
    if (in != null && !gone && !inputOver && !lingering) {
      if (in.ready()) {
        deliver(in);
      }
      afterBurst(in);
    }
  }

  /** Updates the state of the input after frames were delivered. */
  private void afterBurst(ReadBuffer in) {
    while (in.stopped() && in.ready()) {
      deliver(in);
    }
    paused = in.stopped() || !in.ready();
    IOException refusal = in.refusal();
    IOException lost = in.lost();
    if (refusal != null) {
      abort(refusal);
    } else if (lost != null) {
      inputOver(in, lost);
    }
    interests();
  }

  private void endOfInput(ReadBuffer in) {
    atEnd = true;
    beginBurst(loop.burst());
    try {
      in.end();
    } finally {
      endBurst();
    }
    IOException refusal = in.refusal();
    if (refusal != null) {
      abort(refusal);
    } else {
      inputOver(in, null);
    }
    interests();
    if (isDeaf()) {
      lookForHangUp();
    }
  }

  private void inputOver(ReadBuffer in, @Nullable IOException cause) {
    inputOver = true;
    unreadable = cause;
    in.release();
    in.inputEnded();
  }

  /** Sets the interests of the socket and the watch of the loop to the current state. */
  private void interests() {
    SelectionKey registered = key;
    if (registered == null || gone) {
      return;
    }
    boolean reads = lingering || !(paused || inputOver || outbound.isShut());
    int wanted = (reads ? SelectionKey.OP_READ : 0) | (blocked ? SelectionKey.OP_WRITE : 0);
    if (registered.interestOps() != wanted) {
      registered.interestOps(wanted);
    }
    if (!watched && isWatched()) {
      watched = true;
      loop.watch(this);
    }
  }

  private boolean isWatched() {
    return lingering || times.isRunning() || held() > 0 || isDeaf();
  }

  private int held() {
    ReadBuffer in = intake;
    return in == null ? 0 : in.held();
  }

  @Override
  public void flushSoon() {
    if (!flushing) {
      flushing = true;
      loop.execute(() -> {
        flushing = false; // first: a frame that is gathered from now on needs another flush
        flush();
      });
    }
  }

  @Override
  void leave() {
    try {
      for (ByteBuffer more = outbound.more(); more != null; more = outbound.more()) {
        int wanted = more.remaining();
        int count = socket.write(more);
        if (outbound.took(count)) {
          onLoop(this::proceed);
        }
        if (count < wanted) {
          block();
          return;
        }
      }
      if (outbound.isShut()) {
        onLoop(this::settle);
      }
    } catch (IOException e) {
      broken(lost(e));
    } catch (RuntimeException | Error e) {
      abort(e); // this thread had the turn and loses it, so nothing more could be written
      throw e;
    }
  }

  @Override
  void leave(OutboundFrame burst) {
    ByteBuffer view = loop.burstView();
    try {
      while (view.position() < burst.size()) {
        view.limit(Math.min(burst.size(), view.position() + WriteQueue.WRITE));
        if (socket.write(view) == 0) {
          outbound.hold(burst.array(), view.position(), burst.size());
          block();
          return;
        }
      }
      leave();
    } catch (IOException e) {
      broken(lost(e));
    }
  }

  private void block() {
    blocked = true;
    onLoop(this::interests);
  }

  /** Ends the channel after a failed write. The input that has arrived is delivered first. */
  private void broken(IOException cause) {
    onLoop(() -> {
      for (int i = 0; i < LAST_READS && !(gone || paused || inputOver || lingering); i++) {
        read();
      }
      finish(cause);
    });
  }

  private IOException lost(IOException e) {
    return new IOException("the connection to " + remote() + " was lost: " + e.getMessage(), e);
  }

  /** Continues to close: after the last byte was written, shuts the output down and lingers. */
  private void settle() {
    if (gone || lingering) {
      return;
    }
    interests();
    if (!outbound.isIdle()) {
      return;
    }
    if (key == null || atEnd) {
      end(unreadable);
      return;
    }
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      end(unreadable); // the peer has closed the connection meanwhile
      return;
    }
    lingering = true;
    lingersSince = System.nanoTime();
    interests();
    if (intake != null) {
      intake.release();
      intake.closed(unreadable);
    }
  }

  /** Ends the channel: closes the socket, releases all memory and reports the end. Runs once. */
  private void end(@Nullable Throwable cause) {
    if (gone) {
      return;
    }
    gone = true;
    goneBy = cause;
    if (intake != null) {
      intake.release();
    }
    outbound.kill(cause == null ? new IOException("the connection was closed") : cause);
    try {
      socket.close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
    loop.left();
    if (mode.lowLatency() && key != null) {
      loop.calm();
    }
    released.run();
    ReadBuffer in = intake;
    if (in != null) {
      in.closed(cause);
    }
  }

  @Override
  public void failed(Throwable cause) {
    finish(cause instanceof IOException e ? lost(e) : cause);
  }

  private void finish(@Nullable Throwable cause) {
    try {
      end(cause);
    } catch (RuntimeException | Error e) {
      // The receiver failed in closed(); there is nothing left to report this to.
      gone = true;
    }
  }

  private void onLoop(Step step) {
    loop.execute(() -> {
      try {
        step.run();
      } catch (Throwable e) {
        failed(e);
      }
    });
  }

  private interface Step {
    void run() throws IOException;
  }

  @Override
  public boolean sweep(long now) {
    if (!gone) {
      IOException passed = times.passed(now, !(paused || inputOver || lingering), held());
      if (passed != null || lingering && now - lingersSince > LINGER) {
        finish(passed);
      } else if (isDeaf()) {
        lookForHangUp();
      }
    }
    watched = !gone && isWatched();
    return watched;
  }
}
