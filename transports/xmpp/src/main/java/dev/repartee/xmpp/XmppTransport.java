package dev.repartee.xmpp;

import dev.repartee.broker.BrokerUri;
import dev.repartee.broker.RequestChannel;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Set;

/**
 * The transport of {@code xmpp:} (RFC 5122): requests in IQ stanzas, notifications in messages,
 * each in a JSON container (XEP-0335). A service is {@code xmpp:NAME@DOMAIN/RESOURCE}, with the resource
 * {@code json-rpc} by default; a client that logs in as {@code ann@example.org} calls it at {@code
 * xmpp://ann@example.org/NAME@DOMAIN/RESOURCE}.
 *
 * <p>Options of the URI, after {@code #} and separated by {@code &}:
 *
 * <ul>
 *   <li>{@code password-file} (both): a file with the password; by default the password is in the
 *       environment variable {@code REPARTEE_XMPP_PASSWORD}.
 *   <li>{@code server} (both): the server as {@code HOST:PORT}; by default it is looked up in the
 *       DNS for the domain of the account.
 *   <li>{@code tls} (both): {@code required}, the default, or {@code off} for a server on this
 *       machine.
 *   <li>{@code ca}, {@code cert} and {@code key} (both): PEM files with the trusted authorities,
 *       and with the certificate of this side and its private key, which some servers require.
 *   <li>{@code stanza} (both): the maximum size of a stanza that is sent, in bytes; 262144 by
 *       default.
 *   <li>{@code allow} (service): the accounts and domains that may call, separated by commas,
 *       or {@code *}; by default the contacts that may see the presence of the account. The account
 *       itself may always call.
 *   <li>{@code events} (client): {@code all} to receive the events of the service.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class XmppTransport implements Transport {
  private static final String ALLOW = "allow";
  private static final String EVENTS = "events";

  /** Creates the transport; {@link java.util.ServiceLoader} does so. */
  public XmppTransport() {}

  @Override
  public Set<String> schemes() {
    return Set.of("xmpp");
  }

  @Override
  public Set<String> options() {
    return Set.of(
        XmppConnector.PASSWORD,
        XmppConnector.SERVER,
        XmppConnector.TLS,
        "ca",
        "cert",
        "key",
        XmppConnector.STANZA,
        ALLOW,
        EVENTS);
  }

  @Override
  public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
    BrokerUri.refuse(endpoint, "services", ALLOW);
    String events = endpoint.option(EVENTS, "");
    if (!events.isEmpty() && !events.equals("all")) {
      throw new IllegalArgumentException(
          "'" + endpoint.shown() + "' has events=" + events + "; write events=all");
    }
    XmppAddress address = XmppAddress.ofClient(endpoint);
    XmppRequestLink link = new XmppRequestLink(
        new XmppConnector(endpoint, address, limits, null),
        !events.isEmpty(),
        limits.pingInterval().toNanos());
    RequestChannel channel = new RequestChannel(
        link, new ChannelInfo(endpoint.scheme(), address.service().toString(), "stanza"), limits);
    link.open();
    return channel;
  }

  @Override
  public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor) throws IOException {
    BrokerUri.refuse(endpoint, "clients", EVENTS);
    XmppAddress address = XmppAddress.ofService(endpoint);
    Guests guests = new Guests(address.account(), endpoint.options().get(ALLOW));
    return new XmppListening(
            endpoint,
            new XmppConnector(endpoint, address, limits, address.service().getResourcepart()),
            guests,
            limits,
            acceptor)
        .open();
  }
}
