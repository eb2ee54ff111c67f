package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * Implements a method with typed params and a typed result; see {@link RpcMethod.Builder}.
 *
 * @param <P> the type of the params as a whole
 * @param <R> the type of the result
 */
@FunctionalInterface
public interface TypedHandler<P extends @Nullable Object, R> {
  /**
   * Handles one call, under the rules of {@link Handler#handle}.
   *
   * @param params the params as a whole
   * @param call the call, for its cancellation, progress and peer
   * @throws RpcException to answer with that error
   * @throws Exception as {@link Handler#handle} does
   */
  @Nullable R handle(P params, Call call) throws Exception;
}
