package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A call that the other side answered with an error; thrown by a handler, it becomes that answer.
 *
 * <p>Everything in it crosses the wire: put nothing there that the peer must not see.
 */
public final class RpcException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** That many bytes of the data stand in the message. */
  private static final int SHOWN = 200;

  private static final Pattern CONTROLS = Pattern.compile("[\\s\\p{Cc}]+");

  private final transient RpcError error;

  /** An error without data. */
  public RpcException(int code, String message) {
    this(new RpcError(code, message));
  }

  /** An error with data, which {@link Json#of} must know how to write. */
  public RpcException(int code, String message, @Nullable Object data) {
    this(new RpcError(code, message, data == null ? null : Json.of(data)));
  }

  /** An error object. */
  public RpcException(RpcError error) {
    super(told(error));
    this.error = error;
  }

  private RpcException(RpcError error, boolean traced) {
    super(told(error), null, false, traced);
    this.error = error;
  }

  /** Params that do not fit; no stack trace, since hostile input must stay cheap to refuse. */
  static RpcException invalidParams(String what) {
    return new RpcException(RpcError.invalidParams(what), false);
  }

  /** The message, the code and what the data tell: one line, not without end. */
  private static String told(RpcError error) {
    String what = error.message() + " (" + error.code() + ")";
    Json data = error.data();
    return data == null ? what : what + ": " + shown(data.array());
  }

  /** A text as it stands in JSON, where no character of it ends a line. */
  private static String shown(byte[] json) {
    int quote = json[0] == '"' ? 1 : 0;
    int end = json.length - quote;
    int to = Math.min(end, quote + SHOWN);
    String text = new String(json, quote, to - quote, UTF_8);
    return CONTROLS.matcher(text).replaceAll(" ") + (to < end ? "..." : "");
  }

  /** The error object. */
  public RpcError error() {
    return error;
  }

  /** Its code. */
  public int code() {
    return error.code();
  }

  /** Its data, or null. */
  public @Nullable Json data() {
    return error.data();
  }
}
