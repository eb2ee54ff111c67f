package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.broker.contract.BrokerFixture;
import dev.repartee.broker.contract.Certificates;
import dev.repartee.broker.server.ProsodyServer;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jxmpp.jid.parts.Resourcepart;

/** XMPP clients, in addition to services and clients of this library. */
abstract class Fixture extends BrokerFixture {
  static final Duration LONG = Duration.ofSeconds(60);

  /**
   * Starts a server, or skips the test if it is not installed.
   *
   * @param config see {@link ProsodyServer#start(String)}
   */
  static ProsodyServer server(String config) throws IOException, InterruptedException {
    String missing = ProsodyServer.missing();
    assumeTrue(missing == null, missing);
    return ProsodyServer.start(config);
  }

  /** Returns the configuration lines of a server that requires TLS. */
  static String tls(Certificates.Identity own) {
    return "ssl = { certificate = '" + own.cert() + "'; key = '" + own.key() + "' }\n"
        + "c2s_require_encryption = true";
  }

  /** Returns the URI of a service or a client that uses TLS. */
  static String secure(String uri, Certificates certificates) {
    return uri.replace("tls=off", "tls=required") + "&ca=" + certificates.ca();
  }

  /** A client that sends and receives raw stanzas. */
  final class Plain implements Session.Receiver, AutoCloseable {
    final BlockingQueue<Element> stanzas = new LinkedBlockingQueue<>();
    private final Session session;

    /**
     * Logs in.
     *
     * @param uri the URI of a service, with its account and resource
     */
    Plain(String uri) throws IOException {
      Endpoint endpoint = Endpoint.parse(uri);
      XmppAddress address = XmppAddress.ofService(endpoint);
      Resourcepart resource = address.service().getResourcepart();
      session =
          new XmppConnector(endpoint, address, Limits.DEFAULT, resource).connect(this, cause -> {});
      closing(this);
      session.begin();
    }

    void send(String xml) throws IOException {
      session.send(xml);
    }

    /** Waits for a stanza of this name. */
    Element next(String name) throws InterruptedException {
      while (true) {
        Element stanza = stanzas.poll(60, TimeUnit.SECONDS);
        assertThat(stanza).describedAs("a stanza '%s'", name).isNotNull();
        if (stanza.name().equals(name)) {
          return stanza;
        }
      }
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void received(Session from, Element stanza) {
      stanzas.add(stanza);
    }

    @Override
    public void ponged(Session from, long ping) {}

    @Override
    public void unhandled(Exception cause) {}

    @Override
    public void close() {
      session.lose(new IOException("the test has ended it"));
    }
  }
}
