package dev.repartee.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.testkit.contract.AccessContract;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A servlet authenticates each HTTP request and each WebSocket handshake. */
@Timeout(120)
class AccessTest {
  private abstract static class InContainer extends AccessContract {
    abstract Container.Kind kind();

    @Override
    protected Endpoint endpoint() {
      return Endpoint.parse("ws://127.0.0.1:0/");
    }

    @Override
    protected Server listen(Service service, Options options) throws IOException {
      return Server.listen(new ContainerTransport(kind()), endpoint(), service, options);
    }
  }

  private abstract static class OverHttp extends InContainer {
    @Override
    protected Endpoint clientEndpoint(Server server) {
      return Endpoint.parse(server.endpoint().toString().replace("ws:", "http:"));
    }
  }

  private abstract static class OverSocket extends InContainer {
    @Test
    void theConnectionEndsWhenItsPrincipalExpires() throws Exception {
      assertThat(endOfExpired())
          .hasMessageContaining("status 1008")
          .hasMessageContaining("the credentials have expired");
    }
  }

  @Nested
  class TomcatHttp extends OverHttp {
    @Override
    Container.Kind kind() {
      return Container.Kind.TOMCAT;
    }
  }

  @Nested
  class TomcatSocket extends OverSocket {
    @Override
    Container.Kind kind() {
      return Container.Kind.TOMCAT;
    }
  }

  @Nested
  class JettyHttp extends OverHttp {
    @Override
    Container.Kind kind() {
      return Container.Kind.JETTY;
    }
  }

  @Nested
  class JettySocket extends OverSocket {
    @Override
    Container.Kind kind() {
      return Container.Kind.JETTY;
    }
  }
}
