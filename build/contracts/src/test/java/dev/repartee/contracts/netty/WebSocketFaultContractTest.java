package dev.repartee.contracts.netty;

import dev.repartee.testkit.contract.FaultContract;
import dev.repartee.transport.Endpoint;

class WebSocketFaultContractTest extends FaultContract {
  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("ws://127.0.0.1:0/");
  }
}
