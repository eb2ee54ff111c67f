package dev.repartee.balance;

import static dev.repartee.Outcomes.failure;
import static dev.repartee.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.ClockOptions;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RawPeer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.RawServer;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The health of endpoints, endpoints that stall, and the end of the peer. */
@Timeout(60)
class HealthTest {
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final FakeClock clock = new FakeClock();
  private final Changes events = new Changes();

  private Balanced to(String... uris) {
    return Balanced.to(List.of(uris))
        .options(ClockOptions.builder(clock).build())
        .clock(clock)
        .health(INTERVAL)
        .ejectAfter(2)
        .backoff(Backoff.DEFAULT.initial(Duration.ofMillis(1)).max(Duration.ofMillis(5)))
        .listener(events);
  }

  /** Reads the first messages of a new connection, and answers the ping. */
  private static void welcome(RawPeer connection) throws IOException {
    assertThat(connection.read()).hasToString("""
        {"jsonrpc":"2.0","method":"rpc.closing","params":{"announce":true}}\
        """);
    connection.serve("rpc.ping", "\"pong\"");
  }

  /** Returns the next message, a call of a method, after the cancellations of failed pings. */
  private static Json read(RawPeer connection, String method) throws IOException {
    Json next = connection.read();
    while (RawPeer.method(next).equals("rpc.cancel")) {
      next = connection.read();
    }
    assertThat(RawPeer.method(next)).isEqualTo(method);
    return next;
  }

  /** Answers a ping, and waits until the peer has read the answer. */
  private static void pong(RawPeer connection) throws IOException {
    connection.serve("rpc.ping", "\"pong\"");
    connection.send("""
        {"jsonrpc":"2.0","id":1,"method":"rpc.ping"}\
        """);
    assertThat(connection.read().get("result")).hasToString("\"pong\"");
  }

