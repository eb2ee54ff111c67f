package dev.repartee.netty;

import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** HTTP sends the headers of single messages; a WebSocket cannot. */
class HeadersTest {
  @Nested
  class Http extends HeaderContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("http://127.0.0.1:0/");
    }
  }

  @Nested
  class Https extends HeaderContract {
    private final String options;

    Https(@TempDir Path folder) throws Exception {
      Certificates certificates = new Certificates(folder);
      options = certificates.named("localhost") + "&ca=" + certificates.ca();
    }

    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("https://localhost:0/#" + options);
    }
  }

  @Nested
  class WebSocket extends HeaderContract {
    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("ws://127.0.0.1:0/");
    }

    @Override
    protected boolean carriesHeaders() {
      return false;
    }
  }
}
