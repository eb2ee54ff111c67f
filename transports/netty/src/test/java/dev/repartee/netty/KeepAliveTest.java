package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.limits.ClockLimits;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.RawConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that connections to dead peers end, and that connections to silent ones do not. */
@Timeout(60)
class KeepAliveTest {
  private static final Duration OFTEN = Duration.ofMillis(100);

  /** A peer may answer within 12 seconds: a busy machine stops its thread for less time. */
  private static final Duration SELDOM = Duration.ofSeconds(6);

  /** A little more than half of {@link #OFTEN}: a longer pause would count as a suspension. */
  private static final Duration HALF = Duration.ofMillis(51);

  /** A connected socket in /proc/net/tcp: both addresses, and the timer. */
  private static final Pattern SOCKET = Pattern.compile(
      ": ([0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4}) 01 [0-9A-F:]+ ([0-9A-F]+:[0-9A-F]+) ");

  private static final byte[] PING = RawConnection.frame(0x89, new byte[0]);
  private static final byte[] PONG = RawConnection.frame(0x8A, new byte[0]);

  private final FakeClock clock = new FakeClock();
  private final BlockingQueue<Throwable> ended = new LinkedBlockingQueue<>();

  private Options options(Limits limits) {
    return Options.builder()
        .limits(limits)
        .listener(new Listener() {
          @Override
          public void disconnected(Peer peer, @Nullable Throwable cause) {
            ended.add(cause == null ? new IOException("in order") : cause);
          }
        })
        .build();
  }

  private Options onClock() {
    return options(ClockLimits.builder(clock).pingInterval(OFTEN).build());
  }

  private void passHalf() {
    clock.advance(HALF);
    clock.awaitCheck();
  }

  private Options pinging(Duration interval) {
    return options(Limits.builder().pingInterval(interval).build());
  }

