package dev.repartee;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.repartee.json.Json;
import dev.repartee.message.Notification;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Notifications to all clients of a server. */
@Timeout(60)
class BroadcastTest {
  private final BlockingQueue<Json> received = new LinkedBlockingQueue<>();
  private final Service client =
      Service.builder().method("news", call -> received.add(call.params())).build();

  @Test
  void everyClientGetsANotification() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.NONE);
        Peer one = Repartee.connect(server.endpoint(), client, Options.DEFAULT);
        Peer two = Repartee.connect(server.endpoint(), client, Options.DEFAULT)) {
      one.call("rpc.ping", String.class);
      two.call("rpc.ping", String.class);
      assertThat(server.broadcast("news", 1, null, "x")).isZero();
      for (int i = 0; i < 2; i++) {
        assertThat(received.poll(60, SECONDS)).hasToString("[1,null,\"x\"]");
      }
      assertThat(server.broadcast(new Notification("news", null))).isZero();
      assertThat(server.broadcast(new Notification("news", Json.parse("{\"a\":1}"))))
          .isZero();
    }
  }

  @Test
  void aClientThatDoesNotReadDelaysNobody() throws Exception {
    String text = "x".repeat(10_000);
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.NONE);
        Socket deaf = new Socket("127.0.0.1", server.port());
        Peer peer = Repartee.connect(server.endpoint(), client, Options.DEFAULT)) {
      deaf.getOutputStream().write("""
          {"jsonrpc":"2.0","method":"x"}
          """.getBytes());
      peer.call("rpc.ping", String.class);
      while (server.peers().size() < 2) {
        Thread.onSpinWait();
      }
      int dropped = 0;
      for (int i = 0; dropped < 100; i++) {
        dropped += server.broadcast("news", i, text);
        assertThat(received.poll(60, SECONDS)).asString().startsWith("[" + i);
      }
      server.close(Duration.ZERO);
    }
  }

  @Test
  void aLayerThatThrowsForOneClientKeepsTheNotificationFromNoOther() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    Layer layer = (call, next) -> {
      if (sent.incrementAndGet() == 1) {
        throw new IllegalStateException("not this one");
      }
      return next.handle(call);
    };
    Options options = Options.builder().callLayer(layer).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.NONE, options);
        Peer one = Repartee.connect(server.endpoint(), client, Options.DEFAULT);
        Peer two = Repartee.connect(server.endpoint(), client, Options.DEFAULT)) {
      one.call("rpc.ping", String.class);
      two.call("rpc.ping", String.class);
      assertThatIllegalStateException()
          .isThrownBy(() -> server.broadcast("news", 1))
          .withMessage("not this one");
      assertThat(received.poll(60, SECONDS)).hasToString("[1]");
      assertThat(sent).hasValue(2);
    }
  }

  @Test
  void aPeerMayTryToNotify() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", client);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.tryNotify("news", 1)).isTrue();
      assertThat(received.poll(60, SECONDS)).hasToString("[1]");
    }
  }
}
