package dev.repartee.benchmarks.brokers;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.repartee.benchmarks.load.Caller;
import dev.repartee.benchmarks.load.Driver;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.zeromq.SocketType;
import org.zeromq.ZMQ;

/**
 * JeroMQ: a DEALER calls a ROUTER. A message has a key, an empty frame and its text, and its reply
 * repeats the first two. Each socket has one thread, since it is not thread-safe.
 *
 * @param isShared true for the guarantees of Repartee: any thread may call, and leaves its message to
 *     the thread of the socket. False as in the guide of ZeroMQ, where a thread that waits for its
 *     answer owns the socket
 */
record ZmqLibrary(boolean isShared) implements Library {
  private static final byte[] NOTHING = new byte[0];
  private static final int HEARTBEAT_MILLIS = 10_000;
  private static final int SWEEP_MILLIS = 1_000;

  /** The messages that are read before tasks run. */
  private static final int BURST = 100;

  /** A socket, its thread, and the tasks that other threads leave for it. */
  private static final class Owner implements Closeable {
    private final ZMQ.Context context = ZMQ.context(1);
    private final ZMQ.Socket socket;
    private final ZMQ.Socket woken = context.socket(SocketType.PAIR);
    private final ZMQ.Socket waking = context.socket(SocketType.PAIR); // guarded by this
    private final Thread thread;
    private List<Runnable> tasks = new ArrayList<>(); // guarded by this
    private boolean isSignalled; // guarded by this
    private boolean isClosed;

    Owner(SocketType type, Runnable receive, Runnable sweep) {
      socket = context.socket(type);
      socket.setLinger(0);
      socket.setHandshakeIvl(ZmqProxy.GREETING_MILLIS);
      socket.setHeartbeatIvl(HEARTBEAT_MILLIS);
      socket.setHeartbeatTimeout(2 * HEARTBEAT_MILLIS);
      String name = "inproc://" + UUID.randomUUID();
      woken.bind(name);
      waking.connect(name);
      thread = new Thread(() -> run(receive, sweep), "zeromq");
    }

    void start() {
      thread.setDaemon(true);
      thread.start();
    }

    /** Runs a task on the thread of the socket, now if this is that thread. */
    void execute(Runnable task) {
      if (Thread.currentThread() == thread) {
        task.run();
        return;
      }
      synchronized (this) {
        tasks.add(task);
        if (!isSignalled) {
          isSignalled = waking.send(NOTHING, ZMQ.DONTWAIT);
        }
      }
    }

    private synchronized List<Runnable> taken() {
      if (woken.recv(ZMQ.DONTWAIT) != null) {
        isSignalled = false;
      }
      List<Runnable> taken = tasks;
      tasks = new ArrayList<>();
      return taken;
    }

    private void run(Runnable receive, Runnable sweep) {
      try (ZMQ.Poller poller = context.poller(2)) {
        poller.register(woken, ZMQ.Poller.POLLIN);
        poller.register(socket, ZMQ.Poller.POLLIN);
        while (!isClosed) {
          poller.poll(SWEEP_MILLIS);
          if (poller.pollin(0)) {
            taken().forEach(Runnable::run);
          }
          if (poller.pollin(1)) {
            receive.run();
          }
          sweep.run();
        }
      }
      socket.close();
      woken.close();
      synchronized (this) {
        waking.close();
      }
      context.term();
    }

    @Override
    public void close() {
      execute(() -> isClosed = true);
    }
  }

  private static String address(String uri) {
    return "tcp://127.0.0.1:" + URI.create(uri).getPort();
  }

  // ---------------------------------------------------------------- clients

  private record Waiting(CompletableFuture<byte[]> answer, long deadline) {}

  /** A client that any thread may use. */
  private static final class SharedCaller implements FutureCaller {
    private final Owner owner = new Owner(SocketType.DEALER, this::receive, this::sweep);

    // Used by the thread of the socket.
    private final Map<String, Waiting> calls = new LinkedHashMap<>();
    private long keys;

    SharedCaller(String uri) {
      owner.socket.connect(address(uri));
      owner.start();
    }

