package dev.repartee.mcp.client;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Proposals for an argument of a prompt or for a variable of a resource template.
 *
 * @param values the proposals, best first; at most 100
 * @param total the number of all proposals, or null if it is not known
 * @param hasMore whether there are more than {@code values}
 */
public record Completion(List<String> values, @Nullable Long total, boolean hasMore) {
  /** Copies the values. */
  public Completion {
    values = List.copyOf(values);
  }
}
