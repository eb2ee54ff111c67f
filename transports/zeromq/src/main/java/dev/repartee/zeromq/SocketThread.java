package dev.repartee.zeromq;

import dev.repartee.broker.BrokerThread;
import dev.repartee.broker.Causes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * The thread that owns all sockets of one endpoint, which are not thread-safe, and the queue of
 * tasks from other threads. A pair of sockets inside the process wakes it.
 */
final class SocketThread {
  private static final byte[] NOTHING = new byte[0];

  private final ZMQ.Context context;

  /** Receives the signals. Used only by the thread of the sockets. */
  private final ZMQ.Socket woken;

  /** Waits only for {@link #woken}. */
  private final SocketPoller signals;

  private volatile @Nullable Thread owner;

  /** True while tasks run. Used only by the thread of the sockets. */
  private boolean isBusy;

  // Guarded by this.
  private final ZMQ.Socket waking;
  private List<Runnable> tasks = new ArrayList<>();
  private boolean signalled;
  private boolean closed;

  /**
   * Creates the sockets for signals.
   *
   * @param faults receives the faults in the threads of ZeroMQ; after a fault the sockets may
   *     receive nothing
   * @throws IOException if that fails, for example because too many files are open
   */
  SocketThread(Consumer<Throwable> faults) throws IOException {
    try {
      context = ZMQ.context(1);
    } catch (RuntimeException e) {
      throw failure(e);
    }
    context.setNotificationExceptionHandler((thread, fault) -> faults.accept(fault));
    context.setUncaughtExceptionHandler((thread, fault) -> faults.accept(fault));
    List<ZMQ.Socket> pair = List.of();
    try {
      pair = sockets(SocketType.PAIR, SocketType.PAIR);
      signals = poller();
    } catch (IOException e) {
      pair.forEach(ZMQ.Socket::close);
      context.term();
      throw e;
    }
    woken = pair.get(0);
    waking = pair.get(1);
    String name = "inproc://wake-" + UUID.randomUUID();
    woken.bind(name);
    waking.connect(name);
    signals.register(woken);
  }

  /** Starts the thread. The task must call {@link #end} last. */
  void start(String name, Runnable task) {
    Thread thread = new BrokerThread(task, name);
    owner = thread;
    thread.start();
  }

  ZMQ.Context context() {
    return context;
  }

  /**
   * Opens sockets: all of them, or none.
   *
   * @throws IOException if that fails; the message contains the remedy
   */
  List<ZMQ.Socket> sockets(SocketType... types) throws IOException {
    List<ZMQ.Socket> sockets = new ArrayList<>();
    try {
      for (SocketType type : types) {
        sockets.add(context.socket(type));
      }
      return sockets;
    } catch (RuntimeException e) {
      sockets.forEach(ZMQ.Socket::close);
      throw failure(e);
    }
  }

  /**
   * Returns a poller.
   *
   * @throws IOException if that fails; the message contains the remedy
   */
  static SocketPoller poller() throws IOException {
    try {
      return new SocketPoller();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private static IOException failure(Exception e) {
    return new IOException(
        "ZeroMQ cannot open a socket: " + Causes.text(e)
            + "; if too many files are open, raise their limit (ulimit -n)",
        e);
  }

  /** Returns the socket that has input when there are tasks. */
  ZMQ.Socket woken() {
    return woken;
  }

  /** Runs a task on the thread; returns false if the thread has ended. */
  boolean execute(Runnable task) {
    boolean runsSoon = Thread.currentThread() == owner && !isBusy;
    synchronized (this) {
      if (closed) {
        return false;
      }
      tasks.add(task);
      if (!signalled && !runsSoon) {
        signalled = waking.send(NOTHING, ZMQ.DONTWAIT);
      }
      return true;
    }
  }

  /** Waits for tasks of other threads, and runs them. */
  void await() {
    signals.poll(-1);
    run();
  }

  /**
   * Runs the waiting tasks. The thread must call this before it waits for input, since tasks that
   * it adds itself send no signal. The tasks of a burst of messages run together, which saves
   * signals to ZeroMQ.
   */
  void run() {
    isBusy = true;
    try {
      for (Runnable task : taken()) {
        task.run();
      }
    } finally {
      isBusy = false;
    }
  }

  private synchronized List<Runnable> taken() {
    while (signalled && woken.recv(ZMQ.DONTWAIT) != null) {
      signalled = false;
    }
    List<Runnable> all = tasks;
    tasks = new ArrayList<>();
    return all;
  }

  /** Ends the context, after the thread has closed its sockets; waits while they linger. */
  void end() {
    synchronized (this) {
      closed = true;
      tasks.clear();
      waking.close();
    }
    signals.close();
    woken.close();
    context.term();
  }
}
