package dev.repartee.amqp;

import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Each message is authenticated. */
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AmqpAccessTest extends AccessContract {
  private final Rabbit rabbit = Rabbit.shared();

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse(rabbit.uri("test-" + UUID.randomUUID()));
  }
}
