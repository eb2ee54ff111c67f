package dev.repartee.spring;

import dev.repartee.message.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * Maps exceptions of served methods to errors of JSON-RPC, as {@code @ControllerAdvice} does for
 * controllers. The beans of this type are called in their order until one returns an error. The
 * mappers of the starter for Spring Security and Jakarta Validation are the last ones; without a
 * mapper an exception is answered with -32603 and no detail.
 */
@FunctionalInterface
public interface RpcExceptionMapper {
  /**
   * Returns the error to answer with, or null to leave the exception to the next mapper. The error
   * is sent to the caller and must not contain secrets.
   */
  @Nullable RpcError map(Throwable failure);
}
