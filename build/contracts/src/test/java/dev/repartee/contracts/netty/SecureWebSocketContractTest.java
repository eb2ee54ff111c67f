package dev.repartee.contracts.netty;

import dev.repartee.netty.Certificates;
import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** Both sides send the same certificate, and require one. */
@Tag("any-jdk") // its two parts, TLS and WebSocket, are tested on each JDK
class SecureWebSocketContractTest extends ChannelContract {
  private final String options;

  SecureWebSocketContractTest(@TempDir Path folder) throws Exception {
    options = Certificates.ofBothSides(folder);
  }

  @Override
  protected Transport transport() {
    return Transport.of(endpoint());
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("wss://localhost:0/#" + options);
  }
}
