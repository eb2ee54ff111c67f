package dev.repartee.contracts.netty;

import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;

class WebSocketContractTest extends ChannelContract {
  @Override
  protected Transport transport() {
    return Transport.of(endpoint());
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("ws://127.0.0.1:0/");
  }
}
