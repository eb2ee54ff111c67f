package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.Handler;
import dev.repartee.Layer;
import dev.repartee.RpcException;
import dev.repartee.message.RpcError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a call has ended.
 *
 * @param code the code of the error that answers it; null if there is none
 * @param type the class of the failure: the code, the name of an exception, or a term of a
 *     convention; null for a success
 */
record Outcome(@Nullable String code, @Nullable String type) {
  /** The type of a result that is a failure, by the conventions for MCP. */
  static final String TOOL_ERROR = "tool_error";

  /** The first of the codes that JSON-RPC reserves; {@link RpcError#BUSY} is the last. */
  private static final int RESERVED = -32768;

  private static final int HTTP_ERROR = 400;
  private static final int HTTP_END = 600;

  static final Outcome SUCCESS = new Outcome(null, null);

  /** Returns the outcome of a call with that answer; null for a result. */
  static Outcome of(@Nullable RpcError error) {
    return error == null ? SUCCESS : ofCode(error.code());
  }

  /** Returns the outcome of a call with this failure; null for a result. */
  static Outcome of(@Nullable Throwable failure) {
    if (failure == null) {
      return SUCCESS;
    }
    return failure instanceof RpcException answer
        ? ofCode(answer.code())
        : new Outcome(null, failure.getClass().getName());
  }

  private static Outcome ofCode(int code) {
    String text = Integer.toString(code);
    return new Outcome(text, text);
  }

  /**
   * Handles a served call and reports its outcome: after the answer to a request, or after the
   * handler of a notification.
   */
  static @Nullable Object whenServed(Call call, Handler next, Consumer<Outcome> ended)
      throws Exception {
    if (call.id() != null) {
      call.whenAnswered(error -> ended.accept(of(error)));
      return next.handle(call);
    }
    return Layer.whenDone(call, next, (result, failure) -> ended.accept(of(failure)));
  }

  /** Returns whether there is an answer: an error, or a result, which may report a failure. */
  boolean isAnswered() {
    return type == null || code != null || type.equals(TOOL_ERROR);
  }

  /**
   * Returns whether servers answer with this code before they look for the method: a code of
   * JSON-RPC except -32602 and -32603, or a status of HTTP, such as 403 and 429.
   */
  boolean isRefusal() {
    if (code == null) {
      return false;
    }
    int number = Integer.parseInt(code);
    return number >= RESERVED && number <= RpcError.BUSY
        ? number != RpcError.INVALID_PARAMS && number != RpcError.INTERNAL_ERROR
        : number >= HTTP_ERROR && number < HTTP_END;
  }
}
