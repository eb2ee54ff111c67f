package dev.repartee.contracts.core;

import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.util.concurrent.atomic.AtomicInteger;

class MemoryContractTest extends ChannelContract {
  private static final AtomicInteger NAMES = new AtomicInteger();

  @Override
  protected Transport transport() {
    return Transport.of(Endpoint.parse("mem:x"));
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("mem:contract-" + NAMES.incrementAndGet());
  }
}
