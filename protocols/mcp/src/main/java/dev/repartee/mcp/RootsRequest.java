package dev.repartee.mcp;

import dev.repartee.json.Json;

/** A request for the roots of the client. */
public record RootsRequest() implements InputRequest {
  private static final Json CAPABILITY = Json.parse("{\"roots\":{}}");

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
    McpCall.rootsIn(answer);
  }
}
