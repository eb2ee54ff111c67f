package dev.repartee.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.access.Principal;
import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each channel of an SSH server is authenticated, in addition to the key of its client. */
@Timeout(120)
class SshAccessTest extends AccessContract {
  private final Keys keys;

  SshAccessTest(@TempDir Path folder) throws IOException {
    keys = Keys.in(folder);
  }

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse(keys.listening());
  }

  @Override
  protected Endpoint clientEndpoint(Server server) {
    try {
      keys.know(server.port());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Endpoint.parse(keys.calling(server.port(), ""));
  }

  @Test
  void theKeyIsTheProof() throws Exception {
    assertThat(caller(credentials -> {
          SshKey key = credentials.attributes().get(SshKey.ATTRIBUTE);
          return new Principal(key.fingerprint(), Set.of(), Set.of(), "ssh");
        }))
        .startsWith("SHA256:");
  }
}
