package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.HttpException;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.HeldPort;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Peers over WebSocket and HTTP that reconnect. */
@Timeout(120)
class ReconnectingTest {
  private final Service service =
      Service.builder().method("name", call -> "server").build();
  private final AtomicInteger handshakes = new AtomicInteger();

  private Peer connect(String uri) throws IOException {
    return Reconnecting.to(uri)
        .onConnected(connection -> handshakes.incrementAndGet())
        .idempotent("name")
        .listener(ReconnectListener.NONE)
        .connect();
  }

  @Test
  void aPeerOverWebSocketConnectsAgain() throws Exception {
    connectsAgain("ws://127.0.0.1:PORT/");
  }

  @Test
  void aPeerOverTlsConnectsAgain(@TempDir Path folder) throws Exception {
    connectsAgain("tls://localhost:PORT#" + Certificates.ofBothSides(folder));
  }

  private void connectsAgain(String listening) throws IOException {
    HeldPort port = new HeldPort();
    String uri = listening.replace("PORT", "" + port.number());
    Server server = Repartee.listen(uri, service);
    try (port;
        Peer peer = connect(uri)) {
      for (int i = 1; i <= 3; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("server");
        assertThat(handshakes).hasValue(i);
        server.close();
        server = Repartee.listen(uri, service);
      }
    } finally {
      server.close();
    }
  }

  @Test
  void aPeerOverHttpRecoversByItselfAndSendsNoCallAgain() throws Exception {
    HeldPort port = new HeldPort();
    String uri = "http://127.0.0.1:" + port.number() + "/";
    Server server = Repartee.listen(uri, service);
    try (port;
        Peer peer = connect(uri)) {
      for (int i = 0; i < 3; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("server");
        server.close();
        assertThatThrownBy(() -> peer.call("name", String.class)) // it may meet the farewell, a 408
            .isInstanceOfAny(DisconnectedException.class, HttpException.class);
        assertThat(peer.isOpen()).isTrue();
        server = Repartee.listen(uri, service);
      }
      assertThat(handshakes).hasValue(1);
    } finally {
      server.close();
    }
  }
}
