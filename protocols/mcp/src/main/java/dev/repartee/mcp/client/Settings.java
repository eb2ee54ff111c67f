package dev.repartee.mcp.client;

import dev.repartee.Options;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Implementation;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.Sampling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The settings of a client; see {@link McpClient.Builder}. */
record Settings(
    Implementation self,
    Options options,
    Duration timeout,
    Clock clock,
    Set<Revision> revisions,
    boolean strict,
    @Nullable HttpAuthorization authorization,
    @Nullable Function<Elicitation, Elicitation.Answer> elicitation,
    @Nullable Function<Sampling, Sampling.Answer> sampling,
    @Nullable Supplier<List<Root>> roots,
    @Nullable Consumer<LogMessage> log,
    @Nullable Consumer<String> stderr,
    Map<String, Json> extensions) {
  /** The extension of tasks. */
  static final String TASKS = "io.modelcontextprotocol/tasks";

  /** Returns the newest allowed revision with or without a handshake, or null. */
  @Nullable Revision newest(boolean stateless) {
    return newest(revision -> revision.isStateless() == stateless);
  }

  /** Returns the newest allowed revision that passes a test, or null. */
  @Nullable Revision newest(Predicate<Revision> fits) {
    Revision newest = null;
    for (Revision revision : revisions) {
      if (fits.test(revision) && (newest == null || revision.isAtLeast(newest))) {
        newest = revision;
      }
    }
    return newest;
  }

  /**
   * Returns the capabilities of this client in a revision.
   *
   * @param tasks whether to declare the extension of tasks
   */
  Json capabilities(Revision revision, boolean tasks) {
    JsonObjectBuilder all = new JsonObjectBuilder();
    if (roots != null) {
      all.put(
          "roots",
          revision.isStateless() ? Json.EMPTY_OBJECT : Json.parse("{\"listChanged\":true}"));
    }
    if (sampling != null) {
      all.put("sampling", Json.EMPTY_OBJECT);
    }
    if (elicitation != null && revision.isAtLeast(Revision.V2025_06_18)) {
      boolean modes = revision.isAtLeast(Revision.V2025_11_25);
      all.put("elicitation", modes ? Json.parse("{\"form\":{},\"url\":{}}") : Json.EMPTY_OBJECT);
    }
    if (revision.isStateless()) {
      JsonObjectBuilder declared = new JsonObjectBuilder();
      extensions.forEach(declared::put);
      if (tasks && !extensions.containsKey(TASKS)) {
        declared.put(TASKS, Json.EMPTY_OBJECT);
      }
      Json json = declared.build();
      all.put("extensions", json.equals(Json.EMPTY_OBJECT) ? null : json);
    }
    return all.build();
  }
}
