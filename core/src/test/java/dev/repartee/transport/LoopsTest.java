package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Lane;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RawPeer;
import dev.repartee.Recorder;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import dev.repartee.limits.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoopsTest {
  private static final int CONNECTIONS = 16;
  /** The most connections until each loop has one; earlier tests may leave some to close. */
  private static final int MOST = 1_000;

  private static final int CALLS = 50;

  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
  }

  @Test
  void aConnectionGoesToTheLoopThatHasTheFewest() {
    Loops loops = new Loops(2);
    Loop first = loops.enter();
    Loop second = loops.enter();
    assertThat(second).isNotSameAs(first);
    assertThat(loops.enter()).isSameAs(first);
    second.left();
    assertThat(loops.enter()).isSameAs(second);
    assertThat(loops.enter()).isSameAs(second);
  }

  @Test
  void anotherLoopStartsOnlyWhenAllHaveConnections() {
    Loops loops = new Loops(2);
    assertThat(loops.enter()).isSameAs(loops.first());
    loops.first().left();
    assertThat(loops.enter()).isSameAs(loops.first());
  }

  @Test
  void aSweepThatFailsDoesNotEndTheSweepsOfOthers() throws Exception {
    Loop loop = Loops.ofProcess().first();
    AtomicBoolean failed = new AtomicBoolean();
    CompletableFuture<Boolean> swept = new CompletableFuture<>();
    loop.execute(() -> {
      loop.watch(() -> {
        if (failed.getAndSet(true)) {
          return false;
        }
        throw new OutOfMemoryError("by design");
      });
      loop.watch(() -> !swept.complete(true));
    });
    assertThat(swept.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aSocketThatCannotBeServedForLackOfMemoryIsClosed() throws Exception {
    ServerSocketChannel server =
        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    int port = server.socket().getLocalPort();
    ListeningSocket listening = new ListeningSocket(
        server,
        Endpoint.parse("tcp://127.0.0.1:" + port),
        new ListeningSocket.Mode(Framing.LINES, Limits.DEFAULT, false),
        socket -> {
          throw new OutOfMemoryError("by design");
        },
        channel -> {},
        null,
        () -> {});
    opened.add(listening.start());
    for (int i = 0; i < 2; i++) { // the second one shows that the socket accepts again
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        client.setSoTimeout(60_000);
        assertThat(client.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 1", "4, 2", "64, 32"})
  void thereIsOneForEveryTwoCpus(int cpus, int loops) {
    assertThat(Loops.max(null, cpus)).isEqualTo(loops);
    assertThat(Loops.max("3", cpus)).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "two", "10000"})
  void aPropertyThatIsNoNumberOfLoopsIsRefused(String property) {
    assertThatThrownBy(() -> Loops.max(property, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the system property repartee.loops is how many threads serve sockets, from 1 to"
                + " 9999, not '" + property + "'");
  }

  /** The test process has two loops. */
  @Test
  void connectionsAreSpreadAndEachHasOneThread() throws Exception {
    Map<Peer, Set<Thread>> threads = new ConcurrentHashMap<>();
    Service service = Service.builder()
        .method("thread", Lane.INLINE, call -> {
          threads.computeIfAbsent(call.peer(), peer -> new HashSet<>()).add(Thread.currentThread());
          return Thread.currentThread().getName();
        })
        .build();
    Map<Peer, Thread> ends = new ConcurrentHashMap<>();
    Listener listener = new Listener() {
      @Override
      public void connected(Peer peer) {
        threads.put(peer, new HashSet<>(Set.of(Thread.currentThread())));
      }

      @Override
      public void disconnected(Peer peer, @Nullable Throwable cause) {
        ends.put(peer, Thread.currentThread());
      }
    };
    Server server = Repartee.listen(
        "tcp://127.0.0.1:0", service, Options.builder().listener(listener).build());
    opened.add(server);
    Map<RawPeer, Set<String>> answers = new HashMap<>();
    Set<String> all = new HashSet<>();
    while (answers.size() < CONNECTIONS || all.size() < 2 && answers.size() < MOST) {
      RawPeer peer = connect(server);
      String first = thread(peer);
      answers.put(peer, new HashSet<>(Set.of(first)));
      all.add(first);
    }
    for (int i = 0; i < CALLS; i++) {
      for (Map.Entry<RawPeer, Set<String>> one : answers.entrySet()) {
        one.getValue().add(thread(one.getKey()));
      }
    }
    assertThat(answers.values()).allSatisfy(names -> assertThat(names).hasSize(1));
    server.close();
    assertThat(threads).hasSize(answers.size());
    assertThat(new HashSet<>(threads.values()))
        .hasSize(2)
        .allSatisfy(one -> assertThat(one).hasSize(1));
    assertThat(ends).hasSize(answers.size());
    ends.forEach((peer, thread) -> assertThat(threads.get(peer)).containsExactly(thread));
  }

  /** With one loop, the first call would wait for the second for ever. */
  @Test
  void connectionsOnTwoLoopsAreServedAtTheSameTime() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    Service service = Service.builder()
        .method("thread", Lane.INLINE, call -> Thread.currentThread().getName())
        .method("meet", Lane.INLINE, call -> both.await(Recorder.SECONDS, TimeUnit.SECONDS) >= 0)
        .build();
    Server server = Repartee.listen("tcp://127.0.0.1:0", service);
    opened.add(server);
    Map<String, RawPeer> byThread = new HashMap<>();
    for (int i = 0; i < MOST && byThread.size() < 2; i++) {
      RawPeer peer = connect(server);
      byThread.put(thread(peer), peer);
    }
    assertThat(byThread).hasSize(2);
    for (RawPeer peer : byThread.values()) {
      send(peer, "meet");
    }
    for (RawPeer peer : byThread.values()) {
      assertThat(peer.read().get("result")).isEqualTo(Json.TRUE);
    }
  }

  private RawPeer connect(Server server) throws IOException {
    RawPeer peer = new RawPeer(server);
    opened.add(peer);
    return peer;
  }

  private static String thread(RawPeer peer) throws IOException {
    send(peer, "thread");
    return peer.read().toString();
  }

  private static void send(RawPeer peer, String method) throws IOException {
    peer.send("""
        {"jsonrpc":"2.0","id":1,"method":"%s"}""".formatted(method));
  }
}
