package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.RpcError;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An error of JSON-RPC. A handler throws it to answer a call with this error. Code, message and
 * data are sent to the peer; they must not contain secrets. An error that the peer has sent is a
 * {@link RemoteRpcException}.
 */
public sealed class RpcException extends ReparteeException permits RemoteRpcException {
  private static final long serialVersionUID = 1;

  /** The maximum number of bytes of the data in the message of the exception. */
  private static final int SHOWN = 200;

  private static final Pattern CONTROLS = Pattern.compile("[\\s\\p{Cc}]+");

  private static final Pattern ESCAPED = Pattern.compile("\\\\([\"\\\\/])");

  private final transient RpcError error;

  /** Creates an exception for an error without data. */
  public RpcException(int code, String message) {
    this(new RpcError(code, message));
  }

  /**
   * Creates an exception for an error with data.
   *
   * @param data a value that {@link Json#of} can write, or null for none
   * @throws IllegalArgumentException if the data cannot be written as JSON
   */
  public RpcException(int code, String message, @Nullable Object data) {
    this(new RpcError(code, message, data == null ? null : Json.of(data)));
  }

  /** Creates an exception for an error object. */
  public RpcException(RpcError error) {
    super(summary(error));
    this.error = error;
  }

  /** Creates an exception for an error that was received in answer to a call. */
  RpcException(String call, RpcError error) {
    super(call + ": " + summary(error)
        + (error.equals(Errors.INTERNAL) ? "; see the log of the other side" : ""));
    this.error = error;
  }

  private RpcException(RpcError error, boolean traced) {
    super(summary(error), null, false, traced);
    this.error = error;
  }

  /**
   * Returns an exception for params that do not fit; without a stack trace, to be cheap to create.
   */
  static RpcException invalidParams(String what) {
    return new RpcException(Errors.invalidParams(what), false);
  }

  /** Returns the message, the code and the start of the data, in one line. */
  private static String summary(RpcError error) {
    String what = error.message() + " (" + error.code() + ")";
    Json data = error.data();
    return data == null ? what : what + ": " + shown(UnsafeJson.array(data));
  }

  /**
   * Returns the start of a JSON text, with control characters as spaces; of a string without its
   * quotes, and without the escapes of printable characters in it.
   */
  private static String shown(byte[] json) {
    int quote = json[0] == '"' ? 1 : 0;
    int end = json.length - quote;
    int to = Math.min(end, quote + SHOWN);
    String text = new String(json, quote, to - quote, UTF_8);
    if (quote == 1) {
      text = ESCAPED.matcher(text).replaceAll("$1");
    }
    return CONTROLS.matcher(text).replaceAll(" ") + (to < end ? "..." : "");
  }

  /** Returns the error object. */
  public final RpcError error() {
    return error;
  }

  /** Returns the code of the error. */
  public final int code() {
    return error.code();
  }

  /** Returns the data of the error, or null if it has none. */
  public final @Nullable Json data() {
    return error.data();
  }
}
