package dev.repartee.testkit.contract;

import dev.repartee.limits.Limits;
import dev.repartee.testkit.fault.Fault;
import dev.repartee.testkit.fault.FaultChannel;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** A {@link FaultChannel} without a fault fulfils the contract of a channel. */
class FaultChannelContractTest extends ChannelContract {
  private static final AtomicInteger NAMES = new AtomicInteger();

  private final Transport memory = Transport.of(Endpoint.parse("mem:x"));

  @Override
  protected Transport transport() {
    return new Transport() {
      @Override
      public Set<String> schemes() {
        return memory.schemes();
      }

      @Override
      public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
        return FaultChannel.on(memory.connect(endpoint, limits, headers), Fault.NONE);
      }

      @Override
      public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor)
          throws IOException {
        return memory.listen(
            endpoint, limits, channel -> acceptor.accept(FaultChannel.on(channel, Fault.NONE)));
      }
    };
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("mem:faults-" + NAMES.incrementAndGet());
  }
}
