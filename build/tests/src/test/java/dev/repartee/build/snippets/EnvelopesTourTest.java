package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.testkit.examples.ExampleMethods;
import dev.repartee.transport.ChannelPair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of protocols/envelopes/README.md. */
@Timeout(60)
class EnvelopesTourTest {
  @Test
  void aCallOverJsonRpc10() throws Exception {
    assertThat(EnvelopesTour.subtract(new ExampleMethods().service())).isEqualTo(19);
  }

  @Test
  void anAdapterSendsTheEventOfThePage() {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Service service = Service.of(new EnvelopesTour.Adapter());
    try (Peer adapter = Peer.open(pair.server(), service, EnvelopesTour.options());
        ScriptedPeer client = ScriptedPeer.on(pair.client())) {
      client
          .send("{\"type\":\"request\",\"command\":\"next\",\"arguments\":{\"threadId\":1},"
              + "\"seq\":7}")
          .expect(
              "{\"type\":\"event\",\"event\":\"stopped\",\"body\":{\"reason\":\"step\"},\"seq\":1}",
              "{\"type\":\"response\",\"request_seq\":7,\"success\":true,\"command\":\"next\","
                  + "\"body\":{},\"seq\":2}");
      assertThat(adapter.isOpen()).isTrue();
    }
  }
}
