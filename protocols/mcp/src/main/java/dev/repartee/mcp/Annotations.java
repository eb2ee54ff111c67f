package dev.repartee.mcp;

import dev.repartee.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a client may use a piece of content or a resource.
 *
 * @param audience whom it is for; empty where nothing is said
 * @param priority from 0, optional, to 1, effectively required; null where nothing is said
 * @param lastModified when it changed last, an ISO 8601 time; null where nothing is said
 */
public record Annotations(
    List<Role> audience,
    @Nullable Double priority,
    @Nullable String lastModified) {
  /** Refuses a priority out of its range. */
  public Annotations {
    audience = List.copyOf(audience);
    if (priority != null && !(priority >= 0 && priority <= 1)) {
      throw new IllegalArgumentException("a priority is a number from 0 to 1, not " + priority);
    }
  }

  Json json() {
    return new Members()
        .putAll("audience", audience.stream().map(Role::label).toList())
        .put("priority", priority)
        .put("lastModified", lastModified)
        .json();
  }
}
