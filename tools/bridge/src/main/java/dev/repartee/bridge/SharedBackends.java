package dev.repartee.bridge;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.json.Json;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Backends that all clients share. */
final class SharedBackends implements Backends {
  private final List<SharedBackend> backends;

  /**
   * The maximum number of bytes of notifications that are queued for a client in addition to its
   * full write queue.
   */
  private final long mostBehind;

  private final Passage toClients;
  private final AtomicInteger turn = new AtomicInteger();

  private SharedBackends(List<SharedBackend> backends, Options clients) {
    this.backends = backends;
    this.mostBehind = clients.limits().outboundBytes();
    this.toClients = new Passage(clients.listener(), List.of());
  }

  /**
   * Connects to each backend; unreachable ones are tried again in the background.
   *
   * @param clients the options of the connections to clients
   * @param options the options of the connections to backends
   * @param headers the names of the header fields of clients that backends get
   * @param timeout the time for the answer to a call; zero for no limit
   * @param patience the time for which messages wait for the methods of a backend
   * @throws IOException if none can be reached
   */
  static SharedBackends connect(
      List<String> uris,
      Options clients,
      Options options,
      List<String> headers,
      Duration timeout,
      Duration patience)
      throws IOException {
    List<SharedBackend> backends = new ArrayList<>();
    try {
      IOException failure = null;
      for (String uri : uris) {
        SharedBackend backend = new SharedBackend(uri, options, headers, timeout, patience);
        backends.add(backend);
        try {
          backend.connect();
        } catch (IOException e) {
          failure = e;
        }
      }
      if (failure != null && backends.stream().noneMatch(SharedBackend::isConnected)) {
        throw failure;
      }
      backends.forEach(SharedBackend::connectInBackground);
    } catch (RuntimeException | IOException e) {
      backends.forEach(SharedBackend::close);
      throw e;
    }
    return new SharedBackends(List.copyOf(backends), clients);
  }

  /** Returns the next backend, if possible one that is connected. */
  private SharedBackend next() {
    int first = turn.getAndIncrement();
    for (int i = 0; i < backends.size(); i++) {
      SharedBackend backend = backends.get(Math.floorMod(first + i, backends.size()));
      if (backend.isConnected()) {
        return backend;
      }
    }
    return backends.get(Math.floorMod(first, backends.size()));
  }

  @Override
  public Client join(Peer client) {
    return new SharedClient(client);
  }

  @Override
  public @Nullable Object alone(Call call) {
    SharedBackend backend = next();
    if (!backend.hasRoom(Passage.NOTHING)) {
      throw Passage.busy(); // there is no connection to stop reading from
    }
    return backend.pass(call, null);
  }

  @Override
  public void close() {
    backends.forEach(SharedBackend::close);
  }

  /** A client of a shared backend. */
  private final class SharedClient extends Client implements SharedBackend.Audience {
    private volatile SharedBackend backend;

    /** Whether the client has disconnected, or is too slow. Guarded by this. */
    private boolean over;

    /**
     * The number of bytes of notifications that were queued while there was no room for them.
     * Guarded by this.
     */
    private long behind;

    SharedClient(Peer peer) {
      super(peer);
      backend = next();
      backend.join(this);
    }

    /**
     * Returns the backend of the client, or another one if it is not connected. Called only by the
     * reader of the client.
     */
    private SharedBackend backend() {
      SharedBackend present = backend;
      return present.isConnected() || backends.size() == 1 ? present : change(present);
    }

    private synchronized SharedBackend change(SharedBackend present) {
      SharedBackend other = next();
      if (other != present && !over) {
        present.leave(this);
        other.join(this);
        backend = other;
      }
      return other;
    }

    @Override
    boolean mayRead() {
      return backend().hasRoom(readOn);
    }

    @Override
    @Nullable Object pass(Call call) {
      return backend().pass(call, this);
    }

    @Override
    synchronized void left() {
      over = true;
      backend.leave(this);
    }

    @Override
    public Peer peer() {
      return peer;
    }

    @Override
    public void readOn() {
      readOn.run();
    }

    @Override
    public void notify(Call notification) {
      if (takes(notification)) {
        toClients.pass(notification, peer, null);
      } else {
        toClients.lost(notification, "its client does not read; its connection ends");
        left();
        peer.close(Duration.ZERO);
      }
    }

    @Override
    public void tell(String method, Json params) {
      toClients.tell(peer, method, params);
    }

    /** Returns whether the client reads fast enough to get one more notification. */
    private synchronized boolean takes(Call notification) {
      if (peer.flow().hasRoom(Passage.NOTHING)) {
        behind = 0;
        return true;
      }
      behind += notification.method().length()
          + (notification.params() == null ? 0 : notification.params().length());
      return behind <= mostBehind;
    }
  }
}
