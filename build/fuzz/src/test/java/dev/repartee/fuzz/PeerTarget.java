package dev.repartee.fuzz;

import static dev.repartee.fuzz.Check.check;
import static dev.repartee.fuzz.Check.same;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.limits.Limits;
import dev.repartee.testkit.ScriptedPeer;
import dev.repartee.transport.ChannelPair;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a peer answers each frame with the right reply and continues. All inputs share one
 * connection in memory.
 */
final class PeerTarget {
  private static final String PROBE = """
      {"jsonrpc":"2.0","method":"rpc.ping","id":"probe"}""";
  private static final String PROBED = """
      {"jsonrpc":"2.0","result":"pong","id":"probe"}""";

  private static @Nullable ScriptedPeer client;

  private PeerTarget() {}

  private static ScriptedPeer client() {
    ScriptedPeer open = client;
    if (open == null) {
      ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
      Peer.open(pair.server(), Methods.service(), Options.DEFAULT);
      open = ScriptedPeer.on(pair.client());
      client = open;
    }
    return open;
  }

  static void run(byte[] input) {
    ScriptedPeer peer = client();
    try {
      peer.channel().send(input);
      Reply owed = Reply.to(Tree.message(input, Limits.DEPTH), Limits.DEFAULT, true);
      peer.send(PROBE);
      if (owed == null) {
        same("the only answer", PROBED, peer.receive());
        return;
      }
      List<String> heard = List.of(peer.receive(), peer.receive());
      check(heard.contains(PROBED), "the probe is not answered but " + heard);
      String reply =
          heard.get(heard.indexOf(PROBED) == 0 ? 1 : 0); // some calls take longer than the probe
      owed.expect(reply.getBytes(UTF_8));
    } catch (RuntimeException | Error e) {
      client = null; // the next input gets a new connection
      throw e;
    }
  }
}
