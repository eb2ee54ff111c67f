package dev.repartee.cli.options;

import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.RpcError;

/** The error object of an error response, for the output. */
public final class ErrorObject {
  private ErrorObject() {}

  /** Returns the error as a JSON object, with its data unchanged. */
  public static Json of(RpcError error) {
    JsonWriter out = new JsonWriter().ascii("{\"code\":").number(error.code());
    out.ascii(",\"message\":").string(error.message());
    Json data = error.data();
    if (data != null) {
      out.ascii(",\"data\":").json(data);
    }
    return Json.parse(out.put('}').toBytes());
  }
}
