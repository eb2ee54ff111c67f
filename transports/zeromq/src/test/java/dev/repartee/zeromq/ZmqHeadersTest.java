package dev.repartee.zeromq;

import dev.repartee.broker.server.Ports;
import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;

class ZmqHeadersTest extends HeaderContract {
  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("zmq+tcp://127.0.0.1:" + Ports.free());
  }

  @Override
  protected boolean carriesHeaders() {
    return false;
  }
}
