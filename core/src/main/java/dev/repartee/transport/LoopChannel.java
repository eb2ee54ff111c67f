package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.UserCode;
import dev.repartee.internal.Wire;
import dev.repartee.limits.TimeLimits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a TCP or Unix socket, served by one of the {@link Loops}. Methods of {@link
 * Channel} may be called from any thread.
 */
final class LoopChannel extends FramedChannel
    implements Loop.Ready, Loop.Watched, TimeLimits.Connection {
  // Implementation note.
  //
  // Threads. Only the loop reads, closes the socket and changes its interests; other threads reach
  // these steps through onLoop(). The thread that has the turn of the WriteQueue writes. If the
  // socket does not accept all bytes, the turn stays with the channel: block() sets OP_WRITE, and
  // the loop continues to write when the socket is writable. No lock is held during a system call;
  // the only lock is in WriteQueue.
  //
  // States. Only transition() changes the state, on the loop. A channel only ever changes to a
  // later state.
  //
  //               start()         end of input, or the framing is lost
  //   STARTING -----------> OPEN --------------------------------------> INPUT_CLOSED
  //                           |                                               |
  //                           +-----------------------+-----------------------+
  //                                                   | drained
  //                        the peer may still send    |    the peer has ended its output
  //                       +---------------------------+---------------------------+
  //                       v                                                       v
  //                   LINGERING ----- the peer ends its output, or LINGER ----> CLOSED
  //
  // abort(), failed(), a failed write and a time limit lead to CLOSED from any state. close() does
  // not change the state: it closes the write queue, in the calling thread. From then on nothing is
  // read, and closeIfDrained() runs when the last byte is written.
  //
  // Lingering is skipped if the peer has ended its output: the socket has no unread input then.
  // Otherwise closing a socket with unread input would reset the connection, and the peer might
  // lose the last answers.
  //
  // Invariants:
  //   - The receiver gets closed() once, on entry of LINGERING or CLOSED (see ReadBuffer). If the
  //     channel is closed before start(), it keeps the cause and start() reports it.
  //   - blocked is set by the thread with the turn and cleared by the loop before it writes.
  //   - The loop sweeps this channel while watched is set; interests() sets it whenever a time
  //     limit runs. The queue can become congested while another thread has the turn. The thread
  //     that appends to a congested queue calls congested().
  //
  // A channel that does not read cannot see that its peer has died, since only a read reports the
  // end of input or a reset: see isDeaf() and lookForHangUp().

  private enum State {
    /** The receiver is not known, and the socket is not registered. */
    STARTING,
    /** Frames are delivered, except while reading is paused. */
    OPEN,
    /** No further frame can arrive; frames may still be sent. */
    INPUT_CLOSED,
    /** All frames were sent and the output is shut down; input is discarded. */
    LINGERING,
    /** The socket is closed. */
    CLOSED
  }

  /** The maximum time in which input is discarded after the output was shut down. */
  static final long LINGER = TimeUnit.SECONDS.toNanos(1);

  /** The number of reads that deliver the last input of a peer that cannot be written to. */
  private static final int LAST_READS = 64;

  private static final Runnable NOTHING = () -> {};

  private final ListeningSocket.Link link;
  private final Loop loop;
  private final Wire wire;
  private final boolean accepted;
  private final Runnable released;

  /** Whether the peer has to send its first byte within a time limit. */
  private final boolean firstByteLimited;

  private final TimeLimits times;

  /** The facts about the peer; null until the first call asks for them. */
  private volatile @Nullable Attributes attributes;

  /**
   * Whether the socket accepted less than was written; the loop then waits until it is writable.
   */
  private volatile boolean blocked;

  /** Whether a task of the loop will flush. */
  private volatile boolean flushing;

  // Used on the loop only.
  private @Nullable SelectionKey key;
  private @Nullable ReadBuffer intake;

  /** Whether a task of the loop will read the input that the {@link #wire} holds. */
  private boolean reading;

  /** Whether reading is paused, because the receiver is not ready. */
  private boolean paused;

  private State state = State.STARTING;

  /**
   * The reason of the end: that no further message can be found in the input, or the cause of the
   * abort. Null after an orderly end.
   */
  private @Nullable Throwable cause;

  /** The number of bytes read so far. */
  private long received;

  /** Whether the loop sweeps this channel. Written by the loop. */
  private volatile boolean watched;

  private long lingersSince;

  /** Creates the channel of a socket that this side has connected. */
  LoopChannel(ListeningSocket.Link link) {
    this(link, false, NOTHING);
  }

  /** Creates the channel of an accepted socket; {@code released} runs when it has ended. */
  LoopChannel(ListeningSocket.Link link, Runnable released) {
    this(link, true, released);
  }

  private LoopChannel(ListeningSocket.Link link, boolean accepted, Runnable released) {
    super(link.info(), link.mode().framing(), link.mode().limits(), accepted);
    this.link = link;
    this.loop = link.loop();
    this.wire = link.wire();
    this.accepted = accepted;
    this.firstByteLimited = accepted && link.mode().framing() == Framing.AUTO;
    this.times = new TimeLimits(limits, this);
    this.released = released;
  }

  /** Returns the loop that serves this channel. */
  Loop loop() {
    return loop;
  }

  @Override
  public Attributes attributes() {
    Attributes known = attributes;
    if (known == null) {
      known = link.attributes(accepted);
      attributes = known;
    }
    return known;
  }

  @Override
  public boolean isLowLatency() {
    return link.mode().lowLatency();
  }

  @Override
  public void start(Receiver receiver) {
    ReadBuffer starting = new ReadBuffer(this, receiver, accepted);
    onLoop(() -> {
      intake = starting;
      if (state == State.CLOSED) {
        starting.closed(cause);
      } else {
        key = loop.register(link.socket(), 0, this);
        if (link.mode().lowLatency()) {
          loop.addUrgent();
        }
        transition(State.OPEN);
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
    outbound.close();
    onLoop(this::closeIfDrained);
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    outbound.abort(cause == null ? new IOException("the connection was cut off") : cause);
    loop.execute(() -> closed(cause));
  }

  /**
   * Enters a state, unless this or a later one was entered before.
   *
   * @return whether the state was entered
   */
  private boolean transition(State next) {
    if (state.compareTo(next) >= 0) {
      return false;
    }
    state = next;
    return true;
  }

  /** Returns whether frames may be delivered. */
  private boolean isOpen() {
    return state == State.OPEN;
  }

  /** Returns whether input is read and its frames are delivered. */
  private boolean delivers() {
    return isOpen() && !paused && !queued.isClosed();
  }

  @Override
  public void ready(int operations) throws IOException {
    if ((operations & SelectionKey.OP_WRITE) != 0) {
      blocked = false;
      interests();
      writeQueue();
    }
    if ((operations & SelectionKey.OP_READ) != 0) {
      read();
    }
    ReadBuffer in = intake;
    if ((operations & SelectionKey.OP_CONNECT) != 0 && state != State.CLOSED && in != null) {
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
    if (registered != null && state != State.CLOSED) {
      registered.interestOpsOr(SelectionKey.OP_CONNECT);
      onLoop(this::interests); // after the next selection
    }
  }

  /** Returns whether the connection could end unnoticed, because nothing is read or written. */
  private boolean isDeaf() {
    return (isOpen() && paused || state == State.INPUT_CLOSED) && !queued.isClosed();
  }

  private void read() throws IOException {
    ReadBuffer in = intake;
    if (state == State.LINGERING) {
      if (wire.read(loop.buffer.clear()) < 0) {
        closed(null);
      }
      interests();
    }
    if (!isOpen() || in == null) {
      return;
    }
    byte[] shared = loop.buffer.array();
    byte[] target = in.target(shared);
    if (in.unreadable() != null) {
      afterBurst(in);
      return;
    }
    ByteBuffer buffer = target == shared
        ? loop.buffer.clear().position(in.at())
        : ByteBuffer.wrap(target, in.at(), in.room());
    int count = wire.read(buffer);
    if (count < 0) {
      endOfInput(in);
    } else {
      received += count;
      beginBurst(loop.burst());
      try {
        in.arrived(count, shared);
      } finally {
        endBurst();
      }
      afterBurst(in);
    }
  }

  private void inBurst(Runnable delivery) {
    beginBurst(loop.burst());
    try {
      delivery.run();
    } finally {
      endBurst();
    }
  }

  /** Delivers the buffered frames, as far as the receiver accepts them, and resumes reading. */
  private void proceed() {
    ReadBuffer in = intake;
    if (in != null && isOpen()) {
      if (in.ready()) {
        inBurst(in::deliver);
      }
      afterBurst(in);
    }
  }

  private void roomAgain() {
    ReadBuffer in = intake;
    if (in != null) {
      in.roomAgain();
    }
    proceed();
  }

  /** Updates the state of the input after frames were delivered. */
  private void afterBurst(ReadBuffer in) {
    while (in.stopped() && in.ready()) {
      inBurst(in::deliver);
    }
    paused = in.stopped() || !in.ready();
    IOException refusal = in.refusal();
    IOException unreadable = in.unreadable();
    if (refusal != null) {
      abort(refusal);
    } else if (unreadable != null) {
      inputClosed(in, unreadable);
    }
    interests();
  }

  private void endOfInput(ReadBuffer in) {
    inBurst(in::end);
    IOException refusal = in.refusal();
    if (refusal != null) {
      abort(refusal);
    } else {
      inputClosed(in, null);
    }
    interests();
    if (isDeaf()) {
      lookForHangUp();
    }
  }

  /**
   * Enters {@link State#INPUT_CLOSED}.
   *
   * @param unreadable the reason why no message can be found in further input; null if the peer has
   *     ended its output
   */
  private void inputClosed(ReadBuffer in, @Nullable IOException unreadable) {
    if (transition(State.INPUT_CLOSED)) {
      cause = unreadable;
      in.release();
      in.inputClosed(null);
    }
  }

  /** Sets the interests of the socket and the watch of the loop to the current state. */
  private void interests() {
    SelectionKey registered = key;
    if (registered == null || state == State.CLOSED) {
      return;
    }
    int wanted = (state == State.LINGERING || delivers() ? SelectionKey.OP_READ : 0)
        | (blocked ? SelectionKey.OP_WRITE : 0);
    if (registered.interestOps() != wanted) {
      registered.interestOps(wanted);
    }
    if (!reading && (wanted & SelectionKey.OP_READ) != 0 && wire.holdsInput()) {
      reading = true; // the selector does not report input that has left the socket
      onLoop(() -> {
        reading = false;
        read();
      });
    }
    if (!watched && isWatched()) {
      watched = true;
      loop.watch(this);
    }
  }

  private boolean isWatched() {
    return state == State.LINGERING || times.isRunning() || isDeaf();
  }

  @Override
  public boolean isMessageDue() {
    return delivers() && (held() > 0 || firstByteLimited && received == 0);
  }

  @Override
  public int held() {
    ReadBuffer in = intake;
    return in == null ? 0 : in.held();
  }

  @Override
  public long received() {
    return received;
  }

  @Override
  public boolean isIdle() {
    return delivers() && queued.waiting() == 0;
  }

  @Override
  public @Nullable Object unread() {
    Object first = queued.unread();
    // If the queue is empty, the sign of the end is not sent yet.
    return first == null && blocked && queued.isClosed() ? wire : first;
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
  void congested() {
    if (!watched) {
      onLoop(this::interests);
    }
  }

  @Override
  void writeQueue() {
    try {
      for (ByteBuffer more = outbound.more(); more != null; more = outbound.more()) {
        int wanted = more.remaining();
        int count = wire.write(more);
        if (outbound.took(count)) {
          onLoop(this::roomAgain);
        }
        if (count < wanted) {
          block();
          return;
        }
      }
      if (queued.isClosed()) {
        onLoop(this::closeIfDrained);
      }
    } catch (IOException e) {
      writeFailed(lost(e));
    } catch (RuntimeException | Error e) {
      abort(e); // this thread had the turn and loses it: nothing more could be written
      throw e;
    }
  }

  @Override
  void writeBurst(OutboundFrame burst) {
    ByteBuffer view = loop.burstView();
    try {
      while (view.position() < burst.size()) {
        view.limit(Math.min(burst.size(), view.position() + WriteQueue.WRITE));
        if (wire.write(view) == 0) {
          outbound.hold(burst.array(), view.position(), burst.size());
          block();
          return;
        }
      }
      writeQueue();
    } catch (IOException e) {
      writeFailed(lost(e));
    }
  }

  private void block() {
    blocked = true;
    onLoop(this::interests);
  }

  /** Ends the channel. The input that has arrived is delivered first. */
  private void writeFailed(IOException why) {
    onLoop(() -> {
      for (int i = 0; i < LAST_READS && isOpen() && !paused; i++) {
        read();
      }
      closed(why);
    });
  }

  private IOException lost(IOException e) {
    return new IOException("the connection to " + remote() + " was lost: " + e.getMessage(), e);
  }

  /** Ends the output if the write queue is drained; called whenever that may have become true. */
  private void closeIfDrained() {
    interests();
    if (!outbound.isDrained() || state.compareTo(State.LINGERING) >= 0) {
      return;
    }
    try {
      if (key != null && !wire.endOutput()) {
        block();
        return;
      }
    } catch (IOException e) {
      closed(cause); // the peer has closed the connection meanwhile
      return;
    }
    boolean peerEnded = state == State.INPUT_CLOSED && cause == null;
    if (key == null || peerEnded) {
      closed(cause);
      return;
    }
    transition(State.LINGERING);
    lingersSince = System.nanoTime();
    interests();
    if (intake != null) {
      intake.release();
      intake.closed(cause);
    }
  }

  /** Enters {@link State#CLOSED}: closes the socket, releases all memory and reports the end. */
  private void closed(@Nullable Throwable why) {
    if (!transition(State.CLOSED)) {
      return;
    }
    cause = why;
    ReadBuffer in = intake;
    if (in != null) {
      in.release();
    }
    outbound.abort(why);
    try {
      link.socket().close();
    } catch (IOException e) {
      // The socket is closed in any case.
    }
    loop.left();
    if (link.mode().lowLatency() && key != null) {
      loop.removeUrgent();
    }
    released.run();
    if (in != null) {
      UserCode.run(() -> in.closed(why));
    }
  }

  @Override
  public void failed(Throwable cause) {
    closed(cause instanceof IOException e ? lost(e) : cause);
  }

  private void onLoop(Loop.Step step) {
    loop.execute(this, step);
  }

  @Override
  public boolean sweep() {
    if (state != State.CLOSED) {
      TimeLimits.Limit passed = times.passed();
      if (passed != null) {
        closed(passed.reason(remote(), limits));
      } else if (state == State.LINGERING && System.nanoTime() - lingersSince > LINGER) {
        closed(null);
      } else if (isDeaf()) {
        lookForHangUp();
      }
    }
    watched = false; // first: a thread that finds it set relies on the look at the state below
    watched = state != State.CLOSED && isWatched();
    return watched;
  }
}
