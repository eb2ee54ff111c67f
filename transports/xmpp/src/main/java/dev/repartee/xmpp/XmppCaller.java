package dev.repartee.xmpp;

import dev.repartee.transport.Attribute;
import java.security.Principal;

/**
 * The sender of a call through XMPP, as the server of the service has verified it. A handler reads
 * it from the attributes of its call: {@code call.attributes().get(XmppCaller.ATTRIBUTE)}.
 * Immutable.
 *
 * @param account the account: {@code ann@example.org}; only a domain if a server has called @param
 *     resource the resource, which the account chooses for each of its clients; may be empty
 */
public record XmppCaller(String account, String resource) implements Principal {
  /** The attribute of a call that arrived through XMPP. */
  public static final Attribute<XmppCaller> ATTRIBUTE = Attribute.named("XMPP caller");

  /** Returns the account. */
  @Override
  public String getName() {
    return account;
  }
}
