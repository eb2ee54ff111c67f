/**
 * JSON-RPC through XMPP: requests in IQ stanzas, notifications in messages.
 * {@link dev.repartee.xmpp.XmppCaller} identifies the calling account in a handler;
 * {@link dev.repartee.xmpp.XmppTransport} has all options.
 */
@NullMarked
package dev.repartee.xmpp;

import org.jspecify.annotations.NullMarked;
