package dev.repartee.spring;

import dev.repartee.Options;

/**
 * Changes the options of clients: header fields by a {@code Supplier}, layers, limits. All beans of
 * this type are called in their order, once for each interface with {@link RpcClient}. {@link
 * Options.Builder#headers} sets header fields of each call over HTTP, and of the handshake of each
 * WebSocket.
 *
 * <pre>{@code
 * @Bean
 * RpcClientCustomizer login(Tokens tokens) {
 *   return (type, options) ->
 *       options.headers(() -> Map.of("Authorization", "Bearer " + tokens.current()));
 * }
 * }</pre>
 */
@FunctionalInterface
public interface RpcClientCustomizer {
  /**
   * Changes the options of a client.
   *
   * @param type the interface with {@link RpcClient}
   */
  void customize(Class<?> type, Options.Builder options);
}
