package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.balance.BalanceListener;
import dev.repartee.balance.Balanced;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer of several endpoints over HTTP, which has no lasting connection. */
@Timeout(60)
class BalancedHttpTest {
  private final BlockingQueue<String> available = new LinkedBlockingQueue<>();

  private Balanced to(String... uris) {
    return Balanced.to(List.of(uris)).health(Duration.ZERO).listener(new BalanceListener() {
      @Override
      public void available(String endpoint) {
        available.add(endpoint);
      }
    });
  }

  private void awaitAvailable(int endpoints) throws InterruptedException {
    for (int i = 0; i < endpoints; i++) {
      assertThat(available.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
  }

  private static Server server(String name) throws IOException {
    return Repartee.listen(
        "http://127.0.0.1:0/", Service.builder().method("name", call -> name).build());
  }

  /** Makes calls until no connection is used that was open when a server closed. */
  private static void callAgain(Peer peer) {
    for (int i = 0; i < 4; i++) {
      try {
        peer.request("name").idempotent().call(String.class);
      } catch (DisconnectedException e) {
        // All servers are closed.
      }
    }
  }

  @Test
  void aCallThatDoesNotReachItsServerGoesToAnother() throws Exception {
    try (Server gone = server("gone");
        Server server = server("server");
        Peer peer = to(gone.endpoint().toString(), server.endpoint().toString()).connect()) {
      awaitAvailable(2);
      gone.close(Duration.ZERO);
      callAgain(peer);
      for (int i = 0; i < 20; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("server");
      }
    }
  }

  @Test
  void oneErrorNamesTheServersIfNoneIsReached() throws Exception {
    try (Server one = server("one");
        Server two = server("two");
        Peer peer = to(one.endpoint().toString(), two.endpoint().toString()).connect()) {
      awaitAvailable(2);
      one.close(Duration.ZERO);
      two.close(Duration.ZERO);
      callAgain(peer);
      assertThatThrownBy(() -> peer.call("name", String.class))
          .isInstanceOfSatisfying(
              DisconnectedException.class, end -> assertThat(end.unsent()).isNotNull())
          .hasMessageContaining("127.0.0.1:" + one.port())
          .hasMessageContaining("127.0.0.1:" + two.port());
    }
  }

  @Test
  void aServerThatIsUnavailableHasNotHandledTheCall() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Server server = server("server");
        Peer peer = to(
                "http://127.0.0.1:" + socket.getLocalPort() + "/",
                server.endpoint().toString())
            .connect()) {
      Thread busy = new Thread(() -> refuse(socket));
      busy.setDaemon(true);
      busy.start();
      awaitAvailable(2);
      for (int i = 0; i < 20; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("server");
      }
    }
  }

  private static void refuse(ServerSocket server) {
    while (true) {
      try (Socket socket = server.accept()) {
        byte[] request = new byte[10_000];
        if (socket.getInputStream().read(request) > 0) {
          socket
              .getOutputStream()
              .write("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                  .getBytes(US_ASCII));
        }
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }

  @Test
  void idempotentCallsSurviveTheRestartOfEitherServer() throws Exception {
    Server[] servers = {server("0"), server("1")};
    String[] uris = {servers[0].endpoint().toString(), servers[1].endpoint().toString()};
    try (Peer peer = to(uris).idempotent("name").connect()) {
      awaitAvailable(2);
      for (int i = 0; i < 6; i++) {
        int restarted = i % 2;
        servers[restarted].close();
        for (int n = 0; n < 20; n++) {
          assertThat(peer.call("name", String.class)).isEqualTo(String.valueOf(1 - restarted));
        }
        servers[restarted] = Repartee.listen(
            uris[restarted],
            Service.builder().method("name", call -> String.valueOf(restarted)).build());
      }
    } finally {
      servers[0].close();
      servers[1].close();
    }
  }
}
