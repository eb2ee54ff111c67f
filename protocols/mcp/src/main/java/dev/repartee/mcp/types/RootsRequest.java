package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.mcp.wire.JsonObjectReader;
import java.util.List;

/** A request for the roots of the client. */
public record RootsRequest() implements InputRequest {
  private static final Json CAPABILITY = Json.parse("{\"roots\":{}}");

  /**
   * Returns the roots in the client's answer, which may be empty.
   *
   * @throws dev.repartee.RpcException -32602 if the answer has another shape
   */
  public static List<Root> rootsIn(Json answer) {
    Json roots = answer.get("roots");
    return roots == null
        ? List.of()
        : roots.elements().stream().map(JsonObjectReader::of).map(Root::of).toList();
  }

  @Override
  public String method() {
    return "roots/list";
  }

  @Override
  public Json params(Revision revision) {
    return Json.EMPTY_OBJECT;
  }

  @Override
  public Json capability() {
    return CAPABILITY;
  }

  @Override
  public boolean isTakenBy(ClientCapabilities capabilities) {
    return capabilities.roots();
  }

  @Override
  public void check(Json answer) {
    rootsIn(answer);
  }
}
