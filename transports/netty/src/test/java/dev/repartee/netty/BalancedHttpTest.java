package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallFuture;
import dev.repartee.HttpException;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.balance.BalanceListener;
import dev.repartee.balance.Balanced;
import dev.repartee.internal.HeldPort;
import dev.repartee.json.Json;
import dev.repartee.reconnect.Backoff;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer of several endpoints over HTTP, which has no lasting connection. */
@Timeout(120)
class BalancedHttpTest {
  private static final Backoff QUICK =
      Backoff.DEFAULT.initial(Duration.ofMillis(1)).max(Duration.ofMillis(5));

  private final BlockingQueue<String> available = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> unavailable = new LinkedBlockingQueue<>();

  /** Whether the server of {@link #answerOrClose} closes, and how many calls it has refused. */
  private volatile boolean closing;

  private final AtomicInteger refusedCalls = new AtomicInteger();

  private Balanced to(String... uris) {
    return Balanced.to(List.of(uris)).health(Duration.ZERO).listener(new BalanceListener() {
      @Override
      public void available(String endpoint) {
        available.add(endpoint);
      }

      @Override
      public void unavailable(String endpoint, Throwable cause) {
        unavailable.add(endpoint);
      }
    });
  }

  private void awaitAvailable(int endpoints) throws InterruptedException {
    for (int i = 0; i < endpoints; i++) {
      assertThat(available.poll(60, TimeUnit.SECONDS)).isNotNull();
    }
  }

  private static Server server(String name) throws IOException {
    return Repartee.listen(
        "http://127.0.0.1:0/", Service.builder().method("name", call -> name).build());
  }

  @Test
  void aCallThatDoesNotReachItsServerGoesToAnother() throws Exception {
    try (Server gone = server("gone");
        Server server = server("server");
        Peer peer = to(gone.endpoint().toString(), server.endpoint().toString()).connect()) {
      awaitAvailable(2);
      gone.close(Duration.ZERO);
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
      assertThatThrownBy(() -> peer.call("name", String.class))
          .isInstanceOfSatisfying(
              DisconnectedException.class, end -> assertThat(end.unsent()).isNotNull())
          .hasMessageContaining("127.0.0.1:" + one.port())
          .hasMessageContaining("127.0.0.1:" + two.port());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"503 Busy", "408 Request Timeout"})
  void aServerThatIsUnavailableHasNotHandledTheCall(String status) throws Exception {
    callBeside(status + "\r\nRepartee-Unsent: 1");
  }

