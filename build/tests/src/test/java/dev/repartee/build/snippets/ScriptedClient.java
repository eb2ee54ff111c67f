package dev.repartee.build.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.*;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelPair;

/** The code of tools/testkit/README.md. */
final class ScriptedClient {
  private ScriptedClient() {}

  static void play(Service service) {
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    try (Peer server = Peer.open(pair.server(), service, Options.DEFAULT);
        ScriptedPeer client = ScriptedPeer.on(pair.client())) {
      client.send("{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[42,23],\"id\":7}");
      client.expect("{\"jsonrpc\":\"2.0\",\"result\":19,\"id\":7}");
      client
          .send("{\"jsonrpc\":\"2.0\",\"method\":\"subtract\",\"params\":[1,2]}")
          .expectSilence();

      CallFuture<String> name = server.callAsync("name", String.class); // in the other direction
      client.expect("{\"jsonrpc\":\"2.0\",\"method\":\"name\",\"params\":[],\"id\":1}");
      client.send("{\"jsonrpc\":\"2.0\",\"result\":\"Ada\",\"id\":1}");
      assertThat(name.await()).isEqualTo("Ada");
    }
  }
}
