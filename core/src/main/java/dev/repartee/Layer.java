package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * An interceptor of calls: for metrics, authentication, retries, limits or tracing. Both directions
 * use this interface: {@link Options#layers()} surround the handlers of this side, {@link
 * Options#callLayers()} surround its outgoing calls. Each element of a batch passes separately.
 */
@FunctionalInterface
public interface Layer {
  /**
   * Handles a call, or passes it on to {@code next} any number of times. Runs on the thread of the
   * handler or, for outgoing calls, on the thread that makes the call. It must not block where that
   * thread must not.
   *
   * @return the value that {@code next} returned, or another one. For outgoing calls {@code next}
   *     returns a {@link java.util.concurrent.CompletionStage}, or null for a notification
   * @throws Exception as {@link Handler#handle} does; an outgoing call fails with this exception
   */
  @Nullable Object handle(Call call, Handler next) throws Exception;
}
