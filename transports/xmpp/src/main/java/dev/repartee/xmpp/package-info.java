/**
 * JSON-RPC through XMPP: requests in IQ stanzas, notifications in messages. {@link
 * dev.repartee.xmpp.XmppCaller} tells a handler which account calls; {@link
 * dev.repartee.xmpp.XmppTransport} has all options.
 */
@NullMarked
package dev.repartee.xmpp;

import org.jspecify.annotations.NullMarked;
