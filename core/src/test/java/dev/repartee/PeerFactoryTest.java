package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.repartee.internal.FakeClock;
import dev.repartee.transport.http.HttpAcceptor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PeerFactoryTest {
  @Test
  void eachConnectionIsServedInItsOwnWay() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    PeerFactory reception = channel -> {
      int number = connections.incrementAndGet();
      Service service = Service.builder().method("number", call -> number).build();
      return Peer.open(channel, service, Options.DEFAULT);
    };
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", reception, Options.DEFAULT)) {
      String uri = server.endpoint().toString();
      try (Peer one = Repartee.connect(uri);
          Peer two = Repartee.connect(uri)) {
        int first = one.call("number", int.class);
        assertThat(two.call("number", int.class)).isEqualTo(3 - first);
        assertThat(one.call("number", int.class)).isEqualTo(first);
        assertThat(server.peers()).hasSize(2);
      }
    }
  }

  /** The channel of a peer that runs a call for ever. */
  private static final class Busy extends KeepingChannel {
    volatile boolean closed;

    void call() {
      byte[] never = """
          {"jsonrpc":"2.0","method":"never","id":1}""".getBytes(UTF_8);
      receiver().frame(never, 0, never.length);
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      closed = true;
    }
  }

  @Test
  void aConnectionThatWasAcceptedDuringTheCloseEndsAfterTheTimeLimit() throws Exception {
    FakeClock clock = new FakeClock();
    Options options = Options.builder().clock(clock).build();
    Service service = Service.builder()
        .method("never", call -> new CompletableFuture<Object>())
        .build();
    Busy late = new Busy();
    CompletableFuture<Server> closing = new CompletableFuture<>();
    PeerFactory factory = channel -> {
      Peer peer = Peer.open(late, service, options);
      late.call();
      closing.join().close();
      return peer;
    };
    Server server = Repartee.listen("mem:late", factory, options);
    closing.complete(server);
    Peer client = Repartee.connect(server.endpoint());
    awaitLoop();
    assertThat(server.peers()).hasSize(1);
    assertThat(late.closed).isFalse();
    clock.advance(options.limits().closeTimeout());
    assertThat(late.closed).isTrue();
    client.close();
  }

  /** Waits until the thread that accepts connections of {@code mem:} has done its earlier work. */
  private static void awaitLoop() throws Exception {
    Service service = Service.builder().method("ping", call -> "pong").build();
    try (Server server = Repartee.listen("mem:loop", service);
        Peer client = Repartee.connect(server.endpoint())) {
      assertThat(client.call("ping", String.class)).isEqualTo("pong");
    }
  }

  @Test
  void framesThatComeAloneAreNotServedByIt() {
    HttpAcceptor acceptor = channel -> {};
    assertThat(acceptor.http("/")).isNull();
    assertThatIllegalStateException().isThrownBy(acceptor::responder);
  }
}
