package dev.repartee.mcp.types;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hints on how a client may use a content block or a resource.
 *
 * @param audience the intended readers; empty if not stated
 * @param priority the importance, from 0 (optional) to 1 (effectively required); null if not stated
 * @param lastModified the time of the last change in ISO 8601; null if not stated
 */
public record Annotations(
    List<Role> audience,
    @Nullable Double priority,
    @Nullable String lastModified) {
  /**
   * Checks the priority and copies the audience.
   *
   * @throws IllegalArgumentException if the priority is not from 0 to 1
   */
  public Annotations {
    audience = List.copyOf(audience);
    if (priority != null && !(priority >= 0 && priority <= 1)) {
      throw new IllegalArgumentException("a priority is a number from 0 to 1, not " + priority);
    }
  }

  /** Returns the JSON object in the form of the newest revision. */
  public Json json() {
    return new JsonObjectBuilder()
        .putUnlessEmpty("audience", audience.stream().map(Role::label).toList())
        .put("priority", priority)
        .put("lastModified", lastModified)
        .build();
  }
}
