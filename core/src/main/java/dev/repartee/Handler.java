package dev.repartee;

import org.jspecify.annotations.Nullable;

/** What a method does. */
@FunctionalInterface
public interface Handler {
  /**
   * Handles one call, on the thread of its method's {@link Lane}; several calls may run at once. It is
   * never interrupted: one that takes long asks {@link Call#cancellation()}.
   *
   * @return the result: a value that {@link Json#of} can write (null is a legal result), or a {@link
   *     java.util.concurrent.CompletionStage} of one. What a notification returns is dropped.
   * @throws RpcException to answer with that error
   * @throws Exception anything else is answered -32603 without a word of what it says, unless {@link
   *     Options#errors()} maps it
   */
  @Nullable Object handle(Call call) throws Exception;
}
