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
   * Handles a call, or passes it on to {@code next} any number of times. Runs where the handler runs,
   * or, on the calling side, on the thread that calls: it must not block where those may not.
   *
   * @return what {@code next} returned, or something else; on the calling side {@code next} returns a
   *     {@link java.util.concurrent.CompletionStage}, or null for a notification
   * @throws Exception as {@link Handler#handle} does; on the calling side the call fails with it
   */
  @Nullable Object handle(Call call, Handler next) throws Exception;
}
