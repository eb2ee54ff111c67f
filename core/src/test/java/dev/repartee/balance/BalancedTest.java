package dev.repartee.balance;

import static dev.repartee.Outcomes.failure;
import static dev.repartee.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RawPeer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.internal.FakeClock;
import dev.repartee.internal.HeldPort;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.RawServer;
import dev.repartee.stream.RemoteStream;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BalancedTest {
  private static final Backoff QUICK =
      Backoff.DEFAULT.initial(Duration.ofMillis(1)).max(Duration.ofMillis(5));
  private static final Backoff NEVER =
      Backoff.DEFAULT.initial(Duration.ofHours(1)).max(Duration.ofHours(1));

  private final FakeClock clock = new FakeClock();
  private final Changes events = new Changes();

  /** A peer of the endpoints, without pings. */
  private Balanced to(List<String> uris) {
    return Balanced.to(uris).clock(clock).health(Duration.ZERO).backoff(NEVER).listener(events);
  }

  private static Service named(String name) {
    return Service.builder()
        .method("name", call -> name)
        .method("echo", String[].class, String.class, (params, call) -> name)
        .build();
  }

  private static Server server(String name) throws IOException {
    return Repartee.listen("tcp://127.0.0.1:0", named(name));
  }

  private static String uri(Server server) {
    return server.endpoint().toString();
  }

  // ---------------------------------------------------------------- policies

  @Test
  void endpointsAreCalledInTurn() throws Exception {
    try (Server one = server("one");
        Server two = server("two");
        Server three = server("three");
        Peer peer = to(List.of(uri(one), uri(two), uri(three))).connect()) {
      events.awaitAvailable(3);
      Map<String, Integer> calls = new HashMap<>();
      for (int i = 0; i < 30; i++) {
        calls.merge(peer.call("name", String.class), 1, Integer::sum);
      }
      assertThat(calls).isEqualTo(Map.of("one", 10, "two", 10, "three", 10));
    }
  }

  @Test
  void aStalledEndpointGetsOneCall() throws Exception {
    try (RawServer stalled = new RawServer();
        Server quick = server("quick");
        Peer peer =
            to(List.of(stalled.uri(), uri(quick))).policy(Policy.LEAST_PENDING).connect();
        RawPeer silent = stalled.accept()) {
      events.awaitAvailable(2);
      CallFuture<String> first = peer.callAsync("name", String.class);
      assertThat(silent.readMethod()).isEqualTo("name");
      for (int i = 0; i < 100; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("quick");
      }
      assertThat(first).isNotDone();
    }
  }

  @Test
  void anEndpointWithTooManyPendingCallsFailsNoCallThatAnotherCanAnswer() throws Exception {
    Options options = Options.builder().limits(limits -> limits.pendingCalls(2)).build();
    try (RawServer stalled = new RawServer();
        Server quick = server("quick");
        Peer peer = to(List.of(stalled.uri(), uri(quick))).options(options).connect();
        RawPeer silent = stalled.accept()) {
      events.awaitAvailable(2);
      for (int i = 0; i < 2; i++) {
        peer.callAsync("name", String.class);
        assertThat(silent.readMethod()).isEqualTo("name");
        assertThat(peer.call("name", String.class)).isEqualTo("quick");
      }
      for (int i = 0; i < 10; i++) {
        assertThat(peer.call("name", String.class)).isEqualTo("quick");
      }
    }
  }

  @Test
  void callsWithOneKeyGoToOneEndpointAndMoveOnlyWhileItIsNotAvailable() throws Exception {
    List<Server> servers = new ArrayList<>();
    HeldPort port = new HeldPort();
    servers.add(Repartee.listen("tcp://127.0.0.1:" + port.number(), named("s0")));
    for (int i = 1; i < 4; i++) {
      servers.add(server("s" + i));
    }
    List<String> uris = servers.stream().map(BalancedTest::uri).toList();
    Policy policy =
        Policy.sticky((method, params) -> params == null || params.elements().isEmpty()
            ? null
            : params.elements().get(0).as(String.class));
    try (port;
        Peer peer = to(uris).policy(policy).backoff(QUICK).connect()) {
      events.awaitAvailable(4);
      Map<String, String> places = places(peer);
      assertThat(places(peer)).isEqualTo(places);
      assertThat(Set.copyOf(places.values())).hasSize(4);
      servers.get(0).close();
      assertThat(events.next()).startsWith("unavailable " + uris.get(0));
      Map<String, String> without = places(peer);
      assertThat(without.values()).doesNotContain("s0");
      places.forEach((key, place) -> {
        if (!place.equals("s0")) {
          assertThat(without).containsEntry(key, place);
        }
      });
      servers.set(0, Repartee.listen(uris.get(0), named("s0")));
      events.awaitAvailable(1);
      assertThat(places(peer)).isEqualTo(places);
      assertThat(peer.call("name", String.class)).as("a call without a key").startsWith("s");
    } finally {
      servers.forEach(Server::close);
    }
  }

  private static Map<String, String> places(Peer peer) {
    return IntStream.range(0, 64)
        .mapToObj(i -> "user " + i)
        .collect(Collectors.toMap(key -> key, key -> peer.call("echo", String.class, key)));
  }

  // ---------------------------------------------------------------- the loss of an endpoint

  @Test
  void onlyIdempotentCallsOfALostEndpointGoToAnother() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer = to(List.of(one.uri(), two.uri())).idempotent("read").connect();
        RawPeer killed = one.accept();
        RawPeer other = two.accept()) {
      events.awaitAvailable(2);
      List<CallFuture<Integer>> reads = new ArrayList<>();
      List<CallFuture<Integer>> writes = new ArrayList<>();
      for (int i = 0; i < 4; i++) { // an even number for each
        reads.add(peer.callAsync("read", Integer.class, i));
        reads.add(peer.callAsync("read", Integer.class, i));
        writes.add(peer.callAsync("write", Integer.class, i));
        writes.add(peer.callAsync("write", Integer.class, i));
      }
      for (int i = 0; i < 8; i++) {
        killed.read();
      }
      killed.socket().close();
      assertThat(events.next()).startsWith("unavailable " + one.uri());
      for (int i = 0; i < 8 + 4; i++) { // its calls, and the reads of the other one
        Json request = other.read();
        other.answer(request, "1");
      }
      for (CallFuture<Integer> read : reads) {
        assertThat(get(read)).isEqualTo(1);
      }
      int failed = 0;
      for (CallFuture<Integer> write : writes) {
        try {
          get(write);
        } catch (ExecutionException e) {
          failed++;
          assertThat(e.getCause())
              .isInstanceOfSatisfying(
                  DisconnectedException.class, end -> assertThat(end.unsent()).isNull())
              .hasMessageContaining("'write' was not answered")
              .hasMessageContaining("it is not declared idempotent, so it was not sent again");
        }
      }
      assertThat(failed).isEqualTo(4);
      CallFuture<Integer> next = peer.callAsync("write", Integer.class);
      other.serve("write", "2");
      assertThat(get(next)).as("a new call goes to the other endpoint").isEqualTo(2);
    }
  }

  @Test
  void anIdempotentCallThatKillsItsServersIsSentThreeTimes() throws Exception {
    AtomicInteger deaths = new AtomicInteger();
    List<RawServer> raws = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      raws.add(new RawServer());
    }
    try (Peer peer = to(raws.stream().map(RawServer::uri).toList()).connect()) {
      events.awaitAvailable(5);
      for (RawServer raw : raws) {
        RawPeer connection = raw.accept();
        Threads.start("connection", () -> {
          try (connection) {
            connection.read();
            deaths.incrementAndGet();
          } catch (IOException e) {
            // The peer was closed.
          }
        });
      }
      CallFuture<Integer> poison = peer.request("poison").idempotent().send(Integer.class);
      assertThat(failure(poison))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageEndingWith("; it was sent over 3 connections");
      assertThat(deaths).hasValue(3);
    } finally {
      for (RawServer raw : raws) {
        raw.close();
      }
    }
  }

  @Test
  void aGracefulRestartLosesNoCallAndRunsNoneTwice() throws Exception {
    ConcurrentHashMap<String, Integer> runs = new ConcurrentHashMap<>();
    Service service = Service.builder()
        .method("once", String[].class, String.class, (params, call) -> {
          runs.merge(params[0], 1, Integer::sum);
          return params[0];
        })
        .build();
    HeldPort one = new HeldPort();
    HeldPort other = new HeldPort();
    List<String> uris =
        List.of("tcp://127.0.0.1:" + one.number(), "tcp://127.0.0.1:" + other.number());
    Server[] servers = {Repartee.listen(uris.get(0), service), Repartee.listen(uris.get(1), service)
    };
    AtomicInteger made = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    try (one;
        other;
        Peer peer = Balanced.to(uris)
            .health(Duration.ofHours(1))
            .backoff(QUICK)
            .listener(events)
            .connect()) {
      events.awaitAvailable(2);
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
        int before = made.get();
        servers[i % 2].close();
        assertThat(events.next()).startsWith("unavailable " + uris.get(i % 2));
        servers[i % 2] = Repartee.listen(uris.get(i % 2), service);
        events.awaitAvailable(1);
        while (made.get() < before + 50 && callers.stream().noneMatch(CompletableFuture::isDone)) {
          Thread.onSpinWait();
        }
      }
      end.countDown();
      for (CompletableFuture<Void> caller : callers) {
        get(caller);
      }
      assertThat(runs).hasSize(made.get());
      assertThat(runs.values()).containsOnly(1);
    } finally {
      servers[0].close();
      servers[1].close();
    }
  }

  @Test
  void aRunningCallEndsBeforeItsServerClosesAndNewOnesGoToTheOther() throws Exception {
    CompletableFuture<Integer> place = new CompletableFuture<>();
    CountDownLatch goOn = new CountDownLatch(1);
    List<Server> servers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      int number = i;
      Service service = Service.builder()
          .method("slow", call -> {
            place.complete(number);
            goOn.await();
            return "slow";
          })
          .method("place", call -> number)
          .build();
      servers.add(Repartee.listen("tcp://127.0.0.1:0", service));
    }
    try (Peer peer = to(servers.stream().map(BalancedTest::uri).toList())
        .health(Duration.ofHours(1))
        .connect()) {
      events.awaitAvailable(2);
      CallFuture<String> slow = peer.callAsync("slow", String.class);
      int busy = get(place);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(
          () -> servers.get(busy).close(Duration.ofSeconds(60)), task -> new Thread(task).start());
      for (int i = 0; i < 100; i++) {
        assertThat(peer.call("place", int.class)).isIn(1 - busy, busy);
      }
      while (peer.call("place", int.class) == busy) {
        Thread.onSpinWait();
      }
      for (int i = 0; i < 100; i++) {
        assertThat(peer.call("place", int.class)).isEqualTo(1 - busy);
      }
      assertThat(closing).isNotDone();
      goOn.countDown();
      assertThat(get(slow)).isEqualTo("slow");
      get(closing);
    } finally {
      servers.forEach(Server::close);
    }
  }

  @Test
  void callsWaitForAnEndpointAndTheirFailuresNameEachOne() throws Exception {
    RawServer one = new RawServer();
    RawServer two = new RawServer();
    try (Peer peer = to(List.of(one.uri(), two.uri())).waitingCalls(1).connect()) {
      events.awaitAvailable(2);
      one.accept().close();
      two.accept().close();
      one.stop();
      two.stop();
      for (int i = 0; i < 2; i++) {
        assertThat(events.next()).startsWith("unavailable ");
      }
      String lost = " (the other side has ended the connection)";
      String each =
          "none of the 2 endpoints is available: " + one.uri() + lost + ", " + two.uri() + lost;
      CallFuture<Integer> waits = peer.callAsync("price", Integer.class);
      assertThatThrownBy(() -> peer.call("more", Integer.class))
          .isInstanceOfSatisfying(
              DisconnectedException.class, end -> assertThat(end.unsent()).isNotNull())
          .hasMessage("'more' was not sent: " + each + "; 1 calls wait already");
      assertThatThrownBy(() -> peer.notify("changed"))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageStartingWith(each)
          .hasMessageEndingWith("not notifications, batches and streams");
      assertThatThrownBy(peer::batch).isInstanceOf(DisconnectedException.class);
      waits.cancel(true);
      CallFuture<Integer> brief =
          peer.request("price").timeout(Duration.ofMillis(20)).send(Integer.class);
      assertThat(failure(brief))
          .isInstanceOfSatisfying(
              CallTimeoutException.class, late -> assertThat(late.unsent()).isNotNull())
          .hasMessageContaining(each);
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void callsThatHaveWaitedAreSentToTheFirstEndpointThatReturns() throws Exception {
    HeldPort port = new HeldPort();
    String uri = "tcp://127.0.0.1:" + port.number();
    try (port;
        Socket taken = taken();
        Peer peer = to(List.of("tcp://127.0.0.1:" + taken.getLocalPort(), uri))
            .backoff(QUICK)
            .connectInBackground()) {
      List<CallFuture<String>> calls = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        calls.add(peer.callAsync("name", String.class));
      }
      try (Server late = Repartee.listen(uri, named("late"))) {
        for (CallFuture<String> call : calls) {
          assertThat(get(call)).isEqualTo("late");
        }
        assertThat(late.port()).isEqualTo(port.number());
      }
    }
  }

  /** Returns a socket at whose port nothing else can listen. */
  private static Socket taken() throws IOException {
    Socket taken = new Socket();
    taken.bind(new InetSocketAddress("127.0.0.1", 0));
    return taken;
  }

  @Test
  void connectingFailsWithOneErrorThatNamesEachEndpoint() throws Exception {
    try (Socket one = taken();
        Socket two = taken()) {
      String first = "tcp://127.0.0.1:" + one.getLocalPort();
      String second = "tcp://127.0.0.1:" + two.getLocalPort();
      assertThatThrownBy(() -> to(List.of(first, second)).connect())
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("cannot connect: none of the 2 endpoints is available: ")
          .hasMessageContaining(first + " (cannot connect to " + first)
          .hasMessageContaining(second + " (cannot connect to " + second);
      try (Server server = server("one");
          Peer peer = to(List.of(first, uri(server), second)).connect()) {
        assertThat(peer.call("name", String.class)).isEqualTo("one");
      }
    }
  }

  @Test
  void thePeerEndsWithTheAttemptsForAllEndpoints() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer = to(List.of(one.uri(), two.uri()))
            .backoff(Backoff.DEFAULT.attempts(1))
            .connect()) {
      events.awaitAvailable(2);
      one.accept().close();
      assertThat(events.next()).startsWith("unavailable " + one.uri());
      assertThat(peer.isOpen()).isTrue();
      two.accept().close();
      assertThat(failure(peer.closed().toCompletableFuture()))
          .hasMessageStartingWith("none of the 2 endpoints is available: ")
          .hasMessageContaining(one.uri())
          .hasMessageContaining("stopped after 1 attempts");
      assertThatThrownBy(() -> peer.call("price", Integer.class))
          .isInstanceOf(DisconnectedException.class);
    }
  }

  // ---------------------------------------------------------------- many and none

  @Test
  void aThousandEndpointsServeTheCalls() throws Exception {
    List<Server> servers = new ArrayList<>();
    try {
      for (int i = 0; i < 1_000; i++) {
        servers.add(Repartee.listen("mem:balanced-" + i, named("s" + i)));
      }
      List<String> uris = servers.stream().map(BalancedTest::uri).toList();
      try (Peer peer = to(uris).health(Duration.ofSeconds(5)).connect()) {
        events.awaitAvailable(1_000);
        Set<String> names = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 1_000; i++) {
          names.add(peer.call("name", String.class));
        }
        assertThat(names).hasSize(1_000);
        clock.advance(Duration.ofSeconds(5));
        servers.subList(1, 1_000).forEach(Server::close);
        for (int i = 1; i < 1_000; i++) {
          assertThat(events.next()).startsWith("unavailable ");
        }
        assertThat(peer.call("name", String.class)).isEqualTo("s0");
        servers.get(0).close();
        assertThat(events.next()).startsWith("unavailable ");
        assertThatThrownBy(() -> peer.notify("changed"))
            .hasMessageStartingWith("none of the 1000 endpoints is available: mem:balanced-0 (")
            .hasMessageContaining("mem:balanced-7 (")
            .hasMessageContaining("), and 992 more;");
      }
    } finally {
      servers.forEach(Server::close);
    }
  }

  @Test
  void endpointsHaveToBeKnownAndDifferent() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Balanced.to(List.of()))
        .withMessage("there is no endpoint");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Balanced.to(List.of("mem:a", "mem:a")))
        .withMessage("the endpoint 'mem:a' is named twice");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Balanced.to(List.of("mem:a", "gopher://h")))
        .withMessageContaining("unknown scheme 'gopher'");
  }

  // ---------------------------------------------------------------- other messages

  @Test
  void notificationsAndBatchesGoToOneEndpointEach() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer = to(List.of(one.uri(), two.uri()))
            .policy(Policy.sticky((method, params) -> method))
            .connect();
        RawPeer first = one.accept();
        RawPeer second = two.accept()) {
      events.awaitAvailable(2);
      CompletableFuture<RawPeer> reached = new CompletableFuture<>();
      for (RawPeer each : List.of(first, second)) {
        Threads.start("connection", () -> {
          try {
            assertThat(each.readMethod()).isEqualTo("changed");
            reached.complete(each);
          } catch (IOException e) {
            // The peer was closed.
          }
        });
      }
      peer.notify("changed", 1);
      RawPeer place = get(reached);
      peer.notify("changed", 2);
      assertThat(place.read().get("params")).as("the key of a notification").hasToString("[2]");
    }
    try (RawServer one = new RawServer();
        Peer peer = to(List.of(one.uri())).connect();
        RawPeer connection = one.accept()) {
      Batch batch = peer.batch();
      CallFuture<Integer> answer = batch.callAsync("read", Integer.class);
      batch.send();
      Json request = connection.read().elements().get(0);
      connection.send("""
          [{"jsonrpc":"2.0","id":%s,"result":5}]""".formatted(request.get("id")));
      assertThat(get(answer)).isEqualTo(5);
    }
  }

  @Test
  void aStreamEndsWithTheConnectionOnWhichItWasOpened() throws Exception {
    try (RawServer one = new RawServer();
        RawServer two = new RawServer();
        Peer peer = to(List.of(one.uri(), two.uri())).connect();
        RawPeer first = one.accept();
        RawPeer second = two.accept()) {
      events.awaitAvailable(2);
      RemoteStream<Integer> stream = peer.request("count").stream(Integer.class);
      List<CompletableFuture<?>> ends = List.of(stream.forEach(i -> {}), stream.forEach(i -> {}));
      assertThat(first.readMethod()).isEqualTo("count");
      assertThat(second.readMethod()).isEqualTo("count");
      first.socket().close();
      assertThat(failure(ends.get(0))).isInstanceOf(DisconnectedException.class);
      assertThat(ends.get(1)).isNotDone();
    }
  }

  @Test
  void eachServerMayCallTheClient() throws Exception {
    Service client = Service.builder().method("client", call -> "client").build();
    Service asking = Service.builder()
        .method("ask", call -> call.peer().call("client", String.class))
        .build();
    try (Server one = Repartee.listen("tcp://127.0.0.1:0", asking);
        Server two = Repartee.listen("tcp://127.0.0.1:0", asking);
        Peer peer = to(List.of(uri(one), uri(two))).service(client).connect()) {
      events.awaitAvailable(2);
      for (int i = 0; i < 4; i++) {
        assertThat(peer.call("ask", String.class)).isEqualTo("client");
      }
    }
  }
}
