package dev.repartee.contracts.core;

import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The transports of core, which cannot carry headers of single messages. */
class IgnoredHeadersTest {
  abstract static class Ignoring extends HeaderContract {
    @Override
    protected boolean carriesHeaders() {
      return false;
    }
  }

  @Nested
  class Tcp extends Ignoring {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("tcp://127.0.0.1:0");
    }
  }

  @Nested
  class Unix extends Ignoring {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("unix:" + folder.resolve("s.sock"));
    }
  }

  @Nested
  class Memory extends Ignoring {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("mem:*");
    }
  }
}
