package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MemoryTransportTest {
  private static Service answering(int value) {
    return Service.builder().method("m", call -> value).build();
  }

  @Test
  void aServerAtAnyNameGetsARandomOne() throws Exception {
    try (Server one = Repartee.listen("mem:*", answering(1));
        Server other = Repartee.listen("mem:*#lenient=all", answering(2));
        Peer first = Repartee.connect(one.endpoint());
        Peer second = Repartee.connect(other.endpoint())) {
      assertThat(first.call("m", int.class)).isEqualTo(1);
      assertThat(second.call("m", int.class)).isEqualTo(2);
      assertThat(other.endpoint().options()).containsEntry("lenient", "all");
    }
  }

  @Test
  void aClientNeedsAName() throws Exception {
    Server server = Repartee.listen("mem:*", answering(1));
    try (server) {
      assertThatThrownBy(() -> Repartee.connect("mem:*"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("nothing listens there");
    }
    assertThatThrownBy(() -> Repartee.connect(server.endpoint())).isInstanceOf(IOException.class);
  }
}
