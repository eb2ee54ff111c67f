package dev.repartee.build.snippets;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.openrpc.Change;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.OpenRpcDiff;
import dev.repartee.openrpc.OpenRpcLayer;
import java.util.List;

/** The code of protocols/openrpc/README.md. */
final class OpenRpcTour {
  private OpenRpcTour() {}

  static List<Change> compare(byte[] file, String uri) throws Exception {
    OpenRpc released = OpenRpc.parse(file);
    try (Peer peer = Repartee.connect(uri)) {
      OpenRpc current = OpenRpc.of(peer.call("rpc.discover", Json.class));
      return OpenRpcDiff.between(released, current);
    }
  }

  static Server checked(String uri, Service service, OpenRpc document) throws Exception {
    OpenRpcLayer layer =
        OpenRpcLayer.builder(document).results(OpenRpcLayer.Results.REFUSED).build();
    return Repartee.listen(uri, service, Options.builder().layer(layer).build());
  }
}
