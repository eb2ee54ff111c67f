package dev.repartee.nats;

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
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The transport of {@code nats://USER:PASSWORD@HOST:PORT/SUBJECT}, and under TLS of
 * {@code nats+tls:}: requests through a NATS server. Several services that listen on the same
 * subject are its workers; each message goes to one of them. The host is 127.0.0.1 by default, the
 * port 4222; a cluster has several, separated by commas. A token replaces {@code USER:PASSWORD}.
 *
 * <p>Options of the URI, after {@code #} and separated by {@code &}:
 *
 * <ul>
 *   <li>{@code password-file}, {@code token-file} (both): a file with the password of the user in
 *       the URI, or with a token.
 *   <li>{@code creds} (both): a credentials file, with the token and the key of a user.
 *   <li>{@code nkey} (both): a file with the seed of a user's key.
 *   <li>{@code group} (service): the queue group of the workers, {@code q} by default.
 *   <li>{@code micro} (service): the name of the service for the tools of NATS; by default the
 *       subject with an underscore instead of each dot. {@code off} hides the service.
 *   <li>{@code version} (service): the version of the service for these tools, {@code 0.0.0} by
 *       default.
 *   <li>{@code inbox} (client): the prefix of the reply subjects, {@code _INBOX} by default.
 *   <li>{@code events} (client): the events to receive: names of notifications, separated by
 *       commas; {@code *} matches one word between dots. {@code all} matches every event.
 *   <li>{@code stream} (both): the stream of JetStream that stores notifications and idempotent
 *       requests until a worker has handled them. A worker creates it if it does not exist.
 *   <li>{@code prefetch} (service): the maximum number of stored requests that the worker runs at
 *       the same time, 16 by default and at most 256.
 *   <li>{@code ca}, {@code cert} and {@code key} (both, TLS): PEM files with the trusted
 *       authorities, and with the certificate of this side and its private key.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class NatsTransport implements Transport {
  private static final String GROUP = "group";
  private static final String MICRO = "micro";
  private static final String VERSION = "version";
  private static final String INBOX = "inbox";
  private static final String EVENTS = "events";
  private static final String STREAM = "stream";
  private static final String PREFETCH = "prefetch";

  /** The options that clients cannot use: those of services, and those with a secret. */
  static final Set<String> OF_WORKERS = Set.of(
      GROUP,
      MICRO,
      VERSION,
      Credentials.PASSWORD,
      Credentials.TOKEN,
      Credentials.CREDS,
      Credentials.NKEY,
      "cert",
      "key");

  /** The queue group of the NATS service API. */
  private static final String DEFAULT_GROUP = "q";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+");
  private static final Pattern MOST = Pattern.compile("[1-9][0-9]{0,8}");
  private static final Pattern NUMBERS =
      Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?");
  private static final Pattern TOKENS = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*");

  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public NatsTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("nats", NatsAddress.SECURE);
  }

  @Override
  public Set<String> options() {
    return Set.of(
        Credentials.PASSWORD,
        Credentials.TOKEN,
        Credentials.CREDS,
        Credentials.NKEY,
        GROUP,
        MICRO,
        VERSION,
        INBOX,
        EVENTS,
        STREAM,
        PREFETCH,
        "ca",
        "cert",
        "key");
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    BrokerUri.refuse(endpoint, "services", GROUP, MICRO, VERSION, PREFETCH);
    NatsConnector connector =
        new NatsConnector(endpoint, NatsAddress.of(endpoint), limits, "client");
    // The random part is secret: a user that knows it can send false answers.
    String inbox = text(endpoint, INBOX, "_INBOX", TOKENS) + "." + UUID.randomUUID() + ".";
    NatsRequestLink link = new NatsRequestLink(
        connector, patterns(endpoint), inbox, limits.queuedMessages(), stream(endpoint));
    RequestChannel channel = new RequestChannel(
        link, new ChannelInfo(endpoint.scheme(), connector.address().name(), "message"), limits);
    link.open();
    return channel;
  }

  private static List<String> patterns(Endpoint endpoint) {
    return Arrays.stream(endpoint.option(EVENTS, "").split(","))
        .filter(name -> !name.isEmpty())
        .map(name -> name.equals("all") ? ">" : name)
        .toList();
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    BrokerUri.refuse(endpoint, "clients", EVENTS, INBOX);
    NatsAddress address = NatsAddress.of(endpoint);
    return new NatsListening(
            endpoint,
            new NatsConnector(endpoint, address, limits, "worker"),
            limits,
            acceptor,
            text(endpoint, GROUP, DEFAULT_GROUP, TOKENS),
            service(endpoint, address),
            stores(endpoint))
        .open();
  }

  private static NatsListening.@Nullable Service service(Endpoint endpoint, NatsAddress address) {
    String name = text(endpoint, MICRO, Discovery.nameOf(address.subject()), NAME);
    String version = text(endpoint, VERSION, "0.0.0", NUMBERS);
    return name.equals("off") ? null : new NatsListening.Service(name, version);
  }

  private static NatsListening.@Nullable Stores stores(Endpoint endpoint) {
    String stream = stream(endpoint);
    if (stream == null) {
      if (endpoint.options().containsKey(PREFETCH)) {
        throw new IllegalArgumentException("'" + endpoint.shown() + "' has the option " + PREFETCH
            + ", which has no effect without the option " + STREAM + "; leave it out");
      }
      return null;
    }
    String most = text(endpoint, PREFETCH, String.valueOf(RequestStream.DEFAULT_MOST), MOST);
    int number = Integer.parseInt(most);
    if (number > RequestStream.HIGHEST_MOST) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' has " + PREFETCH + "=" + most
          + "; the most is " + RequestStream.HIGHEST_MOST);
    }
    return new NatsListening.Stores(stream, number);
  }

  private static @Nullable String stream(Endpoint endpoint) {
    return endpoint.options().containsKey(STREAM) ? text(endpoint, STREAM, "MATH", NAME) : null;
  }

  private static String text(Endpoint endpoint, String option, String otherwise, Pattern form) {
    String text = endpoint.option(option, otherwise);
    if (!form.matcher(text).matches()) {
      throw new IllegalArgumentException("'" + endpoint.shown() + "' has " + option + "=" + text
          + "; write it like " + option + "=" + otherwise);
    }
    return text;
  }
}
