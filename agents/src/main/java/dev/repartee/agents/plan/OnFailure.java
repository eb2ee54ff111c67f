package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The consequence of a failed step: the failure of the step around it, or an output in place of the
 * missing one.
 *
 * @param fallback the output of the failed step; null if the failure is passed on
 */
public record OnFailure(@Nullable Json fallback) {
  /** Fails the step around the failed step, and in the end the run. */
  public static final OnFailure FAIL = new OnFailure(null);

  /** Goes on with the output {@code null}. */
  public static final OnFailure CONTINUE = new OnFailure(Json.NULL);
}
