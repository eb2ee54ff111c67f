package dev.repartee.acp;

import dev.repartee.Handler;
import dev.repartee.Lane;
import dev.repartee.RpcError;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import java.util.Map;

/**
 * The methods of extensions, with names that start with an underscore. All methods of a connection
 * are inline or concurrent: an ordered one would hold back {@code session/cancel}.
 */
final class Extensions {
  private Extensions() {}

  static void require(String method) {
    if (!method.startsWith("_")) {
      throw new IllegalArgumentException(
          "the name of an extension starts with an underscore, as in '_example.com/status', not '"
              + method + "'");
    }
  }

  /** Adds the extensions, and the answers to all other messages. */
  static void add(Service.Builder service, Map<String, Handler> extensions) {
    extensions.forEach((name, handler) ->
        service.add(RpcMethod.builder(name).lane(Lane.CONCURRENT).handler(handler)));
    service.others(Lane.CONCURRENT, call -> {
      if (call.id() != null) {
        throw new RpcException(RpcError.METHOD_NOT_FOUND, "Method not found");
      }
      return null;
    });
  }
}
