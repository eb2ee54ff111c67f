package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.bridge.Bridge;
import dev.repartee.testkit.examples.ExampleMethods;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the code of tools/bridge/README.md. */
@Timeout(60)
class BridgeTourTest {
  @Test
  void aBridgeOverHttp() throws Exception {
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", new ExampleMethods().service());
        Bridge bridge = BridgeTour.webSocketTo(server.endpoint().toString());
        Server also = bridge.listen("tcp://127.0.0.1:0");
        Peer client = Repartee.connect(also.endpoint())) {
      assertThat(client.call("subtract", int.class, 42, 23)).isEqualTo(19);
    }
  }
}
