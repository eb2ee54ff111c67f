package dev.repartee.spring;

import dev.repartee.Options;

/**
 * Changes the options of everything that the application serves with JSON-RPC: limits, binders, the
 * listener. All beans of this type are called in their order, after the properties and the beans of
 * type {@link dev.repartee.Layer} and {@link RpcExceptionMapper} are applied.
 */
@FunctionalInterface
public interface RpcServerCustomizer {
  /** Changes the options. */
  void customize(Options.Builder options);
}
