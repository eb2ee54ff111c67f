package dev.repartee.build.snippets;

import dev.repartee.*;
import dev.repartee.json.Json;
import dev.repartee.json.TypeToken;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The code of core/README.md on the protocols of other people. */
final class EditorTour {
  private EditorTour() {}

  record InitializeParams(Optional<Long> processId, Json capabilities) {}

  record Position(int line, int character) {}

  record HoverParams(Position position) {}

  record Hover(String contents) {}

  static class Editor {
    @Rpc(paramsObject = true)
    public Map<String, Json> initialize(InitializeParams params) {
      return Map.of("capabilities", Json.of(Map.of("hoverProvider", true)));
    }

    @Rpc("$/setTrace")
    public void trace(Call call) {} // takes any params: call.params()
  }

  static Service service() {
    return Service.builder()
        .all(Service.of(new Editor()))
        .method(
            "textDocument/hover",
            HoverParams.class,
            Hover.class,
            (params, call) -> new Hover("line " + params.position().line()))
        .build();
  }

  interface Remote {
    @Rpc(paramsObject = true)
    Json initialize(InitializeParams params);
  }

  static List<Object> call(String uri) throws Exception {
    try (Peer peer = Repartee.connect(uri)) {
      peer.proxy(Remote.class)
          .initialize(new InitializeParams(Optional.empty(), Json.EMPTY_OBJECT));
      Hover hover = peer.request("textDocument/hover")
          .params(new HoverParams(new Position(7, 0)))
          .call(Hover.class);
      Map<String, String> members = peer.request("textDocument/hover")
          .params(Map.of("position", new Position(8, 0)))
          .call(new TypeToken<Map<String, String>>() {});
      return List.of(hover.contents(), members);
    }
  }
}
