package dev.repartee.cli.options;

import dev.repartee.RpcError;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;

/** The error object of an error response, for the output. */
public final class ErrorObject {
  private ErrorObject() {}

  /** Returns the error as a JSON object, with its data unchanged. */
  public static Json of(RpcError error) {
    return new JsonObjectBuilder()
        .put("code", error.code())
        .put("message", error.message())
        .put("data", error.data())
        .build();
  }
}
