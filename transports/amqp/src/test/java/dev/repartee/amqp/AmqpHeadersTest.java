package dev.repartee.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.CallBuilder;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.broker.server.RabbitServer;
import dev.repartee.testkit.contract.HeaderContract;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Endpoint;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("ci")
class AmqpHeadersTest extends HeaderContract {
  private final Rabbit rabbit = Rabbit.shared();

  @Override
  protected Endpoint endpoint() {
    return Endpoint.parse(rabbit.uri("test-" + UUID.randomUUID()));
  }

  public static class Echo {
    @Rpc
    public String echo(String text) {
      return text;
    }
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void onlyACallFailsWhoseHeadersDoNotFitIntoAFrame() throws Exception {
    try (RabbitServer small = RabbitServer.start("frame_max = 8192\n")) {
      String uri = small.uri("small");
      try (Server server = Repartee.listen(uri, Service.of(new Echo()));
          Peer client = Repartee.connect(server.endpoint().toString())) {
        assertThat(client.call("echo", String.class, "before")).isEqualTo("before");
        CallBuilder large =
            client.request("echo").args("large").header("Large", "x".repeat(10_000));
        assertThatThrownBy(() -> large.call(String.class))
            .isInstanceOf(DisconnectedException.class)
            .hasMessageContaining("headers")
            .hasMessageNotContaining("xxx");
        assertThat(client.call("echo", String.class, "after")).isEqualTo("after");
        assertThat(client.isOpen()).isTrue();
      }
    }
  }
}