  @Test
  void anEndpointThatDoesNotAnswerPingsIsEjectedAndReturnsWithItsNextAnswer() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer = to(one.uri(), two.uri()).connectInBackground();
        RawPeer stalled = one.accept();
        RawPeer healthy = two.accept()) {
      welcome(stalled);
      welcome(healthy);
      events.awaitAvailable(2);
      List<Json> pings = new ArrayList<>();
      for (int i = 0; i < 3; i++) { // each ping fails when the next one is due
        assertThat(events.all).isEmpty();
        clock.advance(INTERVAL);
        pings.add(read(stalled, "rpc.ping"));
        pong(healthy);
      }
      assertThat(events.next())
          .startsWith("unavailable " + one.uri() + ": no answer to 'rpc.ping' within 5 s");
      for (int i = 0; i < 4; i++) {
        CallFuture<Integer> call = peer.callAsync("name", Integer.class);
        healthy.serve("name", "2");
        assertThat(get(call)).isEqualTo(2);
      }
      stalled.answer(pings.get(2), "\"pong\"");
      events.awaitAvailable(1);
      List<CallFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        calls.add(peer.callAsync("name", Integer.class));
      }
      stalled.answer(read(stalled, "name"), "1");
      healthy.serve("name", "2");
      assertThat(List.of(get(calls.get(0)), get(calls.get(1)))).containsExactlyInAnyOrder(1, 2);
    }
  }

  @Test
  void theListenerGetsTheChangesOfAnEndpointOneAfterTheOther() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    BalanceListener slow = new BalanceListener() {
      @Override
      public void available(String endpoint) {
        entered.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
        events.available(endpoint);
      }

      @Override
      public void unavailable(String endpoint, Throwable cause) {
        events.unavailable(endpoint, cause);
      }
    };
    try (RawServer one = new RawServer();
        Peer peer = to(one.uri()).listener(slow).connectInBackground();
        RawPeer stalled = one.accept()) {
      welcome(stalled);
      entered.await();
      for (int i = 0; i < 3; i++) {
        clock.advance(INTERVAL); // two of three pings have failed
      }
      assertThat(peer.isOpen()).isTrue();
      released.countDown();
      assertThat(events.next()).startsWith("available ");
      assertThat(events.next()).startsWith("unavailable ");
    }
  }

  @Test
  void anEndpointThatStaysSilentGetsANewConnection() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer = to(one.uri(), two.uri()).connectInBackground();
        RawPeer healthy = two.accept()) {
      List<CallFuture<Integer>> reads = new ArrayList<>();
      try (RawPeer stalled = one.accept()) {
        welcome(stalled);
        welcome(healthy);
        events.awaitAvailable(2);
        for (int i = 0; i < 2; i++) {
          reads.add(peer.request("read").idempotent().send(Integer.class));
        }
        assertThat(stalled.readMethod()).isEqualTo("read");
        healthy.serve("read", "1");
        for (int i = 0; i < 4; i++) {
          clock.advance(INTERVAL);
          pong(healthy);
        }
        assertThat(events.next()).startsWith("unavailable " + one.uri());
        clock.advance(INTERVAL); // of five pings four have failed
        for (int i = 0; i < 2; i++) { // the last ping, and the call of the stalled one
          healthy.answer(healthy.read(), "1");
        }
        for (CallFuture<Integer> read : reads) {
          assertThat(get(read)).isEqualTo(1);
        }
      }
      try (RawPeer next = one.accept()) {
        welcome(next);
        events.awaitAvailable(1);
      }
    }
  }

  @Test
  void endpointsThatAcceptConnectionsAndNeverAnswerDelayNoCall() throws Exception {
    List<RawServer> silent = new ArrayList<>();
    Service service = Service.builder().method("name", call -> "healthy").build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service)) {
      List<String> uris = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        silent.add(new RawServer());
        uris.add(silent.get(i).uri());
      }
      uris.add(server.endpoint().toString());
      try (Peer peer = to(uris.toArray(new String[0])).connect()) {
        assertThat(events.next()).isEqualTo("available " + server.endpoint());
        for (int i = 0; i < 100; i++) {
          assertThat(peer.call("name", String.class)).isEqualTo("healthy");
        }
        for (int i = 0; i < 3; i++) {
          clock.advance(INTERVAL);
          assertThat(peer.call("name", String.class)).isEqualTo("healthy");
        }
        assertThat(events.all).noneMatch(event -> event.startsWith("available"));
      }
    } finally {
      for (RawServer each : silent) {
        each.close();
      }
    }
  }

  @Test
  void anEndpointThatAnswersOtherCallsIsNotEjected() throws Exception {
    try (RawServer one = new RawServer();
        Peer peer = to(one.uri()).connectInBackground();
        RawPeer busy = one.accept()) {
      welcome(busy);
      events.awaitAvailable(1);
      for (int i = 0; i < 6; i++) {
        clock.advance(INTERVAL);
        read(busy, "rpc.ping");
        CallFuture<Integer> call = peer.callAsync("name", Integer.class);
        busy.answer(read(busy, "name"), "1");
        assertThat(get(call)).isEqualTo(1);
      }
      assertThat(events.all).isEmpty();
    }
  }

  @Test
  void aPingIsSentAlthoughAsManyCallsArePendingAsTheLimitAllows() throws Exception {
    Options few =
        ClockOptions.builder(clock).limits(limits -> limits.pendingCalls(1)).build();
    try (RawServer one = new RawServer();
        Peer peer = to(one.uri()).options(few).connectInBackground();
        RawPeer busy = one.accept()) {
      welcome(busy);
      events.awaitAvailable(1);
      CallFuture<Integer> slow = peer.callAsync("slow", Integer.class);
      assertThat(busy.readMethod()).isEqualTo("slow");
      for (int i = 0; i < 6; i++) {
        clock.advance(INTERVAL);
        pong(busy);
      }
      assertThat(events.all).isEmpty();
      assertThat(slow).isNotDone();
    }
  }

  @Test
  void anEndpointThatClosesIsConnectedAgainWhileItAnswersItsCalls() throws Exception {
    try (RawServer one = new RawServer();
        Peer peer = to(one.uri()).connectInBackground();
        RawPeer closing = one.accept()) {
      welcome(closing);
      events.awaitAvailable(1);
      CallFuture<Integer> slow = peer.callAsync("slow", Integer.class);
      Json request = closing.read();
      closing.send("""
          {"jsonrpc":"2.0","method":"rpc.closing"}\
          """);
      assertThat(events.next()).startsWith("unavailable " + one.uri());
      CallFuture<Integer> quick = peer.callAsync("quick", Integer.class);
      try (RawPeer next = one.accept()) {
        welcome(next);
        next.serve("quick", "1");
        assertThat(get(quick)).isEqualTo(1);
        assertThat(slow).isNotDone();
        closing.answer(request, "2");
        assertThat(get(slow)).isEqualTo(2);
      }
    }
  }

  @Test
  void aServerThatDoesNotKnowPingsIsHealthy() throws Exception {
    Service service = Service.builder().method("name", call -> "bare").build();
    Options bare = Options.builder().builtins().build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, bare);
        Peer peer = to(server.endpoint().toString()).options(Options.DEFAULT).connect()) {
      events.awaitAvailable(1);
      clock.advance(Duration.ofMinutes(1));
      assertThat(peer.call("name", String.class)).isEqualTo("bare");
      assertThat(events.all).isEmpty();
    }
  }

  @Test
  void aServerThatClosesAlreadyAnnouncesThatWhenAsked() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Void> running = new CompletableFuture<>();
    Service service = Service.builder()
        .method("slow", call -> {
          running.complete(null);
          goOn.await();
          return 1;
        })
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service);
        RawPeer late = new RawPeer(server)) {
      late.send("""
          {"jsonrpc":"2.0","id":1,"method":"slow"}\
          """);
      get(running);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(
          () -> server.close(Duration.ofSeconds(20)), task -> new Thread(task).start());
      late.send("""
          {"jsonrpc":"2.0","id":2,"method":"rpc.ping"}\
          """);
      while (late.read().get("result") != null) { // until the close has begun
        late.send("""
            {"jsonrpc":"2.0","id":2,"method":"rpc.ping"}\
            """);
      }
      late.send("""
          {"jsonrpc":"2.0","method":"rpc.closing","params":{"announce":true}}\
          """);
      late.send("""
          {"jsonrpc":"2.0","id":3,"method":"rpc.ping"}\
          """);
      assertThat(late.readMethod()).isEqualTo("rpc.closing");
      assertThat(late.read().get("error")).as("the answer to the ping").isNotNull();
      goOn.countDown();
      get(closing);
    }
  }

  @Test
  void anEndpointThatClosesBeforeItsFirstCallIsNotAvailable() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).connectInBackground()) {
      assertThat(peer.isOpen()).isTrue();
      try (RawPeer connection = raw.accept()) {
        assertThat(connection.readMethod()).isEqualTo("rpc.closing");
        Json ping = connection.read();
        connection.send("""
            {"jsonrpc":"2.0","method":"rpc.closing"}\
            """);
        connection.answer(ping, "\"pong\"");
        assertThat(connection.isOver()).isTrue();
      }
      assertThat(events.next())
          .startsWith("unavailable " + raw.uri())
          .endsWith("127.0.0.1:" + raw.port() + " is closing");
      clock.advance(Duration.ofMillis(10));
      try (RawPeer connection = raw.accept()) {
        welcome(connection);
        events.awaitAvailable(1);
      }
    }
  }

  @Test
  void aServerThatDoesNotReadDoesNotDelayCallsToTheOther() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.outboundBytes(100_000)).build();
    String large = "x".repeat(1 << 20);
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer =
            to(one.uri(), two.uri()).health(Duration.ZERO).options(small).connect();
        RawPeer stalled = one.accept();
        RawPeer quick = two.accept()) {
      events.awaitAvailable(2);
      CompletableFuture.runAsync(
          () -> {
            try {
              while (true) {
                quick.answer(quick.read(), "2");
              }
            } catch (IOException e) {
              // The peer was closed.
            }
          },
          task -> new Thread(task).start());
      for (int i = 0; i < 100; i++) { // much more than the buffers of the system hold
        peer.callAsync("fill", Integer.class, large);
      }
      for (int i = 0; i < 100; i++) {
        assertThat(get(peer.callAsync("name", Integer.class))).isEqualTo(2);
      }
      assertThat(stalled.readMethod()).isEqualTo("fill");
    }
  }

  @Test
  void callsOfALostEndpointWaitUntilAnotherReads() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.outboundBytes(100_000)).build();
    String large = "x".repeat(1 << 20);
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer =
            to(one.uri(), two.uri()).health(Duration.ZERO).options(small).connect();
        RawPeer lost = one.accept();
        RawPeer full = two.accept()) {
      events.awaitAvailable(2);
      Threads.start("reader", () -> {
        try {
          while (true) {
            lost.read();
          }
        } catch (IOException e) {
          // The test has closed it.
        }
      });
      List<CallFuture<Integer>> calls = new ArrayList<>();
      for (int i = 0; i < 60; i++) { // much more than the buffers of the system hold
        calls.add(peer.request("fill").args(large).idempotent().send(Integer.class));
      }
      one.stop();
      lost.socket().close();
      assertThat(events.next()).startsWith("unavailable " + one.uri());
      for (int i = 0; i < calls.size(); i++) {
        full.answer(full.read(), "2");
      }
      for (CallFuture<Integer> call : calls) {
        assertThat(get(call)).isEqualTo(2);
      }
    }
  }

  @Test
  void closingWhileEndpointsConnectEndsAll() throws Exception {
    try (RawServer stalled = new RawServer()) {
      Peer peer = to(stalled.uri()).connectInBackground();
      try (RawPeer connection = stalled.accept()) {
        assertThat(connection.readMethod()).isEqualTo("rpc.closing");
        assertThat(connection.readMethod()).isEqualTo("rpc.ping");
        CallFuture<Integer> waits = peer.callAsync("price", Integer.class);
        peer.close();
        assertThat(connection.isOver()).isTrue();
        assertThat(failure(waits))
            .isInstanceOf(DisconnectedException.class)
            .hasMessageContaining("was closed by this side");
        assertThat(peer.closed().toCompletableFuture()).isCompleted();
      }
    }
    assertThat(events.all).isEmpty();
    assertThat(clock.timers()).isZero();
  }

  @Test
  void closingEndsTheConnections() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer()) {
      Peer peer = to(one.uri(), two.uri()).health(Duration.ZERO).connect();
      events.awaitAvailable(2);
      try (RawPeer first = one.accept();
          RawPeer second = two.accept()) {
        CallFuture<Integer> pending = peer.callAsync("price", Integer.class);
        assertThat(first.readMethod()).isEqualTo("price");
        peer.close();
        assertThat(failure(pending)).isInstanceOf(DisconnectedException.class);
        assertThat(first.isOver()).isTrue();
        assertThat(second.isOver()).isTrue();
      }
    }
    assertThat(events.all).isEmpty();
  }
}
