package dev.repartee.zeromq;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.broker.BrokerUri;
import dev.repartee.broker.RequestChannel;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transport of {@code zmq+tcp://HOST:PORT}: requests over ZeroMQ, without a broker. A service
 * is a ROUTER socket, a client a DEALER socket. Clients of other software may be REQ sockets; each
 * of their messages gets one reply, which is empty if there is no answer.
 *
 * <p>Options of the URI, after {@code #} and separated by {@code &}:
 *
 * <ul>
 *   <li>{@code pub} (both): the port on which the service publishes its events, on the same host.
 *   <li>{@code events} (client): the events to receive: names of notifications, separated by
 *       commas. {@code all} matches every event. Requires {@code pub}.
 *   <li>{@code identity} (client): the name that identifies the client to the service, up to 255
 *       ASCII characters without spaces. By default each connection has a different one. A service
 *       serves only one connection for each identity at a time.
 *   <li>{@code heartbeat} (both): the seconds between two pings, 10 by default. A peer that does
 *       not answer within twice this time counts as lost.
 *   <li>{@code curve-key} (both): a file with the keys of this side, which only its owner may read.
 *       The service then accepts only encrypted connections.
 *   <li>{@code curve-server} (client): a file with the public key of the service.
 *   <li>{@code curve-clients} (service): a file with the public keys of the clients to admit.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class ZmqTransport implements Transport {
  private static final String PUB = "pub";
  private static final String EVENTS = "events";
  private static final String IDENTITY = "identity";
  private static final int MOST = 0xFFFF;

  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public ZmqTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("zmq+tcp");
  }

  @Override
  public Set<String> options() {
    return Set.of(
        PUB,
        EVENTS,
        IDENTITY,
        Settings.HEARTBEAT,
        CurveKeys.KEY,
        CurveKeys.SERVER,
        CurveKeys.CLIENTS);
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    BrokerUri.refuse(endpoint, "services", CurveKeys.CLIENTS);
    Settings settings = Settings.of(endpoint, limits, false);
    List<String> events = events(endpoint);
    int pub = Settings.number(endpoint, PUB, 0, MOST);
    if (events.isEmpty() == pub > 0) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' has one of the"
          + " options " + PUB + " and " + EVENTS + "; a client of events needs both, as in #" + PUB
          + "=5556&" + EVENTS + "=all");
    }
    DealerLink link = new DealerLink(settings, identity(endpoint), pub, events);
    RequestChannel channel = new RequestChannel(
        link, new ChannelInfo(endpoint.scheme(), settings.address().name(), "message"), limits);
    link.open();
    return channel;
  }

  private static byte @Nullable [] identity(Endpoint endpoint) {
    String identity = endpoint.options().get(IDENTITY);
    if (identity == null) {
      return null;
    }
    if (!identity.matches("[!-~]{1,255}")) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' has the option " + IDENTITY
          + "=" + identity + "; it must have 1 to 255 ASCII characters without spaces");
    }
    return identity.getBytes(US_ASCII);
  }

  private static List<String> events(Endpoint endpoint) {
    List<String> names = Arrays.stream(endpoint.option(EVENTS, "").split(","))
        .filter(name -> !name.isEmpty())
        .toList();
    for (String name : names) {
      if (name.getBytes(UTF_8).length > Settings.TOPIC) {
        throw new IllegalArgumentException("'" + endpoint.shown() + "' has the option " + EVENTS
            + " with a name of more than " + Settings.TOPIC + " bytes; subscribe to all events,"
            + " #" + EVENTS + "=all");
      }
    }
    return names.stream().map(name -> name.equals("all") ? "" : name).toList();
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    BrokerUri.refuse(endpoint, "clients", EVENTS, IDENTITY, CurveKeys.SERVER);
    return new RouterListening(
            endpoint,
            Settings.of(endpoint, limits, true),
            Settings.number(endpoint, PUB, 0, MOST),
            acceptor)
        .open();
  }
}
