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
 * A channel over two streams that can only block: one thread reads, one writes, so that reading never
 * waits for a peer that does not take its answers.
 *
 * <p>The {@link #turns} semaphore has a permit when the turn of the {@link Outbound} queue was handed
 * to the writer. The delivery lock keeps {@link Receiver} to one thread at a time, as the end may be
 * told by the writer while the reader hangs in a read that nothing can interrupt.
 */
final class StreamChannel extends FramedChannel implements Loop.Watched {
  /** The streams below, and how they end. */
  interface Duplex {
    /** The input, opened by the reading thread; may block. */
    InputStream input() throws IOException;

    /** The output, opened by the writing thread; may block. */
    OutputStream output() throws IOException;

    /** Why the streams ended, if there is more to say than that they did. May wait a second. */
    default @Nullable IOException ending() {
      return null;
    }

    /** Nothing will be written any more: gives up what has not been opened yet. */
    default void closing() {}

    /** Ends in order, after all was written; may take its time. */
    void close() throws IOException;

    /** Ends at once, so that what blocks in the streams gets out of there, where that can be done. */
    void abort();

    /** Frees the resources of the streams, after the end was reported; may block. */
    default void release() {}
  }

  private static final long READER_MILLIS = 2_000;

  private final Duplex duplex;
  private final TimeLimits times;
  private final Reader reader;
  private final Thread writer;
  private final Semaphore turns = new Semaphore(0);
  private final ReentrantLock delivery = new ReentrantLock();
  private volatile @Nullable Intake intake;
  private volatile @Nullable IOException unreadable;
  private volatile boolean over;

  /** The end, where it came before the start and nobody was there to tell. Guarded by delivery. */
  private @Nullable Consumer<Intake> untold;

  // Of the loop.
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
      intake = new Intake(this, receiver, false);
    } finally {
      delivery.unlock();
    }
    reader.start();
    writer.start();
    if (!limits.idleTimeout().isZero()) {
      watch(); // else the loop is not even started
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
    // Not here, as the caller may be anybody, and a receiver is told by threads of its own.
    Thread end = new Thread(() -> end(cause), "repartee-" + info().transport() + "-end");
    end.setDaemon(true);
    end.start();
  }

  private void end(@Nullable Throwable cause) {
    duplex.abort();
    LockSupport.unpark(reader);
    turns.release();
    tell(in -> in.closed(cause));
    duplex.release();
  }

  private void tell(Consumer<Intake> event) {
    delivery.lock();
    try {
      Intake in = intake;
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

  @Override
  void leave() {
    turns.release();
    if (outbound.isFull()) {
      watch();
    }
  }

  @Override
  void leave(Output burst) {
    if (burst.size() > 0) {
      outbound.hold(burst.array(), 0, burst.size());
    }
    leave();
  }

  private final class Reader extends ReaderThread {
    private final byte[] shared = new byte[Loop.BUFFER];
    private Output burst = new Output(Loop.BUFFER);

    Reader(String name) {
      super(name);
    }

    @Override
    public void run() {
      Intake in = intake;
      if (in == null) {
        return;
      }
      Consumer<Intake> end = untold();
      if (end != null) {
        tell(end);
        return;
      }
      try {
        read(in, duplex.input());
      } catch (IOException e) {
        if (!outbound.isShut()) { // else who shut it tells the end
          lost(e);
        }
      } catch (Throwable e) {
        abort(e);
      }
    }

    private @Nullable Consumer<Intake> untold() {
      delivery.lock();
      try {
        return untold;
      } finally {
        delivery.unlock();
      }
    }

    private void read(Intake in, InputStream input) throws IOException {
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

    /** Waits until reading on makes sense; false when it never will. */
    private boolean awaitReady(Intake in) throws IOException {
      while (true) {
        IOException lost = in.lost();
        if (over || in.over() || lost != null) {
          if (lost != null) {
            unreadable = lost;
            tell(Intake::inputEnded);
          }
          return false;
        }
        if (outbound.isShut()) {
          in.release(); // what comes now is thrown away, so that the other side can end in peace
          return true;
        }
        boolean stopped = in.stopped();
        if (!in.ready()) {
          LockSupport.park(this);
        } else if (stopped) {
          deliver(in::deliver);
        } else {
          return true;
        }
      }
    }

    private void endOfInput(Intake in) {
      if (!outbound.isShut()) {
        deliver(in::end);
        IOException ending = duplex.ending();
        if (ending == null) {
          tell(Intake::inputEnded);
        } else {
          abort(ending);
        }
      }
    }

    private void deliver(Runnable step) {
      delivery.lock();
      try {
        Intake in = intake;
        if (in == null || in.over()) {
          return;
        }
        if (burst.array().length > limits.outboundBytes()) {
          burst = new Output(Loop.BUFFER);
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

  /** A peer that has gone may have left answers and a reason, so the reader goes first. */
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

  /** Has the loop look at the clock, if some limit runs. */
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
    Intake in = intake;
    IOException passed =
        over ? null : times.passed(now, in != null && !in.stopped() && !in.over(), 0);
    if (passed != null) {
      abort(passed);
    }
    watched = !over && times.isRunning();
    return watched;
  }
}
