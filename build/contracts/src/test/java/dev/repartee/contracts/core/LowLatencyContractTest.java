package dev.repartee.contracts.core;

import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = {"tcp://127.0.0.1:0", "unix:"})
class LowLatencyContractTest extends ChannelContract {
  private static final AtomicInteger NAMES = new AtomicInteger();

  @Parameter
  @SuppressWarnings("NullAway.Init")
  String address;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Override
  protected Transport transport() {
    return Transport.of(endpoint());
  }

  @Override
  protected Endpoint endpoint() {
    Path path = folder.resolve(NAMES.incrementAndGet() + ".sock");
    return Endpoint.parse(address + (address.equals("unix:") ? path : "") + "#latency=low");
  }
}
