package dev.repartee.xmpp;

import dev.repartee.Server;
import dev.repartee.broker.server.ProsodyServer;
import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("ci")
class XmppHeadersTest extends HeaderContract {
  private static ProsodyServer prosody;

  @BeforeAll
  static void start() throws Exception {
    prosody = Fixture.server("");
  }

  @AfterAll
  static void stop() throws Exception {
    if (prosody != null) {
      prosody.close();
    }
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse(prosody.uri("test-" + UUID.randomUUID()));
  }

  @Override
  protected Endpoint clientEndpoint(Server server) {
    return Endpoint.parse(server.endpoint().toString().replace("xmpp:", "xmpp://ann@localhost/"));
  }

  @Override
  protected boolean carriesHeaders() {
    return false;
  }
}
