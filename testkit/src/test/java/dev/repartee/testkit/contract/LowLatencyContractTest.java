package dev.repartee.testkit.contract;

import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(strings = {"tcp://127.0.0.1:0", "unix:"})
class LowLatencyContractTest extends ChannelContract {
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
    String path = address.equals("unix:") ? folder.resolve("s.sock").toString() : "";
    return Endpoint.parse(address + path + "#latency=low");
  }
}
