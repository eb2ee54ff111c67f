package dev.repartee.xmpp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.access.Principal;
import dev.repartee.broker.server.ProsodyServer;
import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each message is authenticated. */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class XmppAccessTest extends AccessContract {
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

  @Test
  void theAddressIsTheProof() throws Exception {
    assertThat(caller(credentials -> {
          XmppCaller caller = credentials.attributes().get(XmppCaller.ATTRIBUTE);
          return new Principal(caller.account(), Set.of(), Set.of(), "xmpp");
        }))
        .isEqualTo("ann@localhost");
  }
}
