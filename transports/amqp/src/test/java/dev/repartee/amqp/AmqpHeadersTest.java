package dev.repartee.amqp;

import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;
import java.util.UUID;

class AmqpHeadersTest extends HeaderContract {
  private final Rabbit rabbit = Rabbit.shared();

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse(rabbit.uri("test-" + UUID.randomUUID()));
  }
}
