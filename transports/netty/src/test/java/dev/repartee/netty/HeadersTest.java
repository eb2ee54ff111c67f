package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTP sends the headers of single messages; a WebSocket sends headers in its handshake. */
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
      options = Certificates.ofBothSides(folder);
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

    @Override
    protected String handshakeToken() {
      return "t1";
    }
  }

  @Test
  void eachHandshakeAsksTheSupplier() throws Exception {
    AtomicInteger tokens = new AtomicInteger();
    Options options = Options.builder()
        .header("token", "of the endpoint")
        .headers(() -> Map.of("Token", "t" + tokens.incrementAndGet()))
        .build();
    Service service =
        Service.builder().method("token", call -> call.header("token")).build();
    try (Server server = Repartee.listen("ws://127.0.0.1:0/", service)) {
      for (String token : List.of("t1", "t2")) {
        try (Peer peer = Repartee.connect(server.endpoint(), options)) {
          assertThat(peer.call("token", String.class)).isEqualTo(token);
          assertThat(peer.call("token", String.class)).isEqualTo(token);
        }
      }
    }
  }

  @Test
  void aSupplierThatFailsPreventsTheHandshake() throws Exception {
    Options options = Options.builder()
        .headers(() -> {
          throw new UnsupportedOperationException("no token");
        })
        .build();
    try (Server server = Repartee.listen("ws://127.0.0.1:0/", Service.NONE)) {
      assertThatThrownBy(() -> Repartee.connect(server.endpoint(), options))
          .isInstanceOf(IllegalStateException.class)
          .hasRootCauseMessage("no token");
    }
  }
}
