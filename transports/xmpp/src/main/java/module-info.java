/** JSON-RPC through XMPP, as service and as client. */
@SuppressWarnings("requires-automatic") // Smack has no descriptors
module dev.repartee.xmpp {
  requires transitive dev.repartee;
  requires dev.repartee.broker;
  requires java.logging;
  requires java.xml;
  requires static transitive org.jspecify;
  requires jxmpp.core;
  requires jxmpp.jid;
  requires smack.core;
  requires smack.tcp;
  requires smack.xmlparser;

  exports dev.repartee.xmpp;

  provides dev.repartee.transport.Transport with
      dev.repartee.xmpp.XmppTransport;
}
