package dev.repartee.xmpp;

import dev.repartee.transport.Endpoint;
import org.jspecify.annotations.Nullable;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.EntityFullJid;
import org.jxmpp.jid.Jid;
import org.jxmpp.jid.impl.JidCreate;
import org.jxmpp.jid.parts.Resourcepart;
import org.jxmpp.stringprep.XmppStringprepException;

/**
 * The address of an {@code xmpp:} endpoint (RFC 5122): {@code xmpp:SERVICE} for a service, {@code
 * xmpp://ACCOUNT/SERVICE} for a client.
 *
 * @param account the account that logs in
 * @param service the full address of the service
 */
record XmppAddress(EntityBareJid account, EntityFullJid service) {
  /** The default resource of a service. */
  static final String RESOURCE = "json-rpc";

  private static final String FORMS = "a service is xmpp:NAME@DOMAIN/RESOURCE, such as"
      + " xmpp:math@example.org; a client is xmpp://NAME@DOMAIN/SERVICE, such as"
      + " xmpp://ann@example.org/math@example.org";

  /**
   * Parses the address of a service.
   *
   * @throws IllegalArgumentException if it has another form; the message shows the right one
   */
  static XmppAddress ofService(Endpoint endpoint) {
    if (endpoint.address().startsWith("//")) {
      throw malformed(endpoint, "is the address of a client");
    }
    EntityFullJid service = service(endpoint, endpoint.address());
    return new XmppAddress(service.asEntityBareJid(), service);
  }

  /**
   * Parses the address of a client.
   *
   * @throws IllegalArgumentException if it has another form; the message shows the right one
   */
  static XmppAddress ofClient(Endpoint endpoint) {
    String address = endpoint.address();
    int slash = address.indexOf('/', 2);
    if (!address.startsWith("//") || slash < 0) {
      throw malformed(endpoint, "does not name the account of the client and the service");
    }
    String account = address.substring(2, slash);
    int at = account.lastIndexOf('@');
    if (at >= 0 && account.substring(0, at).contains(":")) {
      throw malformed(endpoint, "has a password; set a file with the option password-file instead");
    }
    if (account.indexOf(':', at) >= 0) {
      throw malformed(
          endpoint, "has a port; name another server with the option server=HOST:PORT instead");
    }
    EntityBareJid own = jid(endpoint, account).asEntityBareJidIfPossible();
    if (own == null) {
      throw malformed(endpoint, "names no account");
    }
    return new XmppAddress(own, service(endpoint, address.substring(slash + 1)));
  }

  private static EntityFullJid service(Endpoint endpoint, String text) {
    Jid jid = jid(endpoint, text);
    EntityFullJid full = jid.asEntityFullJidIfPossible();
    if (full != null) {
      return full;
    }
    EntityBareJid bare = jid.asEntityBareJidIfPossible();
    if (bare == null) {
      throw malformed(endpoint, "names no service");
    }
    return JidCreate.entityFullFrom(bare, Resourcepart.fromOrThrowUnchecked(RESOURCE));
  }

  private static Jid jid(Endpoint endpoint, String text) {
    try {
      return JidCreate.from(Endpoint.decoded(text));
    } catch (XmppStringprepException | IllegalArgumentException e) {
      throw malformed(endpoint, "has a part that is not an XMPP address");
    }
  }

  /** Returns the address in a stanza; null if it is missing or malformed. */
  static @Nullable Jid parsed(@Nullable String text) {
    try {
      return text == null ? null : JidCreate.from(text);
    } catch (XmppStringprepException e) {
      return null;
    }
  }

  private static IllegalArgumentException malformed(Endpoint endpoint, String what) {
    return new IllegalArgumentException("'" + endpoint.shown() + "' " + what + "; " + FORMS);
  }
}
