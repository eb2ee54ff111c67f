package dev.repartee.conformance;

import dev.repartee.json.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A server that answers calls according to a script. */
interface ScriptedServer extends AutoCloseable {
  /** Returns the URI of the server. */
  String uri();

  /** Uses another {@link Script} from now on, and resets {@link #fault()}. */
  void play(Json script) throws IOException;

  /** Returns the fault of the client's call, or null if the call was right. */
  @Nullable String fault() throws IOException;

  @Override
  void close();

  /** Returns the violation of JSON-RPC 2.0 section 4 in a call, or null if it is valid. */
  static @Nullable String fault(@Nullable Json call) {
    if (call == null) {
      return "its message is not JSON";
    }
    Json version = call.get("jsonrpc");
    String method = call.string("method");
    Json params = call.get("params");
    Json id = call.get("id");
    if (version == null || !version.toString().equals("\"2.0\"")) {
      return "its member jsonrpc is not \"2.0\"";
    }
    if (method == null) {
      return "its method is not a string";
    }
    if (params != null && params.kind() != Json.Kind.ARRAY && params.kind() != Json.Kind.OBJECT) {
      return "its params are neither array nor object";
    }
    if (id == null || id.kind() != Json.Kind.STRING && id.kind() != Json.Kind.NUMBER) {
      return "its id is neither string nor number";
    }
    return null;
  }
}