  /** Expects that a server answers all calls while another one refuses them with this status. */
  private void callBeside(String refusal) throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Server server = server("server");
        Peer peer = to(
                "http://127.0.0.1:" + socket.getLocalPort() + "/",
                server.endpoint().toString())
            .connect()) {
      refuse(socket, refusal);
      awaitAvailable(2);
      for (int i = 0; i < 20; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("server");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"503 Busy", "408 Request Timeout"})
  void aCallThatAProxyHasAnsweredMayHaveBeenHandled(String status) throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Peer peer = to("http://127.0.0.1:" + socket.getLocalPort() + "/").connect()) {
      refuse(socket, status);
      assertThatThrownBy(() -> peer.call("name", String.class))
          .isInstanceOfSatisfying(
              HttpException.class, failure -> assertThat(failure.unsent()).isNull());
    }
  }

  @Test
  void onlyFailuresInARowEjectAnEndpoint() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread server = new Thread(() -> answerOrClose(socket));
      server.setDaemon(true);
      server.start();
      try (Peer peer = to("http://127.0.0.1:" + socket.getLocalPort() + "/")
          .health(Duration.ofHours(1))
          .connect()) {
        for (int i = 0; i < 10; i++) {
          assertThatThrownBy(() -> peer.call("lose", String.class))
              .isInstanceOf(DisconnectedException.class);
          assertThat(peer.call("name", String.class)).isEqualTo("server");
        }
      }
    }
  }

  @Test
  void aPingPassesTheCallsThatWaitForAConnection() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    Service service = Service.builder()
        .method("slow", call -> {
          goOn.await();
          return "slow";
        })
        .method("check", call -> "here")
        .build();
    try (Server server = Repartee.listen("http://127.0.0.1:0/", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      List<CallFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        calls.add(peer.callAsync("slow", String.class));
      }
      CallFuture<Json> ping = peer.flow().ping("check", Duration.ofSeconds(60));
      assertThat(ping.get(60, TimeUnit.SECONDS)).hasToString("\"here\"");
      assertThat(calls).noneMatch(CallFuture::isDone);
      goOn.countDown();
      for (CallFuture<String> call : calls) {
        assertThat(call.get(60, TimeUnit.SECONDS)).isEqualTo("slow");
      }
    } finally {
      goOn.countDown();
    }
  }

  @Test
  void theStatusOfAServerThatNoLongerListensIsReported() throws Exception {
    ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    try (Peer peer = to("http://127.0.0.1:" + socket.getLocalPort() + "/").connect()) {
      CallFuture<String> slow = peer.callAsync("slow", String.class);
      try (Socket connection = socket.accept()) {
        assertThat(connection.getInputStream().read(new byte[10_000])).isPositive();
        socket.close();
        assertThatThrownBy(() -> peer.call("name", String.class))
            .isInstanceOf(DisconnectedException.class);
        connection
            .getOutputStream()
            .write("HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n".getBytes(US_ASCII));
        assertThatThrownBy(slow::await).isInstanceOf(HttpException.class);
      }
    }
  }

  @Test
  void anEndpointThatClosesGetsNoCallUntilItAnswersAPing() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Server other = server("other")) {
      Thread server = new Thread(() -> answerOrClose(socket));
      server.setDaemon(true);
      server.start();
      String uri = "http://127.0.0.1:" + socket.getLocalPort() + "/";
      try (Peer peer = to(uri, other.endpoint().toString())
          .health(Duration.ofHours(1))
          .backoff(QUICK)
          .connect()) {
        awaitAvailable(2);
        closing = true;
        for (int i = 0; i < 20; i++) {
          assertThat(peer.call("name", String.class)).isEqualTo("other");
        }
        assertThat(unavailable.poll(20, TimeUnit.SECONDS)).isEqualTo(uri);
        assertThat(refusedCalls).hasValue(1);
        closing = false;
        awaitAvailable(1);
      }
    }
  }

  @Test
  void anEndpointStaysAvailableWhenARequestDoesNotComeInTime() throws Exception {
    callBeside(
        "408 Request Timeout\r\nRepartee-Unsent: 1\r\nContent-Type: text/plain; charset=utf-8");
    assertThat(unavailable).isEmpty();
  }

  @Test
  void theOnlyEndpointStaysAvailableWhenOneOfTheServersBehindItCloses() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Peer peer = to("http://127.0.0.1:" + socket.getLocalPort() + "/").connect()) {
      refuse(socket, "408 Request Timeout\r\nRepartee-Unsent: 1");
      awaitAvailable(1);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> peer.call("name", String.class))
            .isInstanceOfSatisfying(
                HttpException.class, failure -> assertThat(failure.unsent()).isNotNull());
      }
      assertThat(unavailable).isEmpty();
    }
  }

  /**
   * Answers calls, and ends the connection of a call of {@code lose}. While {@link #closing} is set,
   * refuses all calls.
   */
  private void answerOrClose(ServerSocket server) {
    Pattern id = Pattern.compile("\"id\":(\\d+)");
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        StringBuilder request = new StringBuilder();
        for (int next = 0; next >= 0 && next != '}'; request.append((char) next)) {
          next = socket.getInputStream().read();
        }
        Matcher call = id.matcher(request);
        if (closing) {
          refusedCalls.addAndGet(request.indexOf("\"name\"") < 0 ? 0 : 1);
          socket
              .getOutputStream()
              .write(("HTTP/1.1 408 Request Timeout\r\nRepartee-Unsent: 1\r\n"
                      + "Content-Length: 0\r\nConnection: close\r\n\r\n")
                  .getBytes(US_ASCII));
        } else if (call.find() && request.indexOf("\"lose\"") < 0) {
          String answer =
              "{\"jsonrpc\":\"2.0\",\"id\":" + call.group(1) + ",\"result\":\"server\"}";
          socket
              .getOutputStream()
              .write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                      + answer.length() + "\r\nConnection: close\r\n\r\n" + answer)
                  .getBytes(US_ASCII));
        }
      } catch (IOException e) {
        // The client or the test has ended.
      }
    }
  }

  @Test
  void aStatusThatAnotherServerWouldAnswerWithIsFinal() throws Exception {
    try (ServerSocket one = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ServerSocket two = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Peer peer = to(
                "http://127.0.0.1:" + one.getLocalPort() + "/",
                "http://127.0.0.1:" + two.getLocalPort() + "/")
            .idempotent("name")
            .connect()) {
      refuse(one, "401 Unauthorized");
      refuse(two, "401 Unauthorized");
      awaitAvailable(2);
      assertThatThrownBy(() -> peer.call("name", String.class))
          .isInstanceOfSatisfying(
              HttpException.class, failure -> assertThat(failure.status()).isEqualTo(401));
    }
  }

  private static void refuse(ServerSocket socket, String status) {
    Thread busy = new Thread(() -> serve(socket, status));
    busy.setDaemon(true);
    busy.start();
  }

  private static void serve(ServerSocket server, String status) {
    while (true) {
      try (Socket socket = server.accept()) {
        byte[] request = new byte[10_000];
        if (socket.getInputStream().read(request) > 0) {
          socket
              .getOutputStream()
              .write(("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                  .getBytes(US_ASCII));
        }
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void aRollingRestartLosesNoCallAndRunsNoneTwice(String scheme) throws Exception {
    ConcurrentHashMap<String, Integer> runs = new ConcurrentHashMap<>();
    Service service = Service.builder()
        .method("once", String[].class, String.class, (params, call) -> {
          runs.merge(params[0], 1, Integer::sum);
          return params[0];
        })
        .build();
    Server[] servers = new Server[2];
    String[] uris = new String[2];
    HeldPort[] ports = {new HeldPort(), new HeldPort()};
    for (int i = 0; i < 2; i++) {
      uris[i] = scheme + "://127.0.0.1:" + ports[i].number() + "/";
      servers[i] = Repartee.listen(uris[i], service);
    }
    AtomicInteger made = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    try (Peer peer = to(uris).health(Duration.ofHours(1)).backoff(QUICK).connect()) {
      awaitAvailable(2);
      List<CompletableFuture<Void>> callers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int caller = i;
        callers.add(CompletableFuture.runAsync(
            () -> {
              for (int n = 0; end.getCount() > 0; n++) {
                String id = caller + "/" + n;
                assertThat(peer.call("once", String.class, id)).isEqualTo(id);
                made.incrementAndGet();
              }
            },
            task -> new Thread(task).start()));
      }
      for (int i = 0; i < 20; i++) {
        servers[i % 2].close();
        // Otherwise the peer may not notice the restart, and nothing becomes available.
        assertThat(unavailable.poll(60, TimeUnit.SECONDS)).isNotNull();
        int before = made.get();
        while (made.get() < before + 50 && callers.stream().noneMatch(CompletableFuture::isDone)) {
          Thread.onSpinWait();
        }
        servers[i % 2] = Repartee.listen(uris[i % 2], service);
        awaitAvailable(1);
      }
      end.countDown();
      for (CompletableFuture<Void> caller : callers) {
        caller.get(60, TimeUnit.SECONDS);
      }
      assertThat(runs).hasSize(made.get());
      assertThat(runs.values()).containsOnly(1);
    } finally {
      close(servers, ports);
    }
  }

  @Test
  void aServerThatNoLongerListensStillAnswersTheCallsThatItHas() throws Exception {
    CompletableFuture<Integer> place = new CompletableFuture<>();
    CountDownLatch goOn = new CountDownLatch(1);
    HeldPort[] ports = new HeldPort[2];
    Server[] servers = new Server[2];
    for (int i = 0; i < 2; i++) {
      int number = i;
      ports[i] = new HeldPort();
      servers[i] = Repartee.listen(
          "http://127.0.0.1:" + ports[i].number() + "/",
          Service.builder()
              .method("slow", call -> {
                place.complete(number);
                goOn.await();
                return "slow";
              })
              .method("place", call -> number)
              .build());
    }
    try (Peer peer = to(servers[0].endpoint().toString(), servers[1].endpoint().toString())
        .health(Duration.ofHours(1)) // no ping brings it back
        .backoff(QUICK)
        .connect()) {
      awaitAvailable(2);
      CallFuture<String> slow = peer.callAsync("slow", String.class);
      int busy = place.get(60, TimeUnit.SECONDS);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(
          () -> servers[busy].close(Duration.ofSeconds(60)), task -> new Thread(task).start());
      int elsewhere = 0; // the calls go to both servers in turn until one of them closes
      while (elsewhere < 10) {
        elsewhere = peer.call("place", int.class) == busy ? 0 : elsewhere + 1;
      }
      for (int i = 0; i < 100; i++) {
        assertThat(peer.call("place", int.class)).isEqualTo(1 - busy);
      }
      assertThat(slow).isNotDone();
      Service restarted = Service.builder().method("place", call -> 2).build();
      try (Server again = listenWhenFree(servers[busy].endpoint().toString(), restarted)) {
        while (peer.call("place", int.class) != 2) { // it returns while the call still runs
          Thread.onSpinWait();
        }
        assertThat(slow).isNotDone();
        assertThat(again.port()).isEqualTo(servers[busy].port());
      }
      goOn.countDown();
      assertThat(slow.get(60, TimeUnit.SECONDS)).isEqualTo("slow");
      closing.get(60, TimeUnit.SECONDS);
    } finally {
      close(servers, ports);
    }
  }

  private static void close(Server[] servers, HeldPort[] ports) throws IOException {
    for (int i = 0; i < servers.length; i++) {
      servers[i].close();
      ports[i].close();
    }
  }

  /** The port of a closing server is free shortly after its clients have learned of the close. */
  private static Server listenWhenFree(String uri, Service service) {
    while (true) {
      try {
        return Repartee.listen(uri, service);
      } catch (IOException e) {
        Thread.onSpinWait();
      }
    }
  }
}
