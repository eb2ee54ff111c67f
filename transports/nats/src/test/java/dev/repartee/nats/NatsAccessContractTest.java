package dev.repartee.nats;

import dev.repartee.broker.server.NatsServer;
import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Each message is authenticated. */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NatsAccessContractTest extends AccessContract {
  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    nats = Fixture.server("");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse(nats.uri("test-" + UUID.randomUUID()));
  }
}
