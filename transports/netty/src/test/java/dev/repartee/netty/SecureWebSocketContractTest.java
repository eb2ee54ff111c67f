package dev.repartee.netty;

import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Both sides send the same certificate, and require one. */
class SecureWebSocketContractTest extends ChannelContract {
  private final String options;

  SecureWebSocketContractTest(@TempDir Path folder) throws Exception {
    Certificates certificates = new Certificates(folder);
    options = certificates.named("localhost") + "&ca=" + certificates.ca();
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
