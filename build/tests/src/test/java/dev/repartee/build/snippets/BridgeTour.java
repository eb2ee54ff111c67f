package dev.repartee.build.snippets;

import dev.repartee.bridge.Bridge;
import java.io.IOException;

/** The code of tools/bridge/README.md. */
final class BridgeTour {
  private BridgeTour() {}

  static Bridge webSocketTo(String backend) throws IOException {
    Bridge bridge = Bridge.to(backend).open();
    bridge.listen("http://127.0.0.1:0/"); // HTTP and WebSocket
    return bridge;
  }
}
