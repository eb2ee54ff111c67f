package dev.repartee.reconnect;

import static dev.repartee.Outcomes.failure;
import static dev.repartee.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.CallTimeoutException;
import dev.repartee.ClockOptions;
import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RawPeer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.internal.Clock;
import dev.repartee.internal.FakeClock;
import dev.repartee.internal.HeldPort;
import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ReconnectingTest {
  private final FakeClock clock = new FakeClock();
  private final Events events = new Events();

  private Reconnecting to(String uri) {
    return Reconnecting.to(uri).clock(clock, () -> 0.5).listener(events);
  }

  interface Shop {
    int twice(int number);

    @Rpc(idempotent = true)
    CompletableFuture<Integer> price(String name);
  }

  // ---------------------------------------------------------------- connections

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:PORT", "unix:FOLDER/socket", "mem:reconnecting"})
  void aProxySurvivesTheRestartOfTheServer(String pattern, @TempDir Path folder) throws Exception {
    Service service = Service.builder()
        .method("twice", Integer[].class, Integer.class, (params, call) -> 2 * params[0])
        .build();
    HeldPort port = new HeldPort();
    String uri = pattern.replace("FOLDER", folder.toString()).replace("PORT", "" + port.number());
    Server server = Repartee.listen(uri, service);
    try (port;
        Peer peer = to(uri).connect()) {
      Shop shop = peer.proxy(Shop.class);
      assertThat(shop.twice(1)).isEqualTo(2);
      for (int i = 2; i < 5; i++) {
        server.close();
        clock.awaitTimer();
        server = Repartee.listen(uri, service);
        clock.advanceToTimer();
        assertThat(shop.twice(i)).isEqualTo(2 * i);
        assertThat(peer.isOpen()).isTrue();
      }
    } finally {
      server.close();
    }
  }

  @Test
  void aProcessThatCrashesIsStartedAgain() throws Exception {
    String script = """
        read line; printf '{"jsonrpc":"2.0","id":1,"result":%s}\\n' $$; exit 3""";
    String uri = "exec:[\"sh\",\"-c\"," + new JsonWriter().string(script) + "]";
    try (Peer peer = to(uri).connect()) {
      long first = peer.call("pid", long.class);
      clock.advanceToTimer();
      assertThat(peer.call("pid", long.class)).isNotEqualTo(first);
      clock.awaitTimer();
    }
    assertThat(events.all)
        .startsWith(
            "connected 1",
            "disconnected: the process 'sh' ended with exit code 3",
            "retrying 2 in 200 ms: the process 'sh' ended with exit code 3",
            "connected 2");
  }

  @Test
  void theApplicationMayOpenTheConnections() throws Exception {
    AtomicInteger started = new AtomicInteger();
    Reconnecting reconnecting = Reconnecting.to(() -> Channel.over(
            new ProcessBuilder("sh", "-c", "exit " + started.incrementAndGet()),
            Framing.LINES,
            Limits.DEFAULT))
        .clock(clock, () -> 0.5)
        .listener(events);
    try (Peer peer = reconnecting.connect()) {
      clock.advanceToTimer();
      clock.awaitTimer();
      assertThat(peer.isOpen()).isTrue();
    }
    assertThat(events.all)
        .contains(
            "disconnected: the process 'sh' ended with exit code 1",
            "disconnected: the process 'sh' ended with exit code 2");
  }

  @Test
  void theServiceIsServedOnEachConnection() throws Exception {
    Service own = Service.builder().method("name", call -> "client").build();
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).service(own).connect()) {
      for (int i = 0; i < 2; i++) {
        try (RawPeer connection = raw.accept()) {
          connection.send("""
              {"jsonrpc":"2.0","id":7,"method":"name"}""");
          assertThat(connection.read().get("result")).hasToString("\"client\"");
        }
        clock.advanceToTimer();
      }
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void theFirstAttemptFailsInTheThreadThatConnects() throws Exception {
    try (Socket taken = new Socket()) { // so that nothing else can listen there
      taken.bind(new InetSocketAddress("127.0.0.1", 0));
      String uri = "tcp://127.0.0.1:" + taken.getLocalPort();
      assertThatThrownBy(() -> to(uri).connect())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot connect to " + uri);
    }
    assertThat(events.all).isEmpty();
    assertThat(clock.timers()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Reconnecting.to("gopher://h"))
        .withMessageContaining("unknown scheme 'gopher'");
  }

  @Test
  void callsWaitForTheFirstConnectionInTheBackground() throws Exception {
    try (HeldPort port = new HeldPort();
        Peer peer = to("tcp://127.0.0.1:" + port.number()).connectInBackground()) {
      CallFuture<Integer> answer = peer.callAsync("twice", Integer.class, 4);
      clock.awaitTimer();
      try (RawServer raw = new RawServer(port)) {
        clock.advanceToTimer();
        try (RawPeer connection = raw.accept()) {
          connection.serve("twice", "8");
          assertThat(get(answer)).isEqualTo(8);
        }
      }
    }
  }

  // ---------------------------------------------------------------- calls in flight

  @Test
  void onlyIdempotentCallsAreSentAgainAndInTheirOrder() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .idempotent("read", "list")
            .idempotent(method -> method.startsWith("get"))
            .connect()) {
      Shop shop = peer.proxy(Shop.class);
      List<CompletableFuture<Integer>> again = new ArrayList<>();
      CallFuture<Integer> once;
      try (RawPeer connection = raw.accept()) {
        again.add(peer.callAsync("read", Integer.class, 1));
        again.add(peer.callAsync("getPrice", Integer.class));
        once = peer.callAsync("buy", Integer.class, 1);
        again.add(shop.price("tea"));
        again.add(peer.request("buy").args(2).idempotent().send(Integer.class));
        for (int i = 0; i < 5; i++) {
          connection.read();
        }
      }
      clock.awaitTimer();
      assertThat(failure(once))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("'buy' was not answered")
          .hasMessageContaining("it is not declared idempotent, so it was not sent again");
      again.add(peer.callAsync("buy", Integer.class, 3)); // made while there is no connection
      again.add(peer.callAsync("list", Integer.class));
      assertThat(again).noneMatch(CompletableFuture::isDone);
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        List<String> seen = new ArrayList<>();
        for (int i = 0; i < again.size(); i++) {
          Json request = connection.read();
          seen.add(RawPeer.method(request) + request.get("params"));
          connection.answer(request, String.valueOf(i));
        }
        assertThat(seen)
            .containsExactly(
                "read[1]", "getPrice[]", "price[\"tea\"]", "buy[2]", "buy[3]", "list[]");
        for (int i = 0; i < again.size(); i++) {
          assertThat(get(again.get(i))).isEqualTo(i);
        }
      }
    }
  }

  @Test
  void paramsAreSentAgainAsTheyWereWhenTheCallWasMade() throws Exception {
    List<String> names = new ArrayList<>(List.of("tea"));
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).idempotent("sum").connect()) {
      CallFuture<Integer> sum = peer.callAsync("sum", Integer.class, names);
      names.add("coffee");
      for (int i = 0; i < 2; i++) {
        try (RawPeer connection = raw.accept()) {
          assertThat(connection.read().get("params")).hasToString("[[\"tea\"]]");
        }
        clock.advanceToTimer();
      }
      try (RawPeer connection = raw.accept()) {
        connection.serve("sum", "7");
        assertThat(get(sum)).isEqualTo(7);
      }
      clock.awaitTimer();
    }
  }

  @Test
  void anErrorOfTheServerIsNotTriedAgain() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).idempotent(method -> true).connect();
        RawPeer connection = raw.accept()) {
      CallFuture<Integer> call = peer.callAsync("read", Integer.class);
      Json request = connection.read();
      connection.send("""
          {"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"no"}}\
          """.formatted(request.get("id")));
      assertThat(failure(call))
          .isInstanceOf(RemoteRpcException.class)
          .hasMessageContaining("127.0.0.1");
    }
  }

  @Test
  void progressReachesACallThatWasSentAgain() throws Exception {
    List<String> heard = new ArrayList<>();
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).connect()) {
      CallFuture<Integer> call = peer.request("copy")
          .idempotent()
          .onProgress(value -> heard.add(value.toString()))
          .send(Integer.class);
      raw.accept().close();
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        Json request = connection.read();
        connection.send("""
            {"jsonrpc":"2.0","method":"rpc.progress","params":{"id":%s,"value":50}}\
            """.formatted(request.get("id")));
        connection.answer(request, "1");
        assertThat(get(call)).isEqualTo(1);
        assertThat(heard).containsExactly("50");
      }
    }
  }

  @Test
  void aLayerSeesACallOnceHoweverOftenItIsSent() throws Exception {
    ConcurrentLinkedQueue<String> seen = new ConcurrentLinkedQueue<>();
    Layer layer = (call, next) -> {
      seen.add(call.method());
      return next.handle(call);
    };
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .options(Options.builder().callLayer(layer).build())
            .idempotent("read")
            .connect()) {
      CallFuture<Integer> call = peer.callAsync("read", Integer.class);
      raw.accept().close();
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        connection.serve("read", "1");
        assertThat(get(call)).isEqualTo(1);
        peer.notify("seen");
        assertThat(connection.readMethod()).isEqualTo("seen");
      }
    }
    assertThat(seen).containsExactly("read", "seen");
  }

  @Test
  void aTraceRecordsTheMessagesOfEachConnection() throws Exception {
    ConcurrentLinkedQueue<Object> recorded = new ConcurrentLinkedQueue<>();
    try (RawServer raw = new RawServer();
        Trace trace = Trace.builder().to(recorded::add);
        Peer peer = to(raw.uri())
            .options(Options.builder().trace(trace).build())
            .idempotent("read")
            .connect()) {
      CallFuture<Integer> call = peer.callAsync("read", Integer.class);
      raw.accept().close();
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        connection.serve("read", "1");
        assertThat(get(call)).isEqualTo(1);
      }
      assertThat(recorded).hasSizeGreaterThanOrEqualTo(3); // sent twice, answered once
    }
  }

  // ---------------------------------------------------------------- calls that wait

  @Test
  void noMoreThanTheBoundWaitAndTheOthersFailAtOnce() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .waitingCalls(2)
            .idempotent("read")
            .backoff(Backoff.DEFAULT.initial(Duration.ofSeconds(13)))
            .connect()) {
      CallFuture<Integer> first = peer.callAsync("read", Integer.class);
      CallFuture<Integer> second = peer.callAsync("read", Integer.class);
      CallFuture<Integer> third = peer.callAsync("read", Integer.class);
      raw.accept().close();
      clock.awaitTimer();
      assertThat(List.of(first, second, third)) // they were in flight, so no bound refuses them
          .noneMatch(CompletableFuture::isDone);
      clock.advance(Duration.ofSeconds(12));
      assertThatThrownBy(() -> peer.callAsync("late", Integer.class))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageStartingWith(
              "'late' was not sent: not connected to 127.0.0.1:" + raw.port() + " for 12 s: ")
          .hasMessageEndingWith("; attempt 2 follows in 1000 ms; 3 calls wait already");
      first.cancel(true);
      second.cancel(true);
      CallFuture<Integer> room = peer.callAsync("late", Integer.class);
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        connection.serve("read", "3");
        connection.serve("late", "4");
        assertThat(get(third)).isEqualTo(3);
        assertThat(get(room)).isEqualTo(4);
      }
    }
  }

  @Test
  void theParamsOfWaitingCallsAreBoundedToo() throws Exception {
    Options small =
        Options.builder().limits(limits -> limits.queuedBytes(1_000)).build();
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).options(small).connect()) {
      raw.accept().close();
      clock.awaitTimer();
      CallFuture<Integer> waits = peer.callAsync("store", Integer.class, "x".repeat(600));
      assertThatThrownBy(() -> peer.callAsync("store", Integer.class, "x".repeat(600)))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageEndingWith("the waiting calls hold 604 bytes already");
      waits.cancel(true);
      peer.callAsync("store", Integer.class, "x".repeat(600));
    }
  }

  @Test
  void aCallWaitsWithinItsTimeOutAndSaysWhyItWasNotSent() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).options(ClockOptions.builder(clock).build()).connect()) {
      raw.accept().close();
      clock.awaitTimer();
      CallFuture<Integer> call =
          peer.request("read").timeout(Duration.ofMillis(20)).send(Integer.class);
      clock.advance(Duration.ofMillis(20));
      assertThat(failure(call))
          .hasMessageStartingWith("'read' was not sent within 20 ms to 127.0.0.1:")
          .hasMessageContaining("the call was cancelled; not connected to")
          .hasMessageContaining("attempt 2 follows in")
          .isInstanceOfSatisfying(
              CallTimeoutException.class,
              late -> assertThat(late.unsent()).isEqualTo("no connection was open within 20 ms"));
      peer.callAsync("next", Integer.class);
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        assertThat(connection.readMethod()).as("the late call is not sent").isEqualTo("next");
      }
    }
  }

  @Test
  void aCallThatWaitsToBeSentAgainIsNotToldAsUnsent() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .options(ClockOptions.builder(clock).build())
            .idempotent("read")
            .backoff(Backoff.DEFAULT.initial(Duration.ofSeconds(20)))
            .connect()) {
      CallFuture<Integer> call =
          peer.request("read").timeout(Duration.ofSeconds(2)).send(Integer.class);
      try (RawPeer connection = raw.accept()) {
        assertThat(connection.readMethod()).isEqualTo("read");
      }
      assertThat(clock.awaitTimer()).isGreaterThan(Duration.ofSeconds(2));
      clock.advance(Duration.ofSeconds(2));
      assertThat(failure(call))
          .hasMessageStartingWith("no answer to 'read' within 2 s from 127.0.0.1:")
          .isInstanceOfSatisfying(
              CallTimeoutException.class, late -> assertThat(late.unsent()).isNull());
    }
  }

  @Test
  void aCallThatIsSentAgainKeepsItsTimeOutAndIsCancelledAtTheServer() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).idempotent("read").connect()) {
      CallFuture<Integer> call = peer.callAsync("read", Integer.class);
      raw.accept().close();
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        Json request = connection.read();
        call.cancel(true);
        assertThat(connection.read()).hasToString("""
            {"jsonrpc":"2.0","method":"rpc.cancel","params":{"id":%s}}\
            """.formatted(request.get("id")));
      }
    }
  }

  @Test
  void anInterruptedThreadGivesItsWaitingCallUp() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).connect()) {
      raw.accept().close();
      clock.awaitTimer();
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      Thread caller = new Thread(() -> {
        try {
          peer.call("read", Integer.class);
        } catch (Throwable e) {
          failure.complete(e);
        }
      });
      caller.start();
      caller.interrupt();
      assertThat(get(failure)).isInstanceOf(CancellationException.class);
      peer.callAsync("next", Integer.class);
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        assertThat(connection.readMethod()).isEqualTo("next");
      }
    }
  }

  @Test
  void notificationsAndBatchesDoNotWait() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).connect()) {
      Batch batch;
      CallFuture<Integer> inBatch;
      try (RawPeer connection = raw.accept()) {
        peer.notify("changed", 1);
        assertThat(connection.readMethod()).isEqualTo("changed");
        batch = peer.batch();
        inBatch = batch.callAsync("read", Integer.class);
      }
      clock.awaitTimer();
      assertThatThrownBy(() -> peer.notify("changed", 2))
          .isInstanceOfSatisfying(
              DisconnectedException.class, end -> assertThat(end.unsent()).isNotNull())
          .hasMessageStartingWith("not connected to 127.0.0.1:")
          .hasMessageEndingWith(
              "only calls wait for a connection, not notifications, batches and streams");
      assertThatThrownBy(peer::batch).isInstanceOf(DisconnectedException.class);
      assertThat(failure(inBatch)).isInstanceOf(DisconnectedException.class);
      clock.advanceToTimer();
      assertThatThrownBy(batch::send)
          .as("a batch belongs to its connection")
          .isInstanceOf(DisconnectedException.class);
      Batch next = peer.batch();
      CallFuture<Integer> answer = next.callAsync("read", Integer.class);
      next.send();
      try (RawPeer connection = raw.accept()) {
        Json request = connection.read().elements().get(0);
        connection.send("""
            [{"jsonrpc":"2.0","id":%s,"result":5}]""".formatted(request.get("id")));
        assertThat(get(answer)).isEqualTo(5);
      }
    }
  }

  @Test
  void aCallThatDoesNotFitFailsAloneAfterItHasWaited() throws Exception {
    Options small = Options.builder().limits(limits -> limits.frameBytes(2_000)).build();
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).options(small).connect()) {
      raw.accept().close();
      clock.awaitTimer();
      CallFuture<Integer> large = peer.callAsync("store", Integer.class, "x".repeat(3_000));
      CallFuture<Integer> fits = peer.callAsync("store", Integer.class, "x");
      clock.advanceToTimer();
      assertThat(failure(large)).isInstanceOf(LimitException.class);
      try (RawPeer connection = raw.accept()) {
        connection.serve("store", "1");
        assertThat(get(fits)).isEqualTo(1);
      }
    }
  }

  // ---------------------------------------------------------------- handshakes

  @Test
  void theHandshakeRunsBeforeTheCallsThatWait() throws Exception {
    try (RawServer raw = new RawServer()) {
      CompletableFuture<Peer> connecting = CompletableFuture.supplyAsync(
          () -> {
            try {
              return to(raw.uri())
                  .onConnected(peer -> peer.call("login", String.class, "token"))
                  .onConnectedAsync(peer -> peer.callAsync("subscribe", String.class, "news"))
                  .connect();
            } catch (IOException e) {
              throw new IllegalStateException(e);
            }
          },
          work -> new Thread(work).start());
      try (RawPeer connection = raw.accept()) {
        connection.serve("login", "\"hello\"");
        connection.serve("subscribe", "\"1\"");
        Peer peer = get(connecting);
        connection.socket().close();
        clock.awaitTimer();
        CallFuture<Integer> waits = peer.callAsync("read", Integer.class);
        Thread attempting = new Thread(clock::advanceToTimer);
        attempting.start();
        try (RawPeer next = raw.accept()) {
          next.serve("login", "\"hello\"");
          next.serve("subscribe", "\"2\"");
          next.serve("read", "3");
          assertThat(get(waits)).isEqualTo(3);
          attempting.join();
          peer.close();
        }
      }
    }
  }

  @Test
  void aHandshakeThatFailsIsAFailedAttempt() throws Exception {
    AtomicInteger times = new AtomicInteger();
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .onConnected(connection -> {
              if (times.incrementAndGet() == 2) {
                throw new RpcException(401, "token expired");
              }
            })
            .onConnectedAsync(connection -> times.get() == 3
                ? CompletableFuture.failedFuture(new IOException("no news today"))
                : CompletableFuture.completedFuture(1))
            .connect()) {
      raw.accept().close();
      clock.advanceToTimer();
      try (RawPeer refused = raw.accept()) {
        assertThat(refused.isOver()).as("the connection is closed").isTrue();
        clock.advanceToTimer();
      }
      raw.accept().close();
      clock.advanceToTimer();
      assertThat(times).hasValue(4);
      assertThat(peer.isOpen()).isTrue();
    }
    assertThat(events.all.stream().filter(event -> !event.startsWith("disconnected")))
        .hasSize(5)
        .anyMatch(event -> event.startsWith(
                "retrying 3 in 400 ms: the new connection was not" + " accepted by onConnected: ")
            && event.contains("token expired"))
        .anyMatch(
            event -> event.startsWith("retrying 4 in 800 ms:") && event.endsWith("no news today"))
        .endsWith("connected 4");
  }

  @Test
  void aHandshakeThatDoesNotEndIsAFailedAttempt() throws Exception {
    Options hasty = Options.builder()
        .limits(limits -> limits.callTimeout(Duration.ofMillis(20)))
        .build();
    try (RawServer raw = new RawServer()) {
      assertThatThrownBy(() -> to(raw.uri())
              .options(hasty)
              .onConnectedAsync(peer -> new CompletableFuture<>())
              .connect())
          .isInstanceOf(IOException.class)
          .hasMessageEndingWith("its stage has not completed after 20 ms");
    }
  }

  // ---------------------------------------------------------------- backoff

  @Test
  void aServerThatAcceptsAndClosesCausesLongerAndLongerPauses() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .backoff(Backoff.DEFAULT.initial(Duration.ofMillis(100)).max(Duration.ofSeconds(1)))
            .connect()) {
      List<Long> delays = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        raw.accept().close();
        delays.add(clock.awaitTimer().toMillis());
        assertThat(clock.timers()).as("one attempt at a time").isOne();
        clock.advanceToTimer();
      }
      assertThat(delays).containsExactly(100L, 200L, 400L, 500L, 500L, 500L);
      clock.advance(Duration.ofSeconds(30)); // now the connection is stable
      raw.accept().close();
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofMillis(50));
      assertThat(peer.isOpen()).isTrue();
    }
  }

  @Test
  void itGivesUpAndThenEveryCallFailsWithTheReason() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .backoff(Backoff.DEFAULT.attempts(3))
            .idempotent("read")
            .connect()) {
      CallFuture<Integer> inFlight = peer.callAsync("read", Integer.class);
      try (RawPeer connection = raw.accept()) {
        connection.read();
      }
      clock.awaitTimer();
      raw.stop();
      CallFuture<Integer> waits = peer.callAsync("late", Integer.class);
      clock.advanceToTimer();
      clock.advanceToTimer();
      String reason = "stopped after 3 attempts to connect: cannot connect to " + raw.uri();
      for (CallFuture<Integer> call : List.of(inFlight, waits)) {
        assertThat(failure(call))
            .isInstanceOf(DisconnectedException.class)
            .hasMessageContaining(reason)
            .hasMessageEndingWith("was not answered");
      }
      assertThat(peer.isOpen()).isFalse();
      assertThat(failure(peer.closed().toCompletableFuture())).hasMessageStartingWith(reason);
      assertThatThrownBy(() -> peer.call("more", Integer.class))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining(reason);
      assertThat(clock.timers()).isZero();
      assertThat(events.all.stream().map(event -> event.split(" ")[0]))
          .containsExactly("connected", "disconnected", "retrying", "retrying", "stopped");
    }
  }

  @Test
  void itGivesUpAfterTheTimeWithoutAStableConnection() throws Exception {
    Queue<Double> pauses = new ConcurrentLinkedQueue<>(List.of(0.95, 0.05)); // of 20 s
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri())
            .clock(clock, pauses::remove)
            .backoff(Backoff.DEFAULT
                .initial(Duration.ofSeconds(20))
                .max(Duration.ofSeconds(20))
                .giveUpAfter(Duration.ofSeconds(20)))
            .connect()) {
      clock.advance(Duration.ofSeconds(60));
      raw.accept().close();
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofSeconds(19));
      clock.advanceToTimer();
      raw.accept().close();
      assertThat(clock.awaitTimer()).isEqualTo(Duration.ofSeconds(1));
      clock.advanceToTimer();
      raw.accept().close();
      assertThat(failure(peer.closed().toCompletableFuture()))
          .hasMessageStartingWith("stopped after 2 attempts to connect");
    }
  }

  // ---------------------------------------------------------------- closing

  @Test
  void closingDuringAPauseEndsAllAtOnce() throws Exception {
    Queue<Clock.Owner> cancelled = new ConcurrentLinkedQueue<>();
    FakeClock late = new FakeClock() {
      @Override
      public void forget(Owner timer) {
        super.forget(timer);
        cancelled.add(timer);
      }
    };
    try (RawServer raw = new RawServer()) {
      Peer peer = to(raw.uri()).clock(late, () -> 0.5).connect();
      raw.accept().close();
      late.awaitTimer();
      CallFuture<Integer> waits = peer.callAsync("read", Integer.class);
      peer.close();
      assertThat(failure(waits))
          .isInstanceOf(DisconnectedException.class)
          .hasMessageContaining("was closed by this side");
      assertThat(cancelled).hasSize(1);
      assertThat(peer.closed().toCompletableFuture()).isCompleted();
      int told = events.all.size();
      cancelled.remove().expire(late.nanos()); // the cancellation was late
      assertThat(late.timers()).isZero();
      assertThat(events.all).hasSize(told);
      assertThatExceptionOfType(DisconnectedException.class)
          .isThrownBy(() -> peer.call("read", Integer.class));
    }
  }

  @Test
  void closingEndsTheConnectionAndIsToldToNobody() throws Exception {
    try (RawServer raw = new RawServer()) {
      Peer peer = to(raw.uri()).connect();
      try (RawPeer connection = raw.accept()) {
        CallFuture<Integer> pending = peer.callAsync("read", Integer.class);
        connection.read();
        peer.close();
        assertThat(failure(pending))
            .hasMessageContaining("was closed by this side; 'read' was not answered");
        assertThat(connection.isOver()).isTrue();
      }
      assertThat(events.all).containsExactly("connected 1");
      assertThat(clock.timers()).isZero();
    }
  }

  @Test
  void closingDuringAHandshakeEndsIt() throws Exception {
    CountDownLatch began = new CountDownLatch(2);
    try (RawServer raw = new RawServer()) {
      Peer peer = to(raw.uri())
          .onConnected(connection -> {
            began.countDown();
            if (began.getCount() == 0) {
              connection.call("login", String.class);
            }
          })
          .connect();
      raw.accept().close();
      Thread attempting = new Thread(clock::advanceToTimer);
      attempting.start();
      began.await();
      try (RawPeer connection = raw.accept()) {
        assertThat(connection.readMethod()).isEqualTo("login");
        peer.close();
        attempting.join();
        assertThat(connection.isOver()).isTrue();
      }
      assertThat(clock.timers()).isZero();
    }
  }

  @Test
  void aConnectionThatOpensAfterTheCloseIsClosed() throws Exception {
    CountDownLatch connecting = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (RawServer raw = new RawServer()) {
      Reconnecting reconnecting = Reconnecting.to(() -> {
            connecting.countDown();
            closed.await();
            return Channel.over(
                java.nio.channels.SocketChannel.open(
                    new InetSocketAddress("127.0.0.1", raw.port())),
                Framing.LINES,
                Limits.DEFAULT);
          })
          .clock(clock, () -> 0.5)
          .listener(events);
      Peer peer = reconnecting.connectInBackground();
      connecting.await();
      peer.close();
      closed.countDown();
      try (RawPeer connection = raw.accept()) {
        assertThat(connection.isOver()).isTrue();
      }
      assertThat(events.all).isEmpty();
    }
  }

  @Test
  void aHandlerMayCloseThePeer() throws Exception {
    CompletableFuture<Peer> made = new CompletableFuture<>();
    Service own = Service.builder()
        .method("exit", call -> {
          made.join().close();
          return "bye";
        })
        .build();
    try (RawServer raw = new RawServer()) {
      Peer peer = to(raw.uri()).service(own).connect();
      made.complete(peer);
      try (RawPeer connection = raw.accept()) {
        connection.send("""
            {"jsonrpc":"2.0","id":1,"method":"exit"}""");
        assertThat(connection.read().get("result")).hasToString("\"bye\"");
        assertThat(connection.isOver()).isTrue();
      }
      get(peer.closed().toCompletableFuture());
    }
  }

  @Test
  void aListenerThatFailsChangesNothing() throws Exception {
    ReconnectListener failing = new ReconnectListener() {
      @Override
      public void connected(Peer peer, int attempt) {
        throw new IllegalStateException("by design");
      }

      @Override
      public void retrying(int attempt, Duration delay, Throwable cause) {
        throw new IllegalStateException("by design");
      }
    };
    try (RawServer raw = new RawServer();
        Peer peer = to(raw.uri()).listener(failing).connect()) {
      raw.accept().close();
      clock.advanceToTimer();
      try (RawPeer connection = raw.accept()) {
        CallFuture<Integer> answer = peer.callAsync("read", Integer.class);
        connection.serve("read", "1");
        assertThat(get(answer)).isEqualTo(1);
      }
    }
  }
}
