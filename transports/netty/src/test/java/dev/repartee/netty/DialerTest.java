package dev.repartee.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Endpoint;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DialerTest {
  private static final String ANSWER = """
      {"jsonrpc":"2.0","result":19,"id":1}""";

  private final EventLoop loop = EventLoops.shared().group().next();

  private static Dialer dialer(int port, Duration time) throws IOException {
    Limits limits = Limits.builder().connectTimeout(time).build();
    return Dialer.of(Endpoint.parse("http://name.example:" + port + "/"), limits);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void connectingOnAThreadThatReadsFailsAtOnceAndOpensNothing(String scheme) throws Exception {
    CountDownLatch ready = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(connection -> {
          connection.request();
          ScriptedServer.await(ready);
          connection.send(ScriptedServer.json(ANSWER));
          connection.awaitEnd();
        });
        Peer peer = Repartee.connect(server.uri())) {
      String uri = server.uri().replace("http", scheme);
      CompletableFuture<Peer> inCallback = peer.callAsync("m", int.class).thenApply(result -> {
        try {
          return Repartee.connect(uri);
        } catch (IOException e) {
          throw new java.io.UncheckedIOException(e);
        }
      });
      ready.countDown();
      assertThatThrownBy(() -> inCallback.get(30, TimeUnit.SECONDS))
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasMessageContaining("on a thread that reads");
      assertThat(server.connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"https", "ws", "wss"})
  void connectingCanBeInterruptedAndLeavesNothingOpen(String scheme) throws Exception {
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> outcome = new CompletableFuture<>();
      Thread waiting = new Thread(() -> {
        try {
          Repartee.connect(scheme + "://127.0.0.1:" + mute.getLocalPort() + "/").close();
          outcome.complete("connected");
        } catch (IOException e) {
          outcome.complete(Thread.currentThread().isInterrupted() + " " + e.getMessage());
        }
      });
      waiting.start();
      try (Socket socket = mute.accept()) {
        socket.setSoTimeout(30_000);
        assertThat(socket.getInputStream().read()).isPositive();
        waiting.interrupt();
        assertThat(outcome.get(30, TimeUnit.SECONDS))
            .startsWith("true ")
            .endsWith("the waiting thread was interrupted");
        socket.getInputStream().readAllBytes(); // returns when the connection ends
      }
    }
  }

  @Test
  void theAddressesOfANameAreTriedInTurn() throws Exception {
    try (ServerSocket here = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
      Dialer dialer = dialer(here.getLocalPort(), Duration.ofSeconds(20));
      InetAddress[] addresses = {
        InetAddress.getByName("127.0.0.9"), InetAddress.getByName("127.0.0.1")
      };
      Future<Channel> dialled = dialer.dial(loop, CompletableFuture.completedFuture(addresses));
      dialer.await(dialled, dialled).close();
      here.accept().close();
    }
  }

  @Test
  void aLookupThatDoesNotEndBlocksNothingElse() throws Exception {
    Dialer dialer = dialer(80, Duration.ofMillis(100));
    Future<Channel> dialled = dialer.dial(loop, new CompletableFuture<>());
    assertThat(loop.submit(() -> "free").get(30, TimeUnit.SECONDS)).isEqualTo("free");
    assertThatThrownBy(() -> dialer.await(dialled, dialled))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot connect to http://name.example:80/: no answer within 100 ms");
    dialled.await(30, TimeUnit.SECONDS);
    assertThat(dialled.isDone()).isTrue();
  }

  @Test
  void anUnknownHostNameIsReported() {
    assertThatThrownBy(() -> HostNames.resolve("none.invalid").get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(UnknownHostException.class)
        .hasMessageContaining("no address is known for the host 'none.invalid'");
  }

  @Test
  void addressesNeedNoLookup() throws Exception {
    assertThat(HostNames.resolve("::1").getNow(null)).hasSize(1);
    assertThat(HostNames.resolve("127.0.0.1").getNow(null)).hasSize(1);
    assertThat(HostNames.resolve("localhost").get(30, TimeUnit.SECONDS)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://user:s3cret@127.0.0.1:1/",
        "ws://s3cret@127.0.0.1:1/",
        "http://127.0.0.1:1/?t=s3cret",
        "ws://127.0.0.1:1/a?t=s3cret",
        "http://127.0.0.1:1/?t=s3cret#ca=x"
      })
  void noErrorShowsWhatMayBeSecretInAUri(String uri) {
    assertThatThrownBy(() -> Repartee.connect(uri))
        .hasMessageContaining("127.0.0.1:1/")
        .hasMessageContaining("...")
        .message()
        .doesNotContain("s3cret");
  }
}
