package dev.repartee.acp;

import dev.repartee.Handler;
import dev.repartee.Lane;
import dev.repartee.RpcException;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.message.RpcError;
import java.util.Map;

/**
 * Adds the methods of extensions. Their names start with an underscore. The methods of a connection
 * do not run in the ordered lane, in which {@code session/cancel} would wait for a running call.
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

  /** Adds the extensions. Unknown requests get an error; unknown notifications have no effect. */
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
