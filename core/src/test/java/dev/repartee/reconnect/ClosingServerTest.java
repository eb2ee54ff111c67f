package dev.repartee.reconnect;

import static dev.repartee.Outcomes.failure;
import static dev.repartee.Outcomes.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.RawPeer;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that closes answers its running calls, and new calls use the next connection. */
@Timeout(60)
class ClosingServerTest {
  private final FakeClock clock = new FakeClock();
  private final Events events = new Events();

  private Peer connect(RawServer server) throws IOException {
    return Reconnecting.to(server.uri())
        .clock(clock, () -> 0.5)
        .backoff(Backoff.DEFAULT.max(Duration.ofSeconds(1)))
        .listener(events)
        .connect();
  }

  private static void announceClosing(RawPeer connection) throws IOException {
    connection.send("""
        {"jsonrpc":"2.0","method":"rpc.closing"}""");
  }

  private RawPeer next(RawServer server) throws IOException {
    clock.advanceToTimer();
    return server.accept();
  }

  @Test
  void newCallsUseANewConnectionWhileTheOldOneAnswersItsCalls() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = connect(raw);
        RawPeer closing = raw.accept()) {
      CallFuture<Integer> slow = peer.callAsync("slow", Integer.class);
      Json request = closing.read();
      announceClosing(closing);
      try (RawPeer next = next(raw)) {
        CallFuture<Integer> quick = peer.callAsync("quick", Integer.class);
        next.serve("quick", "1");
        assertThat(get(quick)).isEqualTo(1);
        assertThat(slow).isNotDone();
        closing.answer(request, "2");
        assertThat(get(slow)).isEqualTo(2);
        assertThat(closing.isOver())
            .as("the old connection has no further purpose")
            .isTrue();
        assertThat(peer.callAsync("quick", Integer.class)).isNotDone();
        assertThat(next.readMethod()).isEqualTo("quick");
      }
    }
    assertThat(events.all)
        .startsWith("connected 1", "disconnected")
        .anyMatch(event -> event.startsWith("retrying 2 in ") && event.endsWith(" is closing"))
        .contains("connected 2");
  }

  @Test
  void aRefusedCallIsHandledOverANewConnectionWhileTheOldOneAnswersItsCalls() throws Exception {
    try (RawServer raw = new RawServer();
        Peer peer = connect(raw);
        RawPeer closing = raw.accept()) {
      CallFuture<Integer> slow = peer.callAsync("slow", Integer.class);
      Json request = closing.read();
      CallFuture<Integer> refused = peer.callAsync("buy", Integer.class);
      closing.send("""
          {"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"Closing","data":\
          {"limit":"closing","max":0}}}""".formatted(closing.read().get("id")));
      try (RawPeer next = next(raw)) {
        next.serve("buy", "1");
        assertThat(get(refused)).isEqualTo(1);
        assertThat(slow).isNotDone();
        closing.answer(request, "2");
        assertThat(get(slow)).isEqualTo(2);
      }
    }
  }

  @Test
  void closingThePeerFailsTheCallsOfTheOldConnection() throws Exception {
    try (RawServer raw = new RawServer()) {
      Peer peer = connect(raw);
      try (RawPeer closing = raw.accept()) {
        CallFuture<Integer> slow = peer.callAsync("slow", Integer.class);
        closing.read();
        announceClosing(closing);
        try (RawPeer next = next(raw)) {
          peer.close();
          assertThat(failure(slow)).isInstanceOf(DisconnectedException.class);
          assertThat(closing.isOver()).isTrue();
          assertThat(next.isOver()).isTrue();
        }
      }
      assertThat(clock.timers()).isZero();
    }
  }

  @Test
  void atMostEightOldConnectionsRemain() throws Exception {
    List<RawPeer> connections = new ArrayList<>();
    List<CallFuture<Integer>> calls = new ArrayList<>();
    try (RawServer raw = new RawServer();
        Peer peer = connect(raw)) {
      for (int i = 0; i < 9; i++) {
        RawPeer connection = i == 0 ? raw.accept() : next(raw);
        connections.add(connection);
        calls.add(peer.callAsync("slow", Integer.class));
        assertThat(connection.readMethod()).isEqualTo("slow");
        announceClosing(connection);
      }
      assertThat(failure(calls.get(0))).isInstanceOf(DisconnectedException.class);
      assertThat(connections.get(0).isOver()).isTrue();
      assertThat(calls.subList(1, 9)).noneMatch(CallFuture::isDone);
    } finally {
      for (RawPeer each : connections) {
        each.close();
      }
    }
  }
}
