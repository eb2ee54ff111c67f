package dev.repartee.contracts.core;

import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Transport;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

class UnixContractTest extends ChannelContract {
  private static final AtomicInteger NAMES = new AtomicInteger();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  @Override
  protected Transport transport() {
    return Transport.of(Endpoint.parse("unix:x"));
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse("unix:" + folder.resolve(NAMES.incrementAndGet() + ".sock"));
  }
}
