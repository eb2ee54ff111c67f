package dev.repartee.amqp;

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

/**
 * The transport of {@code amqp://USER:PASSWORD@HOST:PORT/QUEUE}, and under TLS of {@code amqps:}:
 * requests through a queue of an AMQP 0-9-1 broker, such as RabbitMQ. Several services that listen
 * on the same queue are its workers; each message goes to one of them. The user is guest by
 * default, the host 127.0.0.1, the port 5672 or, under TLS, 5671.
 *
 * <p>Options of the URI, after {@code #} and separated by {@code &}:
 *
 * <ul>
 *   <li>{@code vhost} (both): the virtual host; {@code /} by default.
 *   <li>{@code password-file} (both): a file with the password, instead of the password in the URI.
 *   <li>{@code prefetch} (service): the maximum number of messages that a worker runs at the same
 *       time; {@link Limits#runningCalls} by default, which is also the upper limit.
 *   <li>{@code queue-length} (service): the maximum number of messages that wait in the queue, if
 *       the worker declares it; 10,000 by default. Calls above this limit fail.
 *   <li>{@code account=workers} (service): no client has the account of this URI. A message that
 *       returns to the queue after the loss of a worker then keeps its {@link AmqpUser}.
 *   <li>{@code events} (client): the events to receive: names of notifications, separated by
 *       commas. A name may be a pattern of a topic exchange: {@code *} matches one word between
 *       dots, and {@code %23}, an encoded hash sign, matches any number of words. {@code all}
 *       matches every event.
 *   <li>{@code ca}, {@code cert} and {@code key} (both, TLS): PEM files with the trusted
 *       authorities, and with the certificate of this side and its private key.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class AmqpTransport implements Transport {
  private static final String PREFETCH = "prefetch";
  private static final String LENGTH = "queue-length";
  private static final String EVENTS = "events";
  private static final String ACCOUNT = "account";

  /** The options that clients cannot use: those of services, and those with a secret. */
  static final Set<String> OF_WORKERS =
      Set.of(PREFETCH, LENGTH, ACCOUNT, "password-file", "cert", "key");

  private static final int DEFAULT_LENGTH = 10_000;

  /** The maximum prefetch of RabbitMQ. */
  private static final int MOST = 65_535;

  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public AmqpTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("amqp", "amqps");
  }

  @Override
  public Set<String> options() {
    return Set.of("vhost", "password-file", PREFETCH, LENGTH, ACCOUNT, EVENTS, "ca", "cert", "key");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    BrokerUri.refuse(endpoint, "services", PREFETCH, LENGTH, ACCOUNT);
    Connector connector = new Connector(endpoint, AmqpAddress.of(endpoint), limits, "client");
    int prefetch = Math.min(limits.runningCalls(), MOST);
    AmqpRequestLink link = new AmqpRequestLink(connector, patterns(endpoint), prefetch);
    RequestChannel channel = new RequestChannel(
        link, new ChannelInfo(endpoint.scheme(), connector.address().name(), "message"), limits);
    link.open();
    return channel;
  }

  private static List<String> patterns(Endpoint endpoint) {
    return Arrays.stream(endpoint.option(EVENTS, "").split(","))
        .filter(name -> !name.isEmpty())
        .map(name -> name.equals("all") ? "#" : name.replace("%23", "#"))
        .toList();
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    BrokerUri.refuse(endpoint, "clients", EVENTS);
    Connector connector = new Connector(endpoint, AmqpAddress.of(endpoint), limits, "worker");
    return new AmqpListening(
            endpoint,
            connector,
            limits,
            acceptor,
            number(endpoint, PREFETCH, limits.runningCalls(), limits.runningCalls()),
            number(endpoint, LENGTH, DEFAULT_LENGTH, Integer.MAX_VALUE),
            hasOwnAccount(endpoint))
        .open();
  }

  private static boolean hasOwnAccount(Endpoint endpoint) {
    String account = endpoint.options().get(ACCOUNT);
    if (account != null && !account.equals("workers")) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' has account=" + account
          + "; give account=workers if only workers of this queue have the account");
    }
    return account != null;
  }

  private static int number(Endpoint endpoint, String option, int otherwise, int most) {
    String text = endpoint.options().get(option);
    if (text == null) {
      return Math.min(otherwise, Math.min(most, option.equals(PREFETCH) ? MOST : most));
    }
    try {
      int number = Integer.parseInt(text);
      if (number > 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // It is refused below.
    }
    throw new IllegalArgumentException("'" + endpoint.shown() + "' has " + option + "=" + text
        + "; give a number from 1 to " + most);
  }
}
