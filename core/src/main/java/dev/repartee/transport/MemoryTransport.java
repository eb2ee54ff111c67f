package dev.repartee.transport;

import dev.repartee.limits.Limits;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The transport {@code mem:NAME}, which connects endpoints inside this process. A server at {@code
 * mem:*} gets a random name, as one at the TCP port 0 gets a free port.
 */
final class MemoryTransport implements Transport {
  private static final String ANY = "*";

  private final Map<String, Named> servers = new ConcurrentHashMap<>();

  @Override
  public Set<String> schemes() {
    return Set.of("mem");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    Named server = servers.get(endpoint.address());
    if (server == null) {
      throw new IOException(
          "cannot connect to " + endpoint.bare() + ": nothing listens there in this process");
    }
    return server.connect();
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    Endpoint named = endpoint.address().equals(ANY)
        ? new Endpoint(endpoint.scheme(), UUID.randomUUID().toString(), endpoint.options())
        : endpoint;
    Named server = new Named(named, limits, acceptor, servers);
    if (servers.putIfAbsent(named.address(), server) != null) {
      throw new IOException("cannot listen on " + endpoint.bare()
          + ": the name is in use in this process; choose another one");
    }
    return server;
  }

  private static final class Named implements Listening {
    private final Endpoint endpoint;
    private final Limits limits;
    private final Acceptor acceptor;
    private final Map<String, Named> servers;
    private final AtomicInteger open = new AtomicInteger();

    Named(Endpoint endpoint, Limits limits, Acceptor acceptor, Map<String, Named> servers) {
      this.endpoint = endpoint;
      this.limits = limits;
      this.acceptor = acceptor;
      this.servers = servers;
    }

    Channel connect() throws IOException {
      if (open.incrementAndGet() > limits.connections()) {
        open.decrementAndGet();
        throw new IOException("cannot connect to " + endpoint.bare() + ": it has "
            + limits.connections() + " connections, the limit connections; close one");
      }
      ChannelPair pair = MemoryChannel.pair(endpoint.address(), limits, open::decrementAndGet);
      Loops.ofProcess().first().execute(() -> accept(pair.server()));
      return pair.client();
    }

    private void accept(Channel channel) {
      try {
        acceptor.accept(channel);
      } catch (RuntimeException | Error e) {
        channel.abort(e);
      }
    }

    @Override
    public Endpoint endpoint() {
      return endpoint;
    }

    @Override
    public void close() {
      servers.remove(endpoint.address(), this);
    }
  }
}
