package dev.repartee;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A thread that serves sockets: waits until one is ready, and lets its channel do what it can without
 * waiting. Which of the {@link Loops} serves a socket is settled once.
 *
 * <p>Keys and interests are changed on the loop only; other threads come in by {@link #execute}. What
 * a channel throws ends that channel and nothing else.
 */
final class Loop extends ReaderThread {
  /** The size of one read: large enough for a burst of hundreds of calls. */
  static final int BUFFER = 64 << 10;

  /** A burst buffer that grew past this is not kept. */
  private static final int KEPT_BURST = 1 << 20;

  private static final int TASKS = 1_024;
  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SWEEP = TimeUnit.MILLISECONDS.toNanos(250);

  /** Who is told that its socket is ready. */
  interface Ready {
    /** Does what the {@link SelectionKey} operations allow, without waiting. */
    void ready(int operations) throws IOException;

    /** Ends this one: something went wrong that it did not catch. */
    void failed(Throwable cause);
  }

  /** Who has time limits running. */
  interface Watched {
    /** Looks at the clock, a {@link System#nanoTime()}; answers whether to look again. Throws nothing. */
    boolean sweep(long now);
  }

  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final AtomicInteger connections = new AtomicInteger();
  private final Consumer<SelectionKey> dispatch = Loop::dispatch;
  private final Spin spin = new Spin();
  private final Spin.Look<IOException> look = this::look;
  private final List<Watched> watched = new ArrayList<>();
  private long nextSweep;
  private int urgent;
  private volatile boolean ending;

  /** What is read goes here first; on the loop only. */
  final ByteBuffer buffer = ByteBuffer.wrap(new byte[BUFFER]);

  private Output burst = new Output(BUFFER);
  private ByteBuffer burstView = ByteBuffer.wrap(burst.array());

  private Loop(String name) {
    super(name);
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector: " + e.getMessage(), e);
    }
  }

  /** A new one that runs. */
  static Loop start(String name) {
    Loop loop = new Loop(name);
    loop.start();
    return loop;
  }

  /**
   * The JVM ends. It waits up to 300 ms for a thread that is inside a system call, which is where the
   * loop waits; from now on it only looks there and waits outside, and serves whoever still closes.
   */
  void ending() {
    ending = true;
    selector.wakeup();
  }

  /** One connection more; {@link Loops} looks at how many there are. */
  void entered() {
    connections.incrementAndGet();
  }

  /** One connection less. */
  void left() {
    connections.decrementAndGet();
  }

  int connections() {
    return connections.get();
  }

  /** Runs the task, which must not throw, after those handed over before; from any thread. */
  void execute(Runnable task) {
    tasks.add(task);
    if (Thread.currentThread() != this && woken.compareAndSet(false, true)) {
      selector.wakeup();
    }
  }

  /** Starts telling {@code who} about that channel; on the loop only. */
  SelectionKey register(SelectableChannel channel, int operations, Ready who)
      throws ClosedChannelException {
    return channel.register(selector, operations, who);
  }

  /** Closes the sockets that were closed but were still known to the selector; in a task only. */
  void letGo() throws IOException {
    selector.selectNow(dispatch);
  }

  /** Shows {@code who} the clock about every 250 ms until it has seen enough; on the loop only. */
  void watch(Watched who) {
    if (watched.isEmpty()) {
      nextSweep = System.nanoTime() + SWEEP;
    }
    watched.add(who);
  }

  /** Does not sleep at once from now on, until {@link #calm}; on the loop only. */
  void hurry() {
    urgent++;
  }

  /** Undoes one {@link #hurry}; on the loop only. */
  void calm() {
    urgent--;
  }

  /** Whether it looks before it sleeps; on the loop only. */
  boolean isUrgent() {
    return urgent > 0;
  }

  /** The empty buffer for the replies of one burst; on the loop only. */
  Output burst() {
    if (burst.array().length > KEPT_BURST) {
      burst = new Output(BUFFER);
    }
    burst.truncate(0);
    return burst;
  }

  /** What stands in the burst buffer, as a socket wants it. */
  ByteBuffer burstView() {
    if (burstView.array() != burst.array()) {
      burstView = ByteBuffer.wrap(burst.array());
    }
    return burstView.limit(burst.size()).position(0);
  }

  @Override
  public void run() {
    while (true) {
      try {
        select();
        runTasks();
        sweep();
      } catch (Throwable e) {
        // Who failed was told where it failed. Nothing, not even a lack of memory, may end the loop
        // that all connections live on; the pause keeps a lasting failure from burning the CPU.
        LockSupport.parkNanos(PAUSE);
      }
    }
  }

  private void select() throws IOException {
    if (isUrgent()) {
      woken.set(true); // tasks are looked for: nobody has to pay for a wake-up
      if (spin.finds(look)) {
        return;
      }
    }
    woken.set(false);
    if (!tasks.isEmpty()) {
      selector.selectNow(dispatch);
    } else if (ending) {
      LockSupport.parkNanos(this, PAUSE);
      selector.selectNow(dispatch);
    } else if (watched.isEmpty()) {
      selector.select(dispatch);
    } else {
      long left = nextSweep - System.nanoTime();
      selector.select(dispatch, Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
    }
  }

  private boolean look() throws IOException {
    return selector.selectNow(dispatch) > 0 || !tasks.isEmpty();
  }

  private static void dispatch(SelectionKey key) {
    Ready who = (Ready) key.attachment();
    try {
      who.ready(key.readyOps());
    } catch (CancelledKeyException e) {
      // Ended by an event before this one.
    } catch (Throwable e) {
      who.failed(e);
    }
    Thread.interrupted(); // left behind by code of the user, it would keep the loop from sleeping
  }

  /** Runs some and no more: tasks that hand over tasks must not starve the sockets. */
  private void runTasks() {
    for (int i = 0; i < TASKS; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      task.run();
      Thread.interrupted();
    }
  }

  private void sweep() {
    if (watched.isEmpty()) {
      return;
    }
    long now = System.nanoTime();
    if (now - nextSweep < 0) {
      return;
    }
    nextSweep = now + SWEEP;
    List<Watched> all = List.copyOf(watched);
    watched.clear();
    for (Watched who : all) {
      if (who.sweep(now)) {
        watched.add(who);
      }
      Thread.interrupted();
    }
  }
}
