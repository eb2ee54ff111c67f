package dev.repartee.envelopes;

import dev.repartee.json.Json;
import dev.repartee.message.RpcError;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Maps the numbers of errors to the strings of an envelope and back. A number that the string does
 * not represent is stored in the details of the error, so that it is not lost.
 *
 * @param strings the string for a number, in an error of this side
 * @param numbers the number for a string, in a received error
 * @param otherwise the string for all other numbers
 */
record StringCodes(Map<Integer, String> strings, Map<String, Integer> numbers, String otherwise) {
  /** The member of the details with a number that the string does not represent. */
  static final String NUMBER = "rpc_code";

  /** Returns the string for a number. */
  String of(int code) {
    return strings.getOrDefault(code, otherwise);
  }

  /** Returns the number of a received error. */
  int number(String code, @Nullable Json details) {
    Integer kept = details == null ? null : JsonRpc10Codec.integer(details.get(NUMBER));
    return kept == null ? numbers.getOrDefault(code, RpcError.NO_CODE) : kept;
  }

  /**
   * Returns the details of an error of this side: its data, in the member {@code data} unless it is
   * an object, and the number if the string does not represent it.
   */
  Map<String, Json> details(RpcError error) {
    Map<String, Json> details = new LinkedHashMap<>();
    Json data = error.data();
    if (data != null && data.kind() == Json.Kind.OBJECT) {
      details.putAll(data.members());
    } else if (data != null) {
      details.put("data", data);
    }
    if (numbers.getOrDefault(of(error.code()), RpcError.NO_CODE) != error.code()) {
      details.put(NUMBER, Json.of(error.code()));
    }
    return details;
  }
}