    @Override
    public CompletableFuture<byte[]> send() {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
      owner.execute(() -> {
        String key = Long.toString(++keys);
        calls.put(key, new Waiting(answer, deadline));
        owner.socket.send(key.getBytes(ISO_8859_1), ZMQ.SNDMORE);
        owner.socket.send(NOTHING, ZMQ.SNDMORE);
        owner.socket.send(REQUEST, 0);
      });
      return answer;
    }

    private void receive() {
      for (int i = 0; i < BURST; i++) {
        byte[] key = owner.socket.recv(ZMQ.DONTWAIT);
        if (key == null) {
          return;
        }
        owner.socket.recv();
        byte[] body = owner.socket.recv();
        Waiting call = calls.remove(new String(key, ISO_8859_1));
        if (call != null) {
          call.answer.complete(body);
        }
      }
    }

    private void sweep() {
      long now = System.nanoTime();
      for (Iterator<Waiting> each = calls.values().iterator(); each.hasNext(); ) {
        Waiting oldest = each.next();
        if (oldest.deadline - now > 0) {
          return;
        }
        each.remove();
        oldest.answer.completeExceptionally(new TimeoutException("no answer"));
      }
    }

    @Override
    public void close() {
      owner.close();
    }
  }

  /**
   * A client for one call at a time: the thread that waits for the answer reads it from the socket.
   * Concurrent calls go to a {@link SharedCaller}.
   */
  private static final class OwnCaller implements Caller {
    private final ZMQ.Context context = ZMQ.context(1);
    private final ZMQ.Socket socket = context.socket(SocketType.DEALER);
    private final SharedCaller shared;
    private long keys;

    OwnCaller(String uri) {
      socket.setLinger(0);
      socket.setHandshakeIvl(ZmqProxy.GREETING_MILLIS);
      socket.setReceiveTimeOut((int) TimeUnit.SECONDS.toMillis(TIMEOUT_SECONDS));
      socket.connect(address(uri));
      shared = new SharedCaller(uri);
    }

    @Override
    public synchronized boolean call() {
      socket.send(Long.toString(++keys).getBytes(ISO_8859_1), ZMQ.SNDMORE);
      socket.send(NOTHING, ZMQ.SNDMORE);
      socket.send(REQUEST, 0);
      if (socket.recv() == null) {
        return false;
      }
      socket.recv();
      return Library.isAnswer(socket.recv());
    }

    @Override
    public void call(Driver.Done done) throws Exception {
      shared.call(done);
    }

    @Override
    public synchronized void close() {
      shared.close();
      socket.close();
      context.term();
    }
  }

  @Override
  public Caller connect(String uri) {
    return isShared ? new SharedCaller(uri) : new OwnCaller(uri);
  }

  // ---------------------------------------------------------------- the worker

  /** A worker. Its handlers leave their answers to the thread of the socket. */
  private static final class Worker implements Closeable {
    private final Owner owner = new Owner(SocketType.ROUTER, this::receive, () -> {});
    private final Handlers handlers;

    Worker(String uri, int bound) {
      this.handlers = new Handlers(bound);
      owner.socket.setRouterMandatory(true);
      owner.socket.bind(address(uri));
      owner.start();
    }

    private void receive() {
      try {
        for (int i = 0; i < BURST; i++) {
          byte[] next = owner.socket.recv(ZMQ.DONTWAIT);
          if (next == null) {
            return;
          }
          List<byte[]> envelope = new ArrayList<>();
          for (; owner.socket.hasReceiveMore(); next = owner.socket.recv()) {
            envelope.add(next);
          }
          handlers.handle(() -> owner.execute(() -> answer(envelope)));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void answer(List<byte[]> envelope) {
      envelope.forEach(frame -> owner.socket.send(frame, ZMQ.SNDMORE));
      owner.socket.send(ANSWER, 0);
    }

    @Override
    public void close() {
      handlers.close();
      owner.close();
    }
  }

  @Override
  public Closeable serve(String uri, int bound) {
    return new Worker(uri, bound);
  }
}
