package dev.repartee.mcp;

import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Converts the return values of handlers, which may be stages. */
final class Stages {
  private Stages() {}

  /** Converts the return value of a handler, now or when its stage completes. */
  static @Nullable Object map(
      @Nullable Object value, Function<@Nullable Object, ? extends @Nullable Object> form) {
    return value instanceof CompletionStage<?> stage ? stage.thenApply(form) : form.apply(value);
  }
}
