package dev.repartee;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A TCP or Unix socket on one of the {@link Loops}.
 *
 * <p>Its loop alone reads, closes and changes interests. Whoever has the turn of the {@link Outbound}
 * queue writes; what the socket does not take leaves the turn with the loop, which goes on when the
 * socket is writable. After {@link #close()} the output is shut down once it has drained, and input is
 * thrown away for a while: closing with unread input would reset the connection, and with it the last
 * answers on their way.
 */
final class LoopChannel extends FramedChannel implements Loop.Ready, Loop.Watched {
  private static final long LINGER = TimeUnit.SECONDS.toNanos(1);
  private static final int LAST_READS = 64;
  private static final Runnable NOTHING = () -> {};

  private final Loop loop = Loops.ofProcess().enter();
  private final SocketChannel socket;
  private final SocketMode mode;
  private final boolean accepted;
  private final TimeLimits times;
  private final Runnable released;
  private volatile boolean blocked;

  /** Whether the loop will flush. */
  private volatile boolean flushing;

  // Of the loop.
  private @Nullable SelectionKey key;
  private @Nullable Intake intake;
  private boolean paused;
  private boolean inputOver;
  private @Nullable IOException unreadable;
  private boolean atEnd;
  private boolean lingering;
  private boolean gone;
  private @Nullable Throwable goneBy;
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

  /** The channel of a socket that we connected. */
  static LoopChannel connected(SocketChannel socket, ChannelInfo info, SocketMode mode)
      throws IOException {
    socket.configureBlocking(false);
    return new LoopChannel(socket, info, mode, false, NOTHING);
  }

  /** The channel of a socket that was accepted; {@code released} runs when it has ended. */
  static LoopChannel accepted(
      SocketChannel socket, ChannelInfo info, SocketMode mode, Runnable released)
      throws IOException {
    socket.configureBlocking(false);
    return new LoopChannel(socket, info, mode, true, released);
  }

  /** The thread that all that happens to it happens on. */
  Loop loop() {
    return loop;
  }

  @Override
  public boolean isLowLatency() {
    return mode.lowLatency();
  }

  @Override
  public void start(Receiver receiver) {
    Intake starting = new Intake(this, receiver, accepted);
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
    Intake in = intake;
    if ((operations & SelectionKey.OP_CONNECT) != 0 && !gone && in != null) {
      in.hungUp();
    }
  }

  /**
   * Asks the selector once whether the peer reads no more, which a channel that is not reading would
   * not notice. A connected socket is never ready for {@link SelectionKey#OP_CONNECT} unless it was
   * reset or closed by its peer. The interest may not stay: the system would report the socket as
   * writable all the time, and the loop would spin.
   */
  private void lookForHangUp() {
    SelectionKey registered = key;
    if (registered != null && !gone) {
      registered.interestOpsOr(SelectionKey.OP_CONNECT);
      onLoop(this::interests); // after the next selection
    }
  }

  /** Whether the end of the connection can pass unnoticed. */
  private boolean isDeaf() {
    return (paused || inputOver) && !lingering && !outbound.isShut();
  }

  private void read() throws IOException {
    Intake in = intake;
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

  private static ByteBuffer behind(byte[] target, Intake in) {
    return ByteBuffer.wrap(target, in.at(), in.room());
  }

  private void skip() throws IOException {
    if (socket.read(loop.buffer.clear()) < 0) {
      end(null);
    }
  }

  private void deliver(Intake in) {
    beginBurst(loop.burst());
    try {
      in.deliver();
    } finally {
      endBurst();
    }
  }

  /** Goes on where delivery was stopped, as far as that is possible now. */
  private void proceed() {
    Intake in = intake;
    if (in != null && !gone && !inputOver && !lingering) {
      if (in.ready()) {
        deliver(in);
      }
      afterBurst(in);
    }
  }

  private void afterBurst(Intake in) {
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

  private void endOfInput(Intake in) {
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

  private void inputOver(Intake in, @Nullable IOException cause) {
    inputOver = true;
    unreadable = cause;
    in.release();
    in.inputEnded();
  }

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
    Intake in = intake;
    return in == null ? 0 : in.held();
  }

  @Override
  public void flushSoon() {
    if (!flushing) {
      flushing = true;
      loop.execute(() -> {
        flushing = false; // first, so that who gathers from now on asks again
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
      abort(e); // the turn to write is lost with it, so nothing more could leave
      throw e;
    }
  }

  @Override
  void leave(Output burst) {
    ByteBuffer view = loop.burstView();
    try {
      while (view.position() < burst.size()) {
        view.limit(Math.min(burst.size(), view.position() + Outbound.WRITE));
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

  /** The peer takes nothing any more; what it said before it went is still delivered. */
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

  /** Goes on closing: once all has left, the peer is told, and only then we are done. */
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
      end(unreadable); // the peer was faster
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

  /** The end of everything; what comes after finds {@link #gone} set. */
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
      // It is gone all the same.
    }
    loop.left();
    if (mode.lowLatency() && key != null) {
      loop.calm();
    }
    released.run();
    Intake in = intake;
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
      // A receiver that fails while it is told the end has nobody left to tell.
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
