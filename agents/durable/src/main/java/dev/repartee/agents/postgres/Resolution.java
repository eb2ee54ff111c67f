package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.json.Json;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The decision of a person about a step with an unknown outcome. */
public final class Resolution {
  private final @Nullable Json output;
  private final @Nullable Failure failure;

  private Resolution(@Nullable Json output, @Nullable Failure failure) {
    this.output = output;
    this.failure = failure;
  }

  /** Returns the decision that the step has taken effect. It counts as finished with the output. */
  public static Resolution done(Json output) {
    return new Resolution(output, null);
  }

  /** Returns the decision that the step has failed. The plan's rules for failures apply. */
  public static Resolution failed(String reason) {
    return new Resolution(null, new Failure(Failure.Kind.ERROR, reason));
  }

  /**
   * Returns the decision to run the step again, because it had no effect, or may take effect twice.
   */
  public static Resolution repeat() {
    return new Resolution(null, null);
  }

  /** Returns the new entry of the step; null if the step runs again. */
  Journal.@Nullable Entry apply(Journal.Entry unknown) {
    return output == null && failure == null
        ? null
        : new Journal.Entry(unknown.attempts(), unknown.started(), Instant.now(), output, failure);
  }
}
