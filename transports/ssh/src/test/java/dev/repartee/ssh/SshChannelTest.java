package dev.repartee.ssh;

import dev.repartee.limits.Limits;
import dev.repartee.testkit.contract.ChannelContract;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;

/** Runs the contract of channels between this client and this server. */
class SshChannelTest extends ChannelContract {
  @TempDir
  static Path folder;

  private static Keys keys;

  private static synchronized Keys keys() throws IOException {
    if (keys == null) {
      keys = Keys.in(folder);
    }
    return keys;
  }

  @Override
  protected Transport transport() {
    return new Knowing();
  }

  @Override
  protected Endpoint endpoint() throws IOException {
    return Endpoint.parse(keys().listening());
  }

  /**
   * Adds the key of the server to the known hosts before a client connects, since the port is not
   * known earlier.
   */
  private static final class Knowing implements Transport {
    private final Transport ssh = new SshTransport();

    @Override
    public Set<String> schemes() {
      return ssh.schemes();
    }

    @Override
    public Channel connect(Endpoint endpoint, Limits limits, Headers headers) throws IOException {
      int port = Keys.port(endpoint);
      keys().know(port);
      return ssh.connect(Endpoint.parse(keys().calling(port, "")), limits, headers);
    }

    @Override
    public Listening listen(Endpoint endpoint, Limits limits, Acceptor acceptor)
        throws IOException {
      return ssh.listen(endpoint, limits, acceptor);
    }
  }
}
