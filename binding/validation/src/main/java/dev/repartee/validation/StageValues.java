package dev.repartee.validation;

import jakarta.validation.valueextraction.ExtractedValue;
import jakarta.validation.valueextraction.ValueExtractor;
import java.util.concurrent.CompletionStage;

/**
 * Finds the value of a completed stage, so that {@code CompletionStage<@Valid Order>} can have
 * constraints as {@code Optional<@Valid Order>} can.
 */
final class StageValues implements ValueExtractor<CompletionStage<@ExtractedValue ?>> {
  @Override
  public void extractValues(CompletionStage<?> stage, ValueReceiver receiver) {
    receiver.value(null, stage.toCompletableFuture().getNow(null));
  }
}
