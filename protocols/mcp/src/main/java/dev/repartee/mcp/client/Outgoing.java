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
 * @param timeout the time to wait for the result through all rounds; zero for no limit
 * @param longest the maximum total time if progress restarts the time-out; null if it does not
 * @param progress the consumer of progress, or null
 * @param level the log level of this request, or null for the level of the client
 * @param meta further members of {@code _meta}
 * @param tasks whether the server may run the request as a task
 * @param independent whether the deadline of a call that the sending thread serves does not apply
 * @param elicitation answers the questions in the result of this request; null for the handler of
 *     the client
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
    boolean independent,
    @Nullable Function<Elicitation, Elicitation.Answer> elicitation) {
  static Outgoing of(String method, Json params, Duration timeout) {
    return new Outgoing(method, params, timeout, null, null, null, Map.of(), false, false, null);
  }

  Outgoing withTasks() {
    return new Outgoing(
        method, params, timeout, longest, progress, level, meta, true, independent, elicitation);
  }

  /** Returns the request with one more member in its params. */
  Outgoing with(String name, Json value) {
    Map<String, Json> members = params.members();
    members.put(name, value);
    return new Outgoing(
        method,
        Json.of(members),
        timeout,
        longest,
        progress,
        level,
        meta,
        tasks,
        independent,
        elicitation);
  }
}
