package dev.repartee.conformance;

import dev.repartee.Json;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Answers calls as the script says that is played just now. */
interface ScriptedServer extends AutoCloseable {
  /** Where it listens. */
  String uri();

  /** Answers so from now on, as a {@link Script} is written, and forgets what was heard. */
  void play(Json script) throws IOException;

  /** What is wrong with the call that was made, or null if nothing is. */
  @Nullable String fault() throws IOException;

  @Override
  void close();

  /** Why that is no call as a client owes it; null if it is one (JSON-RPC 2.0 section 4). */
  static @Nullable String fault(@Nullable Json call) {
    if (call == null) {
      return "it is not JSON";
    }
    Json version = call.get("jsonrpc");
    Json method = call.get("method");
    Json params = call.get("params");
    Json id = call.get("id");
    if (version == null || !version.toString().equals("\"2.0\"")) {
      return "its member jsonrpc is not \"2.0\"";
    }
    if (method == null || method.kind() != Json.Kind.STRING) {
      return "its method is no string";
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
