package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.ForwardingListener;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Service;
import dev.repartee.internal.Threads;
import dev.repartee.message.RpcError;
import dev.repartee.transport.ReadingThread;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A backend for each client. */
final class OwnBackends implements Backends {
  /** The time in which a client without a backend may read the reason. */
  private static final long LAST_WORDS_MILLIS = 1_000;

  /** The time for the steps that end a process, after its calls; see ExecTransport. */
  private static final Duration ENDING = Duration.ofSeconds(7);

  private final List<String> uris;
  private final Options options;
  private final Passage toClients;
  private final Passage toBackends;
  private final Duration timeout;
  private final int most;

  /** One permit for each further client. */
  private final Semaphore places;

  private final AtomicInteger turn = new AtomicInteger();

  /**
   * @param clients the options of the connections to clients
   * @param options the options of the connections to backends
   * @param headers the names of the header fields of clients that backends get
   * @param timeout the time for the answer to a call of a client; zero for no limit
   * @param most the number of clients at a time
   */
  OwnBackends(
      List<String> uris,
      Options clients,
      Options options,
      List<String> headers,
      Duration timeout,
      int most) {
    this.uris = uris;
    this.options = options;
    this.toClients = new Passage(clients.listener(), List.of());
    this.toBackends = new Passage(options.listener(), headers);
    this.timeout = timeout;
    this.most = most;
    this.places = new Semaphore(most);
  }

  @Override
  public Client join(Peer client) {
    OwnClient own = new OwnClient(client);
    if (!places.tryAcquire()) {
      toClients.report(
          client.channel(), "a client was disconnected: there are " + most + " already");
      client.close(); // does not wait, since it is called in the listener
    } else {
      own.counted.set(2);
      Threads.start("repartee-bridge", own::connect); // connecting may block
    }
    return own;
  }

  @Override
  public Object alone(Call call) {
    throw new RpcException(
        RpcError.INVALID_REQUEST,
        "Each client of this bridge has a separate backend, which needs a connection, such as a"
            + " WebSocket");
  }

  @Override
  public void close() {
    // Each backend ends with its client. Wait for the processes, since the JVM may end after this.
    if (ReadingThread.isCurrent()) {
      return;
    }
    try {
      Duration limit = options.limits().closeTimeout().plus(ENDING);
      if (places.tryAcquire(most, limit.toNanos(), TimeUnit.NANOSECONDS)) {
        places.release(most);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A client with its own backend. */
  private final class OwnClient extends Client {
    /** Null until it is connected. Written under the lock of this. */
    private volatile @Nullable Peer backend;

    /** Whether the backend could not be opened; all calls then fail. */
    private volatile boolean failed;

    private boolean left; // guarded by this

    /**
     * The number of sides that have not ended; until it is zero, this counts as a client. Otherwise
     * a client that connects and disconnects quickly could leave more processes than clients are
     * allowed.
     */
    private final AtomicInteger counted = new AtomicInteger();

    OwnClient(Peer peer) {
      super(peer);
    }

    void connect() {
      int first = turn.getAndIncrement();
      Throwable last = null;
      for (int i = 0; i < uris.size(); i++) {
        String uri = uris.get(Math.floorMod(first + i, uris.size()));
        try {
          use(Repartee.connect(
              uri,
              Service.builder()
                  .others(Lane.INLINE, call -> toClients.pass(call, peer, Duration.ZERO))
                  .build(),
              options.toBuilder()
                  .listener(new Events())
                  .answersUnreadable(false)
                  .build()));
          return;
        } catch (IOException | RuntimeException | Error e) {
          last = e;
        }
      }
      toClients.report(peer.channel(), "no backend can be reached: " + last);
      failed = true;
      readOn.run();
      disconnect();
      ended();
    }

    private void use(Peer connected) {
      boolean unused;
      synchronized (this) {
        backend = connected;
        unused = left;
      }
      if (unused) {
        connected.close();
      }
      connected.flow().onInputClosed(peer::close);
      readOn.run();
    }

    /** Disconnects the client after it has had time to read the answers to its messages. */
    private void disconnect() {
      try {
        peer.closed().toCompletableFuture().get(LAST_WORDS_MILLIS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException | ExecutionException | TimeoutException e) {
        peer.close(Duration.ZERO);
      }
    }

    @Override
    boolean mayRead() {
      Peer to = backend;
      return to == null ? failed : to.flow().hasRoom(readOn);
    }

    @Override
    @Nullable Object pass(Call call) {
      Peer to = backend;
      if (to == null) {
        throw Passage.unreachable();
      }
      return toBackends.pass(call, to, timeout);
    }

    @Override
    void left() {
      ended();
      Peer connected;
      synchronized (this) {
        left = true;
        connected = backend;
      }
      if (connected != null) {
        connected.close();
      }
    }

    /** Records the end of a side. */
    private void ended() {
      if (counted.getAndDecrement() == 1) {
        places.release();
      }
    }

    /** The events of the backend. */
    private final class Events extends ForwardingListener {
      Events() {
        super(options.listener());
      }

      @Override
      public void connected(Peer connecting) {
        Runnable goOn = connecting.flow()::readOn;
        connecting.flow().readWhile(() -> peer.flow().hasRoom(goOn));
        super.connected(connecting);
      }

      @Override
      public void disconnected(Peer gone, @Nullable Throwable cause) {
        ended();
        peer.close();
        super.disconnected(gone, cause);
      }
    }
  }
}
