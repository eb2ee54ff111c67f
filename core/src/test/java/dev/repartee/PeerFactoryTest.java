package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.repartee.transport.http.HttpAcceptor;
import java.util.concurrent.atomic.AtomicInteger;
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

  @Test
  void framesThatComeAloneAreNotServedByIt() {
    HttpAcceptor acceptor = channel -> {};
    assertThat(acceptor.http("/")).isNull();
    assertThatIllegalStateException().isThrownBy(acceptor::responder);
  }
}
