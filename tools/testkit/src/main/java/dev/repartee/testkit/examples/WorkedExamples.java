package dev.repartee.testkit.examples;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The examples of JSON-RPC 2.0 section 7, for a server with {@link ExampleMethods}. Their errors
 * have a sentence in {@code data}; section 5.1 allows any value there.
 */
public final class WorkedExamples {
  private WorkedExamples() {}

  /**
   * One example.
   *
   * @param name the rule that it shows
   * @param sent the frame to send
   * @param answer the expected answer, or null if there must be none
   */
  public record Example(String name, String sent, @Nullable String answer) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Returns all examples, in the order of the specification. */
  public static List<Example> all() {
    String number = invalid("the message is a number, but has to be an object");
    return List.of(
        new Example("positional parameters", call("subtract", "[42,23]", "1"), result("19", "1")),
        new Example(
            "positional parameters the other way",
            call("subtract", "[23,42]", "2"),
            result("-19", "2")),
        new Example(
            "named parameters",
            call("subtract", "{\"subtrahend\":23,\"minuend\":42}", "3"),
            result("19", "3")),
        new Example(
            "named parameters in another order",
            call("subtract", "{\"minuend\":42,\"subtrahend\":23}", "4"),
            result("19", "4")),
        new Example(
            "a notification",
            "{\"jsonrpc\":\"2.0\",\"method\":\"update\",\"params\":[1,2,3,4,5]}",
            null),
        new Example(
            "a notification without parameters to an unknown method",
            "{\"jsonrpc\":\"2.0\",\"method\":\"foobar\"}",
            null),
        new Example(
            "a call of an unknown method",
            "{\"jsonrpc\":\"2.0\",\"method\":\"foobar\",\"id\":\"1\"}",
            notFound("\"1\"")),
        new Example(
            "invalid JSON",
            "{\"jsonrpc\":\"2.0\",\"method\":\"foobar, \"params\":\"bar\",\"baz]",
            parseError("at offset 36: expected ',' or '}'")),
        new Example(
            "an invalid request object",
            "{\"jsonrpc\":\"2.0\",\"method\":1,\"params\":\"bar\"}",
            invalid("the member 'method' is a number, but has to be a string")),
        new Example(
            "a batch that is invalid JSON",
            "[" + call("sum", "[1,2,4]", "\"1\"") + ",{\"jsonrpc\":\"2.0\",\"method\"]",
            parseError("at offset 85: expected ':' after a member name")),
        new Example("an empty batch", "[]", invalid("the batch is empty")),
        new Example("an invalid batch that is not empty", "[1]", "[" + number + "]"),
        new Example(
            "an invalid batch of several",
            "[1,2,3]",
            "[" + number + "," + number + "," + number + "]"),
        new Example(
            "a mixed batch",
            "["
                + String.join(
                    ",",
                    call("sum", "[1,2,4]", "\"1\""),
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notify_hello\",\"params\":[7]}",
                    call("subtract", "[42,23]", "\"2\""),
                    "{\"foo\":\"boo\"}",
                    call("foo.get", "{\"name\":\"myself\"}", "\"5\""),
                    "{\"jsonrpc\":\"2.0\",\"method\":\"get_data\",\"id\":\"9\"}")
                + "]",
            "["
                + String.join(
                    ",",
                    result("7", "\"1\""),
                    result("19", "\"2\""),
                    invalid("the member 'jsonrpc' is missing, but has to be '2.0'"),
                    notFound("\"5\""),
                    result("[\"hello\",5]", "\"9\""))
                + "]"),
        new Example(
            "a batch of notifications",
            "[{\"jsonrpc\":\"2.0\",\"method\":\"notify_sum\",\"params\":[1,2,4]},"
                + "{\"jsonrpc\":\"2.0\",\"method\":\"notify_hello\",\"params\":[7]}]",
            null));
  }

  private static String call(String method, String params, String id) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\""
        + method
        + "\",\"params\":"
        + params
        + ",\"id\":"
        + id
        + "}";
  }

  private static String result(String result, String id) {
    return "{\"jsonrpc\":\"2.0\",\"result\":" + result + ",\"id\":" + id + "}";
  }

  private static String notFound(String id) {
    return error(-32601, "Method not found", "rpc.discover lists the methods there are", id);
  }

  private static String parseError(String why) {
    return error(-32700, "Parse error", why, "null");
  }

  private static String invalid(String why) {
    return error(-32600, "Invalid Request", why, "null");
  }

  private static String error(int code, String message, String data, String id) {
    return "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":" + code + ",\"message\":\"" + message
        + "\",\"data\":\"" + data + "\"},\"id\":" + id + "}";
  }
}
