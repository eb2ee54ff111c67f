package dev.repartee.transport;

import dev.repartee.framing.Framing;
import dev.repartee.framing.Receiver;
import dev.repartee.internal.BufferThread;
import dev.repartee.internal.Threads;
import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A channel over two blocking streams. One thread reads and another writes: reading continues while
 * the peer does not read its answers.
 *
 * <p>Writing: the writer sleeps on {@link #turns}. The thread that gets the turn of the {@link
 * WriteQueue} does not write itself; it releases a permit, and the writer drains the queue and
 * so gives the turn back. Apart from that, a permit is released only when the channel is closed, to
 * wake the writer.
 *
 * <p>Reading: the reader parks while the receiver is not ready, and {@link #resume} unparks it.
 *
 * <p>Events: {@link #delivery} makes sure that one thread at a time calls the {@link Receiver}.
 * Frames come from the reader, but the end may be reported by the writer or the thread of {@link
 * #abort} while the reader is blocked in a read that nothing can interrupt.
 *
 * <p>End: {@link #state} only ever changes to a later state.
 *
 * <pre>
 *   STARTING --start()--> OPEN --the reader stops--> INPUT_CLOSED --drained--> CLOSED
 * </pre>
 *
 * <p>{@link #close} does not change the state. It closes the write queue; the reader then discards
 * its input, and the writer writes the queue and calls {@link #drained}. {@link #abort} enters
 * {@code CLOSED} immediately, from any state and thread. A separate thread does the rest, since
 * closing the streams may block. The thread that entered {@code CLOSED} reports the end.
 */
final class StreamChannel extends FramedChannel implements Loop.Watched, TimeLimits.Connection {
  /** The two streams, and the operations that end them. */
  interface Duplex {
    /** Returns the input. Called by the reading thread; may block until the stream is open. */
    InputStream input() throws IOException;

    /** Returns the output. Called by the writing thread; may block until the stream is open. */
    OutputStream output() throws IOException;

    /** Returns the {@link Channel#attributes} of the channel. */
    default Attributes attributes() {
      return Attributes.NONE;
    }

    /**
     * Returns the reason why the streams ended, or null if there is nothing to add to the end
     * itself. May wait for some seconds.
     */
    default @Nullable IOException ending() {
      return null;
    }

    /**
     * Called when nothing more will be written. Cancels the opening of streams that are not open
     * yet.
     */
    default void closing() {}

    /** Closes the streams in order, after everything was written. May block. */
    void close() throws IOException;

    /**
     * Closes the streams immediately. If possible, this unblocks threads that read or write them.
     */
    void abort();

    /** Frees the resources of the streams after the end was reported. May block. */
    default void release() {}
  }

  /** Two streams of the user of the library. */
  private record Streams(InputStream input, OutputStream output) implements Duplex {
    @Override
    public void close() throws IOException {
      try (input) {
        output.close();
      }
    }

    /** Closes the input first: closing the output may wait for a blocked writer. */
    @Override
    public void abort() {
      try (output) {
        input.close();
      } catch (IOException e) {
        // The streams are closed in any case.
      }
    }
  }

  /** Returns a channel over two streams; see {@link Channel#over}. */
  static StreamChannel over(InputStream in, OutputStream out, Framing framing, Limits limits) {
    return new StreamChannel(
        new ChannelInfo("streams", "", ""), framing, limits, new Streams(in, out));
  }

  private enum State {
    /** The receiver is not known. */
    STARTING,
    /** Frames are delivered, except while reading is paused. */
    OPEN,
    /** No further frame can arrive; frames may still be sent. */
    INPUT_CLOSED,
    /** Nothing more is read or written. */
    CLOSED
  }

  /** The time that {@link #writeFailed} leaves the reader to read the last input. */
  private static final long READER_MILLIS = 2_000;

  private final Duplex duplex;
  private final TimeLimits times;
  private final Reader reader;
  private final Thread writer;

  /** The number of bytes read so far; only the reader changes it. */
  private final AtomicLong received = new AtomicLong();

  /** Permits for the writer to drain the queue. */
  private final Semaphore turns = new Semaphore(0);

  /**
   * Guards the calls of the {@link Receiver}, {@link #untold}, and the assignment of {@link
   * #intake}.
   */
  private final ReentrantLock delivery = new ReentrantLock();

  /** Null until the start. */
  private volatile @Nullable ReadBuffer intake;

  /** The input cannot be read further, for this reason; reported when the channel has closed. */
  private volatile @Nullable IOException unreadable;

  private final AtomicReference<State> state = new AtomicReference<>(State.STARTING);

  /**
   * The end event, if the channel ended before the start and there was no receiver yet. Guarded by
   * delivery.
   */
  private @Nullable Consumer<ReadBuffer> untold;

  /** Whether the loop checks the time limits of this channel. Written by the loop. */
  private volatile boolean watched;

  StreamChannel(ChannelInfo info, Framing framing, Limits limits, Duplex duplex) {
    super(info, framing, limits, false);
    this.duplex = duplex;
    this.times = new TimeLimits(limits, this);
    this.reader = new Reader("repartee-" + info.transport() + "-reader");
    this.writer = Threads.daemon("repartee-" + info.transport() + "-writer", this::write);
  }

  @Override
  public Attributes attributes() {
    return duplex.attributes();
  }

  @Override
  public void start(Receiver receiver) {
    delivery.lock();
    try {
      intake = new ReadBuffer(this, receiver, reader.buffer);
    } finally {
      delivery.unlock();
    }
    transition(State.OPEN);
    reader.start();
    writer.start();
    if (!limits.idleTimeout().isZero()) {
      watch(); // without it the loop is not even started
    }
  }

  @Override
  public void resume() {
    LockSupport.unpark(reader);
  }

  @Override
  public void close() {
    outbound.close();
    LockSupport.unpark(reader);
    // Wakes the writer, unless a thread that has the turn will do so.
    if (outbound.claim()) {
      turns.release();
    }
    if (queued.waiting() == 0) {
      duplex.closing();
    }
    if (queued.waiting() > 0) {
      watch();
    }
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    outbound.abort(cause == null ? new IOException("the connection was cut off") : cause);
    if (!transition(State.CLOSED)) {
      return;
    }
    // On a separate thread: the caller may be any thread and hold locks, and closing may block.
    Threads.start("repartee-" + info().transport() + "-end", () -> aborted(cause));
  }

  /**
   * Enters a state, unless this or a later one was entered before. From any thread.
   *
   * @return whether the state was entered
   */
  private boolean transition(State next) {
    State before = state.getAndUpdate(known -> known.compareTo(next) < 0 ? next : known);
    return before.compareTo(next) < 0;
  }

  private boolean isOpen() {
    return state.get() == State.OPEN;
  }

  private boolean isClosed() {
    return state.get() == State.CLOSED;
  }

  /** Unblocks the reader and the writer, reports the end and frees the resources. */
  private void aborted(@Nullable Throwable cause) {
    duplex.abort();
    LockSupport.unpark(reader);
    turns.release();
    tell(in -> in.closed(cause));
    duplex.release();
  }

  /** Ends the input: no further frame will be found in it. On the reader. */
  private void inputClosed() {
    if (transition(State.INPUT_CLOSED)) {
      tell(in -> in.inputClosed(null));
    }
  }

  /** Reports an event of the end to the receiver, immediately or after the start. */
  private void tell(Consumer<ReadBuffer> event) {
    delivery.lock();
    try {
      ReadBuffer in = intake;
      if (in == null) {
        untold = event;
      } else {
        event.accept(in);
      }
    } finally {
      delivery.unlock();
      ReadingThread.clearInterrupt();
    }
  }

  /** Wakes the writer. The caller has the turn of the queue, and passes it to the writer. */
  @Override
  void writeQueue() {
    turns.release();
    if (queued.isCongested()) {
      congested();
    }
  }

  @Override
  void congested() {
    if (!watched) {
      watch();
    }
  }

  /**
   * Queues the replies of a burst before everything else, then wakes the writer. The caller has the
   * turn.
   */
  @Override
  void writeBurst(OutboundFrame burst) {
    if (burst.size() > 0) {
      outbound.hold(burst.array(), 0, burst.size());
    }
    writeQueue();
  }

  private final class Reader extends BufferThread implements ReadingThread {
    /**
     * Twice the size of a read: after an incomplete frame, the next read needs no new array.
     */
    private final byte[] buffer = new byte[2 * Loop.BUFFER];

    private OutboundFrame burst = OutboundFrame.sequence(Loop.BUFFER);

    Reader(String name) {
      super(name);
    }

    @Override
    public void run() {
      ReadBuffer in = intake;
      if (in == null) {
        return;
      }
      Consumer<ReadBuffer> end = untold();
      if (end != null) {
        tell(end);
        return;
      }
      try {
        read(in, duplex.input());
      } catch (IOException e) {
        if (!queued.isClosed()) { // else the thread that closed it reports the end
          lost(e);
        }
      } catch (Throwable e) {
        abort(e);
      }
    }

    private @Nullable Consumer<ReadBuffer> untold() {
      delivery.lock();
      try {
        return untold;
      } finally {
        delivery.unlock();
      }
    }

    private void read(ReadBuffer in, InputStream input) throws IOException {
      while (awaitReady(in)) {
        byte[] target = in.target(buffer);
        int count = input.read(target, in.at(), in.room());
        if (count < 0) {
          endOfInput(in);
          return;
        }
        received.lazySet(received.get() + count);
        if (count > 0 && !queued.isClosed()) {
          deliver(() -> in.arrived(count, buffer));
        }
      }
    }

    /** Waits until the reader should read on. Returns false if it never will. */
    private boolean awaitReady(ReadBuffer in) throws IOException {
      while (true) {
        if (!isOpen()) {
          return false;
        }
        IOException lost = in.unreadable();
        if (lost != null) {
          unreadable = lost;
          inputClosed();
          return false;
        }
        if (queued.isClosed()) {
          in.release(); // further input is read and dropped, so that the peer can finish writing
          return true;
        }
        boolean stopped = in.stopped();
        if (!in.ready()) {
          LockSupport.park(this);
        } else if (stopped) {
          deliver(in::deliver); // the rest of the buffer, before reading more
        } else {
          return true;
        }
      }
    }

    private void endOfInput(ReadBuffer in) {
      if (!queued.isClosed()) {
        deliver(in::end);
        IOException ending = duplex.ending();
        if (ending == null) {
          inputClosed();
        } else {
          abort(ending);
        }
      }
    }

    /**
     * With the delivery lock held, calls the receiver and then sends the replies of its inline
     * handlers.
     */
    private void deliver(Runnable step) {
      delivery.lock();
      try {
        ReadBuffer in = intake;
        if (in == null || in.isInputClosed()) {
          return;
        }
        if (burst.array().length > limits.outboundBytes()) {
          burst = OutboundFrame.sequence(Loop.BUFFER);
        }
        burst.truncate(0);
        beginBurst(burst);
        try {
          step.run();
        } finally {
          endBurst();
        }
      } finally {
        delivery.unlock();
        ReadingThread.clearInterrupt();
      }
    }
  }

  private void write() {
    try {
      OutputStream output = duplex.output();
      do {
        turns.acquireUninterruptibly();
        writeAll(output);
      } while (!isClosed() && !outbound.isDrained());
    } catch (IOException e) {
      if (!queued.isClosed() || queued.waiting() > 0) {
        writeFailed(e);
      }
    } catch (Throwable e) {
      abort(e);
    }
    if (!isClosed()) {
      drained();
    }
  }

  private void writeAll(OutputStream output) throws IOException {
    for (ByteBuffer more = outbound.more(); more != null; more = outbound.more()) {
      int count = more.remaining();
      output.write(more.array(), more.position(), count);
      more.position(more.limit());
      if (outbound.took(count)) {
        roomAgain();
      }
    }
    output.flush();
  }

  /** Notifies the receiver on this thread, since the reader may be blocked in a read. */
  private void roomAgain() {
    LockSupport.unpark(reader);
    ReadBuffer in = intake;
    if (in != null) {
      in.roomAgain();
    }
  }

  /**
   * Ends the channel after a failed write. Before that, the reader has {@link #READER_MILLIS} to
   * end: a peer that has exited may have left answers and an exit status.
   */
  private void writeFailed(IOException cause) {
    try {
      reader.join(READER_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!isClosed()) {
      lost(cause);
    }
    outbound.abort(cause);
  }

  private void lost(IOException cause) {
    IOException ending = duplex.ending();
    abort(ending == null ? cause : ending);
  }

  /** Closes the streams after the last write, and reports the end. On the writer. */
  private void drained() {
    IOException failure = unreadable;
    try {
      duplex.close();
    } catch (IOException e) {
      failure = e;
    }
    if (transition(State.CLOSED)) {
      outbound.close();
      LockSupport.unpark(reader);
      IOException cause = failure;
      tell(in -> in.closed(cause));
      duplex.release();
    }
  }

  /** Makes the loop check the time limits, if one of them is running. */
  private void watch() {
    Loop loop = Loops.ofProcess().first();
    loop.execute(() -> {
      if (!watched && times.isRunning()) {
        watched = true;
        loop.watch(this);
      }
    });
  }

  @Override
  public long received() {
    return received.get();
  }

  @Override
  public boolean isIdle() {
    ReadBuffer in = intake;
    return isOpen() && queued.waiting() == 0 && !queued.isClosed() && in != null && !in.stopped();
  }

  @Override
  public @Nullable Object unread() {
    return queued.unread();
  }

  @Override
  public boolean sweep() {
    TimeLimits.Limit passed = isClosed() ? null : times.passed();
    if (passed != null) {
      abort(passed.reason(remote(), limits));
    }
    watched = false; // first: a thread that finds it set relies on the look at the state below
    watched = !isClosed() && times.isRunning();
    return watched;
  }
}
