package dev.repartee.contracts.netty;

import dev.repartee.testkit.contract.FaultContract;
import dev.repartee.transport.Endpoint;

class HttpFaultContractTest extends FaultContract {
  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("http://127.0.0.1:0/");
  }

  @Override
  protected boolean isDuplex() {
    return false;
  }
}
