package dev.repartee.nats;

import dev.repartee.broker.contract.BrokerContract;
import dev.repartee.broker.server.NatsServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract of brokers, with a NATS server. */
@Tag("ci")
class NatsContractTest extends BrokerContract {
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
  protected String uri(String service) {
    return nats.uri(service);
  }

  @Override
  protected String one(String uri) {
    return uri;
  }

  @Override
  protected boolean holdsMessagesBack() {
    return false;
  }

  @Override
  protected String subscriber(String service) {
    return nats.uri(service) + "#events=all";
  }
}
