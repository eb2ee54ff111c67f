package dev.repartee.acp;

import dev.repartee.json.Json;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.RpcError;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The variant of JSON-RPC 2.0 in ACP. {@code $/cancel_request} cancels a call, which is answered
 * with -32800. A busy peer answers with -32603, because in ACP -32000 means a missing login.
 */
final class AcpDialect implements Dialect {
  static final AcpDialect INSTANCE = new AcpDialect();

  private AcpDialect() {}

  @Override
  public boolean hasMeta() {
    return true;
  }

  @Override
  public String cancelMethod() {
    return "$/cancel_request";
  }

  @Override
  public Json cancelParams(Id id) {
    return Json.of(Map.of("requestId", id.json()));
  }

  @Override
  public @Nullable Id cancelled(@Nullable Json params) {
    Json id = params == null ? null : params.get("requestId");
    if (id == null) {
      return null;
    }
    return switch (id.kind()) {
      case STRING, NUMBER, NULL -> Id.of(id);
      default -> null;
    };
  }

  @Override
  public @Nullable String progressMethod() {
    return null;
  }

  @Override
  public RpcError busy(String limit, long max) {
    return new RpcError(
        RpcError.INTERNAL_ERROR,
        "Busy; try again later",
        Json.of(Map.of("limit", limit, "max", max)));
  }
}
