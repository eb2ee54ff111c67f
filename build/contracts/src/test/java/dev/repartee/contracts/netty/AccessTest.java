package dev.repartee.contracts.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.netty.Certificates;
import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HTTP requests, WebSocket handshakes and connections of {@code tls:} are authenticated. */
@Timeout(120)
class AccessTest {
  @Nested
  class Http extends AccessContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("http://127.0.0.1:0/");
    }
  }

  @Nested
  class WebSocket extends AccessContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("http://127.0.0.1:0/");
    }

    @Override
    protected Endpoint clientEndpoint(Server server) {
      return Endpoint.parse("ws://127.0.0.1:" + server.port() + "/");
    }

    @Test
    void theConnectionEndsWhenItsPrincipalExpires() throws Exception {
      assertThat(endOfExpired())
          .hasMessageContaining("status 1008")
          .hasMessageContaining("the credentials have expired");
    }
  }

  @Nested
  class Https extends AccessContract {
    private final String options;

    Https(@TempDir Path folder) throws Exception {
      options = Certificates.ofBothSides(folder);
    }

    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("https://localhost:0/#" + options);
    }

    @Test
    void theCertificateIsTheProof() throws Exception {
      assertThat(caller(AccessTest::subject)).startsWith("CN=");
    }
  }

  @Nested
  class Tls extends AccessContract {
    private final String options;

    Tls(@TempDir Path folder) throws Exception {
      options = Certificates.ofBothSides(folder);
    }

    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("tls://localhost:0#" + options);
    }

    @Test
    void theConnectionEndsWhenItsPrincipalExpires() throws Exception {
      assertThat(endOfExpired()).isNull();
    }

    @Test
    void theCertificateIsTheProof() throws Exception {
      assertThat(caller(AccessTest::subject)).startsWith("CN=");
    }
  }

  private static Principal subject(Credentials credentials) {
    String name = credentials.certificates().get(0).getSubjectX500Principal().getName();
    return new Principal(name, Set.of(), Set.of(), "certificate");
  }
}
