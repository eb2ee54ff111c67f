package dev.repartee.contracts.netty;

import dev.repartee.netty.Certificates;
import dev.repartee.testkit.contract.FaultContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class TlsFaultContractTest extends FaultContract {
  private final String options;

  TlsFaultContractTest(@TempDir Path folder) throws Exception {
    options = Certificates.ofBothSides(folder);
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("tls://localhost:0#" + options);
  }
}
