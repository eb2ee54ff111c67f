package dev.repartee;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A channel over two blocking streams. One thread reads and another writes, so reading goes on
 * while the peer does not read its answers.
 *
 * <p>Writing: the writer sleeps on {@link #turns}. The thread that gets the turn of the {@link
 * WriteQueue} does not write itself; it releases a permit, and the writer drains the queue and
 * so gives the turn back. Apart from that, a permit is released only when the channel is over, to
 * wake the writer.
 *
 * <p>Reading: the reader parks while the receiver is not ready, and {@link #resume} unparks it.
 *
 * <p>Events: {@link #delivery} makes sure that one thread at a time calls the {@link Receiver}.
 * Frames come from the reader, but the end may be reported by the writer or the thread of {@link
 * #abort} while the reader is blocked in a read that nothing can interrupt.
 *
 * <p>End: either the writer has written everything after {@link #close} and calls {@link #finish},
 * or {@link #abort} sets {@link #over} and ends the channel on a thread of its own.
 */
final class StreamChannel extends FramedChannel implements Loop.Watched {
  /** The two streams, and the operations that end them. */
  interface Duplex {
    /** Returns the input. Called by the reading thread; may block until the stream is open. */
    InputStream input() throws IOException;

    /** Returns the output. Called by the writing thread; may block until the stream is open. */
    OutputStream output() throws IOException;

    /**
     * Returns the reason why the streams ended, or null if there is nothing to add to the end
     * itself. May wait for a second.
     */
    default @Nullable IOException ending() {
      return null;
    }

    /**
     * Called when nothing more will be written. Gives up the opening of streams that are not open
     * yet.
     */
    default void closing() {}

    /** Closes the streams in order, after everything was written. May block. */
    void close() throws IOException;

    /** Closes the streams at once. If possible, this unblocks threads that read or write them. */
    void abort();

    /** Frees the resources of the streams after the end was reported. May block. */
    default void release() {}
  }

  /** The time that {@link #writeFailed} leaves the reader to read the last input. */
  private static final long READER_MILLIS = 2_000;

  private final Duplex duplex;
  private final TimeLimits times;
  private final Reader reader;
  private final Thread writer;

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

  /** Whether the channel has ended, with nothing more to read or write. */
  private volatile boolean over;

  /**
   * The end event, if the channel ended before the start and there was no receiver yet. Guarded by
   * delivery.
   */
  private @Nullable Consumer<ReadBuffer> untold;

  // True while the loop checks the time limits of this channel. Used by the loop only.
  private boolean watched;

  StreamChannel(ChannelInfo info, Framing framing, Limits limits, Duplex duplex) {
    super(info.transport(), info.remote(), framing, limits, false);
    this.duplex = duplex;
    this.times = new TimeLimits(limits, false, outbound, remote());
    this.reader = new Reader("repartee-" + info.transport() + "-reader");
    this.writer = new Thread(this::write, "repartee-" + info.transport() + "-writer");
    writer.setDaemon(true);
  }

  @Override
  public void start(Receiver receiver) {
    delivery.lock();
    try {
      intake = new ReadBuffer(this, receiver, false);
    } finally {
      delivery.unlock();
    }
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
    outbound.shut();
    LockSupport.unpark(reader);
    // Wakes the writer, unless a thread that has the turn will do so.
    if (outbound.claim()) {
      turns.release();
    }
    if (outbound.waiting() == 0) {
      duplex.closing();
    }
    if (outbound.waiting() > 0) {
      watch();
    }
  }

  @Override
  public void abort(@Nullable Throwable cause) {
    outbound.kill(cause == null ? new IOException("the connection was cut off") : cause);
    over = true;
    // On a thread of its own: the caller may be any thread and hold locks, and closing may block.
    Thread end = new Thread(() -> end(cause), "repartee-" + info().transport() + "-end");
    end.setDaemon(true);
    end.start();
  }

  /** Unblocks the reader and the writer, reports the end and frees the resources. */
  private void end(@Nullable Throwable cause) {
    duplex.abort();
    LockSupport.unpark(reader);
    turns.release();
    tell(in -> in.closed(cause));
    duplex.release();
  }

  /** Reports an event of the end to the receiver, at once or after the start. */
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
      ReaderThread.clearInterrupt();
    }
  }

  /** Wakes the writer. The caller has the turn of the queue, which the writer takes over. */
  @Override
  void leave() {
    turns.release();
    if (outbound.isFull()) {
      watch();
    }
  }

  /**
   * Queues the replies of a burst before everything else, then wakes the writer. The caller has the
   * turn.
   */
  @Override
  void leave(OutboundFrame burst) {
    if (burst.size() > 0) {
      outbound.hold(burst.array(), 0, burst.size());
    }
    leave();
  }

  private final class Reader extends ReaderThread {
    private final byte[] shared = new byte[Loop.BUFFER];
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
        if (!outbound.isShut()) { // else the thread that shut it reports the end
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
        byte[] target = in.target(shared);
        int count = input.read(target, in.at(), in.room());
        if (count < 0) {
          endOfInput(in);
          return;
        }
        times.heard();
        if (count > 0 && !outbound.isShut()) {
          deliver(() -> in.arrived(count, shared));
        }
      }
    }

    /** Waits until the reader should read on. Returns false if it never will. */
    private boolean awaitReady(ReadBuffer in) throws IOException {
      while (true) {
        IOException lost = in.lost();
        if (over || in.over() || lost != null) {
          if (lost != null) {
            unreadable = lost;
            tell(ReadBuffer::inputEnded);
          }
          return false;
        }
        if (outbound.isShut()) {
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
      if (!outbound.isShut()) {
        deliver(in::end);
        IOException ending = duplex.ending();
        if (ending == null) {
          tell(ReadBuffer::inputEnded);
        } else {
          abort(ending);
        }
      }
    }

    /**
     * Calls the receiver with the delivery lock held, and sends the replies of its inline handlers
     * at once.
     */
    private void deliver(Runnable step) {
      delivery.lock();
      try {
        ReadBuffer in = intake;
        if (in == null || in.over()) {
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
        ReaderThread.clearInterrupt();
      }
    }
  }

  private void write() {
    try {
      OutputStream output = duplex.output();
      do {
        turns.acquireUninterruptibly();
        writeAll(output);
      } while (!over && !isDone());
    } catch (IOException e) {
      if (!outbound.isShut() || outbound.waiting() > 0) {
        writeFailed(e);
      }
    } catch (Throwable e) {
      abort(e);
    }
    if (!over) {
      finish();
    }
  }

  /**
   * Whether nothing more will be written. {@link WriteQueue#isIdle} is false while the reader holds
   * the turn for the replies of a burst, which are queued only when the burst ends.
   */
  private boolean isDone() {
    return outbound.isShut() && outbound.waiting() == 0 && outbound.isIdle();
  }

  private void writeAll(OutputStream output) throws IOException {
    for (ByteBuffer more = outbound.more(); more != null; more = outbound.more()) {
      int count = more.remaining();
      output.write(more.array(), more.position(), count);
      more.position(more.limit());
      if (outbound.took(count)) {
        LockSupport.unpark(reader);
      }
    }
    output.flush();
  }

  /**
   * Ends the channel after a failed write. A peer that has exited may have left answers and an exit
   * status, so the reader gets time to read them first.
   */
  private void writeFailed(IOException cause) {
    try {
      reader.join(READER_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!over) {
      lost(cause);
    }
    outbound.kill(cause);
  }

  private void lost(IOException cause) {
    IOException ending = duplex.ending();
    abort(ending == null ? cause : ending);
  }

  private void finish() {
    IOException failure = unreadable;
    try {
      duplex.close();
    } catch (IOException e) {
      failure = e;
    }
    over = true;
    outbound.shut();
    LockSupport.unpark(reader);
    IOException cause = failure;
    tell(in -> in.closed(cause));
    duplex.release();
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
  public boolean sweep(long now) {
    ReadBuffer in = intake;
    IOException passed =
        over ? null : times.passed(now, in != null && !in.stopped() && !in.over(), 0);
    if (passed != null) {
      abort(passed);
    }
    watched = !over && times.isRunning();
    return watched;
  }
}
