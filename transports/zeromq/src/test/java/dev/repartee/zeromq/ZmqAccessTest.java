package dev.repartee.zeromq;

import dev.repartee.broker.server.Ports;
import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import org.junit.jupiter.api.Timeout;

/** Each message is authenticated. */
@Timeout(120)
class ZmqAccessTest extends AccessContract {
  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("zmq+tcp://127.0.0.1:" + Ports.free());
  }
}
