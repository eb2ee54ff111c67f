package dev.repartee.contracts.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A connection is authenticated before its first message is read. */
@Timeout(120)
class AccessTest {
  @Nested
  class Tcp extends AccessContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("tcp://127.0.0.1:0");
    }

    @Test
    void theConnectionEndsWhenItsPrincipalExpires() throws Exception {
      assertThat(endOfExpired()).isNull();
    }
  }

  @Nested
  class LowLatency extends AccessContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("tcp://127.0.0.1:0#latency=low");
    }
  }

  @Nested
  class Unix extends AccessContract {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("unix:" + folder.resolve("s.sock"));
    }
  }

  @Nested
  class Memory extends AccessContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("mem:*");
    }
  }
}