  @Test
  void aServerEndsAWebSocketThatAnswersNoPing() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE, pinging(OFTEN));
        RawConnection raw = new RawConnection(server)) {
      raw.upgrade();
      assertThat(raw.message()).isEqualTo("<9>");
      assertThat(ended.take())
          .hasMessageContaining("not even the answer to a ping")
          .hasMessageContaining("twice 100 ms, the limit pingInterval");
    }
  }

  @Test
  void aWebSocketThatAnswersItsPingsStaysOpen() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE, onClock());
        RawConnection raw = new RawConnection(server)) {
      raw.upgrade();
      for (int i = 0; i < 4; i++) { // twice the time limit for a silent peer
        passHalf();
        passHalf();
        assertThat(raw.message()).isEqualTo("<9>");
        raw.send(PONG);
      }
      raw.send(RawConnection.frame(0x81, """
          {"jsonrpc":"2.0","method":"rpc.ping","id":1}""".getBytes(UTF_8)));
      assertThat(raw.message()).contains("pong");
      assertThat(ended).isEmpty();
    }
  }

  @Test
  void aClientNoticesThatTheNetworkToItsServerIsDead() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE);
        HalfDead network = new HalfDead(server);
        Peer peer = Repartee.connect(network.uri(), onClock())) {
      assertThat(peer.call("rpc.ping", String.class)).isEqualTo("pong");
      clock.awaitCheck(); // of the answer: the silence begins
      network.die();
      passHalf();
      passHalf();
      passHalf();
      clock.advance(HALF); // no check follows the one that ends the connection
      assertThat(ended.take()).hasMessageContaining("pingInterval");
      assertThat(peer.isOpen()).isFalse();
    }
  }

  @Test
  @Tag("ci")
  void twoQuietPeersStayConnected() throws Exception {
    Options unheard =
        Options.builder().limits(limits -> limits.pingInterval(SELDOM)).build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE, pinging(SELDOM));
        Server other = Repartee.listen("http://127.0.0.1:0/", Service.NONE, unheard);
        Peer peer =
            Repartee.connect(server.endpoint().toString().replace("http", "ws"), pinging(SELDOM))) {
      try (RawConnection silent = new RawConnection(other)) {
        silent.upgrade().rest(); // until a silent peer is disconnected
      }
      assertThat(peer.call("rpc.ping", String.class)).isEqualTo("pong");
      assertThat(ended).isEmpty();
    }
  }

  @Test
  void pingsDoNotKeepAnIdleConnectionOpen() throws Exception {
    Limits limits = Limits.builder().idleTimeout(Duration.ofMillis(400)).build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE, options(limits));
        RawConnection raw = EarlyBytes.upgrade(server)) {
      boolean open = true;
      while (open) {
        try {
          raw.send(PONG).send(PING);
          open = raw.message().equals("<10>");
        } catch (SocketException e) {
          open = false; // a ping crossed the end of the connection
        }
      }
      assertThat(ended.take()).hasMessageContaining("idleTimeout");
    }
  }

  @Test
  void withoutAnIntervalNoPingIsSent() throws Exception {
    Limits none = Limits.builder()
        .pingInterval(Duration.ZERO)
        .idleTimeout(Duration.ofMillis(300))
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", Service.NONE, options(none));
        RawConnection raw = EarlyBytes.upgrade(server)) {
      assertThat(raw.message()).isEqualTo("<end>");
    }
  }

  /** Reads the timers of the sockets of this machine: 02 is the timer of keep-alive. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "http", "ws"})
  @EnabledOnOs(OS.LINUX)
  void theSystemProbesSilentConnectionsAfterAMinute(String scheme) throws Exception {
    String listening = scheme.equals("tcp") ? "tcp://127.0.0.1:0" : "http://127.0.0.1:0/";
    try (Server server = Repartee.listen(listening, Service.NONE);
        Peer peer = Repartee.connect(
            server.endpoint().toString().replace("http", scheme.equals("ws") ? "ws" : "http"))) {
      assertThat(peer.call("rpc.ping", String.class)).isEqualTo("pong");
      int port = Integer.parseInt(server.endpoint().address().replaceAll("[^:]*:([0-9]+).*", "$1"));
      String hex = String.format(Locale.ROOT, ":%04X ", port);
      List<String> timers = timers(hex);
      while (timers.size() < 2 || timers.stream().anyMatch(timer -> timer.startsWith("01:"))) {
        assertThat(Thread.interrupted()).as("%s", timers).isFalse(); // by the time-out of the test
        timers = timers(hex); // an acknowledgement has not arrived yet
      }
      assertThat(timers).hasSize(2).allSatisfy(timer -> {
        assertThat(timer).startsWith("02:");
        assertThat(Long.parseLong(timer.substring(3), 16)).isLessThanOrEqualTo(60 * 100);
      });
    }
  }

  /**
   * The system may list a socket twice, or leave one out, if other sockets are opened or closed
   * meanwhile.
   */
  private static List<String> timers(String port) {
    Map<String, String> timers = new HashMap<>();
    Stream.of("/proc/net/tcp", "/proc/net/tcp6")
        .flatMap(KeepAliveTest::lines)
        .map(SOCKET::matcher)
        .filter(socket -> socket.find() && (socket.group(1) + " ").contains(port))
        .forEach(socket -> timers.put(socket.group(1), socket.group(2)));
    return List.copyOf(timers.values());
  }

  private static Stream<String> lines(String file) {
    try {
      return Files.readAllLines(Path.of(file)).stream();
    } catch (IOException e) {
      return Stream.empty(); // a system without IPv6
    }
  }

  /** A network that passes bytes on until it dies; its connections stay open. */
  private static final class HalfDead implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<List<Socket>> sockets = new CompletableFuture<>();
    private volatile boolean dead;

    HalfDead(Server server) throws IOException {
      int port = server.port();
      Thread accepting = new Thread(() -> {
        try {
          Socket client = door.accept();
          Socket other = new Socket(InetAddress.getLoopbackAddress(), port);
          sockets.complete(List.of(client, other));
          new Thread(() -> pass(client, other)).start();
          pass(other, client);
        } catch (IOException e) {
          sockets.completeExceptionally(e);
        }
      });
      accepting.setDaemon(true);
      accepting.start();
    }

    private void pass(Socket from, Socket to) {
      byte[] some = new byte[8 << 10];
      try {
        for (int n = from.getInputStream().read(some);
            n >= 0;
            n = from.getInputStream().read(some)) {
          if (!dead) {
            to.getOutputStream().write(some, 0, n);
          }
        }
      } catch (IOException e) {
        dead = true;
      }
    }

    String uri() {
      return "ws://127.0.0.1:" + door.getLocalPort() + "/";
    }

    void die() {
      dead = true;
    }

    @Override
    public void close() throws IOException {
      for (Socket socket : sockets.orTimeout(60, TimeUnit.SECONDS).join()) {
        socket.close();
      }
      door.close();
    }
  }
}
