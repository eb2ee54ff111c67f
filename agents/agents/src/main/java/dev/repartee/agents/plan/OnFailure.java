package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The consequence of a failed step: the failure of the enclosing step, or a fallback output.
 *
 * @param fallback the output of the failed step; null if the failure is passed on
 */
public record OnFailure(@Nullable Json fallback) {
  /** Passes the failure on to the enclosing step, and in the end to the run. */
  public static final OnFailure FAIL = new OnFailure(null);

  /** Continues with the output {@code null}. */
  public static final OnFailure CONTINUE = new OnFailure(Json.NULL);
}
