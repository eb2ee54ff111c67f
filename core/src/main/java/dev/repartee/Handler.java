package dev.repartee;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/** Implements a method: turns a call into a result. */
@FunctionalInterface
public interface Handler {
  /**
   * Handles one call, on the thread of its method's {@link Lane}. Several calls may run in
   * parallel. The thread is never interrupted; a long-running handler checks {@link
   * Call#cancellation()}.
   *
   * @return the result: a value that {@link Json#of} can write (null is a legal result), a {@link
   *     java.util.concurrent.CompletionStage} of such a value, or a stream of such values: a {@link
   *     java.util.concurrent.Flow.Publisher}, {@link java.util.stream.Stream} or {@link
   *     java.util.Iterator}. The result of a notification is discarded
   * @throws RpcException to answer with that error
   * @throws Exception any other exception is answered with -32603 without its message, unless
   *     {@link Options#exceptionMapper()} maps it to another error
   */
  @Nullable Object handle(Call call) throws Exception;
}
