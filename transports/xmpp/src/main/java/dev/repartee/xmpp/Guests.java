package dev.repartee.xmpp;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.jxmpp.jid.BareJid;
import org.jxmpp.jid.EntityBareJid;
import org.jxmpp.jid.Jid;

/**
 * Decides which callers are allowed: the account of the service, and either the contacts that may
 * see its presence, or the accounts and domains in the option {@code allow}. Thread-safe.
 */
final class Guests {
  private final EntityBareJid own;

  /** The listed accounts and domains; null without the option. */
  private final @Nullable List<String> listed;

  /** The contacts, and whether each may see the presence of the service. Guarded by this. */
  private final Map<BareJid, Boolean> contacts = new HashMap<>();

  /**
   * Creates a decision.
   *
   * @param allow the value of the option; null without it
   * @throws IllegalArgumentException if the option has no list of addresses
   */
  Guests(EntityBareJid own, @Nullable String allow) {
    this.own = own;
    this.listed =
        allow == null ? null : Arrays.stream(allow.split(",")).map(Guests::bare).toList();
  }

  private static String bare(String text) {
    if (text.equals("*")) {
      return text;
    }
    Jid jid = XmppAddress.parsed(text);
    if (jid == null || jid.hasResource()) {
      throw new IllegalArgumentException(
          "allow=" + text + " is neither an account nor a domain; write"
              + " allow=ann@example.org,example.net, or allow=* for everyone");
    }
    return jid.asBareJid().toString();
  }

  boolean hasRoster() {
    return listed == null;
  }

  /** Returns whether the service accepts calls from this address. */
  synchronized boolean mayCall(Jid jid) {
    String account = jid.asBareJid().toString();
    return jid.asBareJid().equals(own)
        || (listed == null
            ? contacts.getOrDefault(jid.asBareJid(), false)
            : listed.contains("*")
                || listed.contains(account)
                || listed.contains(jid.getDomain().toString()));
  }

  /**
   * Reads the contacts in a roster.
   *
   * @param isWhole whether these are all
   */
  synchronized void read(Element query, boolean isWhole) {
    if (isWhole) {
      contacts.clear();
    }
    for (Element item : query.children()) {
      Jid jid = XmppAddress.parsed(item.attribute("jid"));
      if (jid != null) {
        String subscription = item.attribute("subscription");
        contacts.put(jid.asBareJid(), subscription.equals("from") || subscription.equals("both"));
      }
    }
  }
}
