package dev.repartee.amqp;

import dev.repartee.broker.contract.BrokerContract;
import org.junit.jupiter.api.Tag;

/** The contract of brokers, with RabbitMQ. */
@Tag("ci")
class AmqpContractTest extends BrokerContract {
  private final Rabbit rabbit = Rabbit.shared();

  @Override
  protected String uri(String service) {
    return rabbit.uri(service);
  }

  @Override
  protected String one(String uri) {
    return uri + "#prefetch=1";
  }

  @Override
  protected String subscriber(String service) {
    return rabbit.uri(service) + "#events=all";
  }
}
