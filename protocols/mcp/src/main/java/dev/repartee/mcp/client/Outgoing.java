package dev.repartee.mcp.client;

import dev.repartee.json.Json;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.LogLevel;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client, before the revision adds its metadata.
 *
 * @param method the method
 * @param params the params without {@code _meta}
 * @param timeout the time to wait for the result, whatever rounds it takes; zero for no limit
 * @param longest the time to wait in all if progress starts the time-out again; null if it does not
 * @param progress the consumer of progress, or null
 * @param level the log level of this request, or null for that of the client
 * @param meta further members of {@code _meta}
 * @param tasks whether the server may make a task of the request
 * @param elicitation answers the questions within the result of this request; null for the handler
 *     of the client
 */
record Outgoing(
    String method,
    Json params,
    Duration timeout,
    @Nullable Duration longest,
    @Nullable Consumer<Progress> progress,
    @Nullable LogLevel level,
    Map<String, Json> meta,
    boolean tasks,
    @Nullable Function<Elicitation, Elicitation.Answer> elicitation) {
  static Outgoing of(String method, Json params, Duration timeout) {
    return new Outgoing(method, params, timeout, null, null, null, Map.of(), false, null);
  }

  Outgoing withTasks() {
    return new Outgoing(method, params, timeout, longest, progress, level, meta, true, elicitation);
  }

  /** Returns the params in an experimental task of 2025-11-25. */
  Outgoing with(String name, Json value) {
    Map<String, Json> members = params.members();
    members.put(name, value);
    return new Outgoing(
        method, Json.of(members), timeout, longest, progress, level, meta, tasks, elicitation);
  }
}
