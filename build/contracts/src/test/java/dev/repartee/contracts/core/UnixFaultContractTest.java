package dev.repartee.contracts.core;

import dev.repartee.testkit.contract.FaultContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class UnixFaultContractTest extends FaultContract {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("unix:" + folder.resolve("s.sock"));
  }

  @Override
  protected boolean hasResets() {
    return false;
  }
}
