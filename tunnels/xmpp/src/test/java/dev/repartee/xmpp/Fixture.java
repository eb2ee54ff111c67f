package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.contract.BrokerContract.Methods;
import dev.repartee.broker.contract.Certificates;
import dev.repartee.broker.server.ProsodyServer;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.jxmpp.jid.parts.Resourcepart;

/** Services and clients that are closed after each test, and their reports. */
abstract class Fixture {
  static final Duration LONG = Duration.ofSeconds(60);

  /** The reports of the services and clients to their operators. */
  final BlockingQueue<String> reports = new LinkedBlockingQueue<>();

  final Methods methods = new Methods("a");

  private final List<AutoCloseable> resources = new ArrayList<>();

  /**
   * Starts a server, or skips the test where it is not installed.
   *
   * @param config see {@link ProsodyServer#start(String)}
   */
  static ProsodyServer server(String config) throws IOException, InterruptedException {
    String missing = ProsodyServer.missing();
    assumeTrue(missing == null, missing);
    return ProsodyServer.start(config);
  }

  /** Returns the lines of the configuration of a server that demands TLS. */
  static String tls(Certificates.Identity own) {
    return "ssl = { certificate = '" + own.cert() + "'; key = '" + own.key() + "' }\n"
        + "c2s_require_encryption = true";
  }

  /** Returns the URI of a service or a client that uses TLS. */
  static String secure(String uri, Certificates certificates) {
    return uri.replace("tls=off", "tls=required") + "&ca=" + certificates.ca();
  }

  <T extends AutoCloseable> T closing(T resource) {
    resources.add(resource);
    return resource;
  }

  Server serve(String uri, Object service) throws IOException {
    Server server = Repartee.listen(uri, Service.of(service), options(Limits.DEFAULT));
    closing(() -> server.close(Duration.ZERO));
    return server;
  }

  Options options(Limits limits) {
    return Options.builder()
        .limits(limits)
        .listener(new Listener() {
          @Override
          public void violation(ChannelInfo channel, String violation) {
            reports.add(violation);
          }
        })
        .build();
  }

  Peer client(String uri) throws IOException {
    return client(uri, Limits.DEFAULT);
  }

  Peer client(String uri, Limits limits) throws IOException {
    return closing(Repartee.connect(uri, Service.NONE, options(limits)));
  }

  /** Waits for a report that contains a text. */
  String report(String text) throws InterruptedException {
    while (true) {
      String report = reports.poll(60, TimeUnit.SECONDS);
      assertThat(report).describedAs("a report with '%s'", text).isNotNull();
      if (report.contains(text)) {
        return report;
      }
    }
  }

  /** Waits until a method reports itself. */
  void seen(String what) throws InterruptedException {
    assertThat(methods.seen.poll(60, TimeUnit.SECONDS)).isEqualTo(what);
  }

  /** A client that sends and receives stanzas as they are. */
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

  @AfterEach
  void release() throws Exception {
    methods.open.countDown();
    for (int i = resources.size() - 1; i >= 0; i--) {
      resources.get(i).close();
    }
  }
}
