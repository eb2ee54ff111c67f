package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The decision of a person about a step whose outcome is unknown. */
public final class Resolution {
  private final @Nullable Json output;
  private final @Nullable Failure failure;

  private Resolution(@Nullable Json output, @Nullable Failure failure) {
    this.output = output;
    this.failure = failure;
  }

  /** The step has taken effect: it counts as finished, with this output. */
  public static Resolution done(Json output) {
    return new Resolution(output, null);
  }

  /** The step has failed: the plan goes on as it says for a failure. */
  public static Resolution failed(String reason) {
    return new Resolution(null, new Failure(Failure.Kind.ERROR, reason));
  }

  /** The step has had no effect, or may have it twice: it runs again. */
  public static Resolution repeat() {
    return new Resolution(null, null);
  }

  /** Returns the new entry of the step; null if it has to run again. */
  Journal.@Nullable Entry apply(Journal.Entry unknown) {
    return output == null && failure == null
        ? null
        : new Journal.Entry(unknown.attempts(), unknown.started(), Instant.now(), output, failure);
  }
}
