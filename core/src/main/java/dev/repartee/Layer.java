package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Something around every call: metrics, authentication, retries, limits, tracing. The same interface
 * serves both sides: {@link Options#layers()} stand around the handlers of this side, {@link
 * Options#callLayers()} around the calls that leave it. Each element of a batch passes on its own.
 */
@FunctionalInterface
public interface Layer {
  /**
   * Handles a call, or passes it on to {@code next} any number of times.
   *
   * @return what {@code next} returned, or something else; on the calling side {@code next} returns a
   *     {@link java.util.concurrent.CompletionStage}
   */
  @Nullable Object handle(Call call, Handler next) throws Exception;
}
