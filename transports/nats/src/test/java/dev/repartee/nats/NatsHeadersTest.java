package dev.repartee.nats;

import dev.repartee.broker.server.NatsServer;
import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("ci")
class NatsHeadersTest {
  private static NatsServer nats;

  @BeforeAll
  static void start() throws Exception {
    nats = Fixture.server("jetstream: { store_dir: \"FOLDER/streams\" }\n");
  }

  @AfterAll
  static void stop() throws Exception {
    if (nats != null) {
      nats.close();
    }
  }

  private static String unused() {
    return "test-" + UUID.randomUUID();
  }

  @Nested
  class Direct extends HeaderContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse(nats.uri(unused()));
    }
  }

  /** Notifications and idempotent calls pass through a stream. */
  @Nested
  class Stored extends HeaderContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse(nats.uri(unused()) + "#stream=" + unused());
    }
  }
}
