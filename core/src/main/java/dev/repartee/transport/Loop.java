package dev.repartee.transport;

import dev.repartee.internal.BufferThread;
import dev.repartee.internal.Spin;
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
 * A selector thread that serves sockets: it waits until a socket is ready and calls its channel,
 * which reads and writes without blocking. Each socket stays on the loop that {@link Loops} has
 * chosen for it.
 *
 * <p>Selection keys and their interests are changed on the loop only; other threads pass tasks to
 * {@link #execute}. An exception of a channel ends this channel only.
 */
final class Loop extends BufferThread implements ReadingThread {
  // Implementation note.
  //
  // One round of the loop: select, run tasks, sweep. All fields without another rule are used on
  // the loop only; tasks, woken, connections and ending are thread-safe.
  //
  // Waking up. execute() adds the task first and then wakes the selector, unless woken is set: then
  // another thread has done so already, or the loop is going to look for tasks anyway. select()
  // clears woken before it looks for tasks a last time and sleeps. Clearing it after that look
  // would lose a task that is added in between. A loop with low-latency connections sets woken
  // while it spins, so that no thread pays for a wake-up.
  //
  // Selection blocks in a system call, for which the JVM waits up to 300 ms when it exits.
  // From ending() on, the loop polls and parks instead.

  /** The size of one read: large enough for a burst of hundreds of calls. */
  static final int BUFFER = 64 << 10;

  /** The size in bytes above which a burst buffer is not used again. */
  private static final int KEPT_BURST = 1 << 20;

  /** The number of tasks to run in one round. */
  private static final int TASKS = 1_024;

  private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SWEEP = TimeUnit.MILLISECONDS.toNanos(250);

  /** The user of a socket on this loop. */
  interface Ready {
    /** Handles the {@link SelectionKey} operations that are ready, without blocking. */
    void ready(int operations) throws IOException;

    /** Ends this socket after an exception of {@link #ready} or of a {@link Step}. */
    void failed(Throwable cause);
  }

  /** A task for a socket. */
  interface Step {
    void run() throws IOException;
  }

  /** An object with time limits. */
  interface Watched {
    /**
     * Checks the time limits. Must not throw.
     *
     * @return whether to call this method again in the next sweep
     */
    boolean sweep();
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

  /** The buffer that all channels of this loop read into; on the loop only. */
  final ByteBuffer buffer = ByteBuffer.wrap(new byte[BUFFER]);

  private OutboundFrame burst = OutboundFrame.sequence(BUFFER);
  private ByteBuffer burstView = ByteBuffer.wrap(burst.array());

  private Loop(String name) {
    super(name);
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector: " + e.getMessage(), e);
    }
  }

  /** Creates and starts a loop. */
  static Loop start(String name) {
    Loop loop = new Loop(name);
    loop.start();
    return loop;
  }

  /**
   * Makes the loop poll the selector instead of blocking in it, because the JVM is exiting: the JVM
   * waits up to 300 ms for a thread that is inside a system call. Connections that are closing are
   * still served.
   */
  void ending() {
    ending = true;
    selector.wakeup();
  }

  /** Counts one more connection; {@link Loops} chooses the loop with the fewest. */
  void entered() {
    connections.incrementAndGet();
  }

  /** Counts one connection less. */
  void left() {
    connections.decrementAndGet();
  }

  int connections() {
    return connections.get();
  }

  /** Queues a task, which must not throw; tasks run in order. From any thread. */
  void execute(Runnable task) {
    tasks.add(task);
    if (Thread.currentThread() != this && woken.compareAndSet(false, true)) {
      selector.wakeup();
    }
  }

  /** Queues a step of a socket. An exception of the step ends the socket. From any thread. */
  void execute(Ready socket, Step step) {
    execute(() -> {
      try {
        step.run();
      } catch (Throwable e) {
        socket.failed(e);
      }
    });
  }

  @Override
  public boolean runAfterReads(Runnable action) {
    tasks.add(action);
    return true;
  }

  /** Registers a channel and reports its ready operations to {@code handler}; on the loop only. */
  SelectionKey register(SelectableChannel channel, int operations, Ready handler)
      throws ClosedChannelException {
    return channel.register(selector, operations, handler);
  }

  /** Has the selector release the sockets that were closed meanwhile; in a task only. */
  void letGo() throws IOException {
    selector.selectNow(dispatch);
  }

  /** Sweeps {@code channel} about every 250 ms, until its sweep returns false; on the loop only. */
  void watch(Watched channel) {
    if (watched.isEmpty()) {
      nextSweep = System.nanoTime() + SWEEP;
    }
    watched.add(channel);
  }

  /** Counts one more low-latency connection: the loop spins before it sleeps. On the loop only. */
  void addUrgent() {
    urgent++;
  }

  /** Counts one low-latency connection less; on the loop only. */
  void removeUrgent() {
    urgent--;
  }

  /** Returns whether the loop spins before it sleeps; on the loop only. */
  boolean isUrgent() {
    return urgent > 0;
  }

  /** Returns the buffer for the replies to one burst, emptied; on the loop only. */
  OutboundFrame burst() {
    if (burst.array().length > KEPT_BURST) {
      burst = OutboundFrame.sequence(BUFFER);
    }
    burst.truncate(0);
    return burst;
  }

  /** Returns the content of the burst buffer as a view to write to a socket; on the loop only. */
  ByteBuffer burstView() {
    if (burstView.array() != burst.array()) {
      burstView = ByteBuffer.wrap(burst.array());
    }
    return burstView.limit(burst.size()).position(0);
  }

  @Override
  public void run() {
    rest(1); // loads LockSupport: inside of the catch clause this would fail for lack of memory
    while (true) {
      try {
        select();
        runTasks();
        sweep();
      } catch (Throwable e) {
        // The failure was reported where it occurred. No failure, not even a lack of memory, may
        // end the loop, which serves many connections. The pause saves CPU time if the failure
        // persists.
        rest(PAUSE);
      }
    }
  }

  private static void rest(long nanos) {
    LockSupport.parkNanos(nanos);
  }

  private void select() throws IOException {
    if (isUrgent()) {
      woken.set(true); // the spin looks for tasks: execute() need not wake the selector
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
      // An earlier event of this round has ended the channel.
    } catch (Throwable e) {
      who.failed(e);
    }
    Thread.interrupted(); // user code may leave it set, and the selector would not block
  }

  /** Runs a limited number of tasks: tasks that add further tasks must not starve the sockets. */
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
      if (isSweptAgain(who)) {
        watched.add(who);
      }
      Thread.interrupted();
    }
  }

  /** A sweep that fails, for lack of memory, is repeated and does not end the sweeps of others. */
  private static boolean isSweptAgain(Watched who) {
    try {
      return who.sweep();
    } catch (Throwable e) {
      return true;
    }
  }
}
