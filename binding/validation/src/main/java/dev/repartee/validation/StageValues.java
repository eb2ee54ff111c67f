package dev.repartee.validation;

import jakarta.validation.valueextraction.ExtractedValue;
import jakarta.validation.valueextraction.ValueExtractor;
import java.util.concurrent.CompletionStage;

/**
 * Finds the value of a completed stage. {@code CompletionStage<@Valid Order>} can then have
 * constraints like {@code Optional<@Valid Order>}.
 */
final class StageValues implements ValueExtractor<CompletionStage<@ExtractedValue ?>> {
  @Override
  public void extractValues(CompletionStage<?> stage, ValueReceiver receiver) {
    receiver.value(null, stage.toCompletableFuture().getNow(null));
  }
}
