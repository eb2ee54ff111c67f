package dev.repartee.dap;

import dev.repartee.RpcException;
import dev.repartee.dap.types.Message;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.message.RpcError;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Errors of DAP: answers with {@code success: false}. An adapter throws {@link #error}; a client
 * reads the error of a failed call with {@link #message} and {@link #text}.
 */
public final class DapErrors {
  private static final String NOT_STOPPED = "notStopped";
  private static final int MAX_TEXT = 64 << 10;
  private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)}");

  private DapErrors() {}

  /**
   * Returns an exception for an answer with this text. An adapter throws it.
   *
   * @param id identifies the error within the adapter
   */
  public static RpcException error(int id, String text) {
    return new RpcException(id, text);
  }

  /**
   * Returns an exception for an answer with a structured error. An adapter throws it. The
   * {@code message} of the answer is the text with the variables.
   */
  public static RpcException error(Message message) {
    return new RpcException(message.id(), text(message), Map.of("error", message));
  }

  /**
   * Returns an exception for a request that needs a stopped debuggee while it runs. Clients do not
   * show this error to the user.
   */
  public static RpcException notStopped() {
    return new RpcException(RpcError.NO_CODE, NOT_STOPPED);
  }

  /** Returns whether a call failed because the debuggee is running. */
  public static boolean isNotStopped(RpcException failure) {
    return failure.error().message().equals(NOT_STOPPED);
  }

  /** Returns the structured error of a failed call; null if the adapter has sent none. */
  public static @Nullable Message message(RpcException failure) {
    Json data = failure.data();
    Json error = data == null ? null : data.get("error");
    try {
      return error == null ? null : error.as(Message.class);
    } catch (JsonException e) {
      return null; // the text of the answer remains
    }
  }

  /**
   * Returns the text of a failed call for the user: the text of the structured error with its
   * variables, otherwise the {@code message} of the answer.
   */
  public static String text(RpcException failure) {
    Message message = message(failure);
    return message == null ? failure.error().message() : text(message);
  }

  /**
   * Returns the text of a structured error. A placeholder is replaced by the variable of that name;
   * a placeholder without a variable is not changed. A text with variables is truncated to 65,536
   * characters.
   */
  public static String text(Message message) {
    Map<String, String> variables = message.variables();
    if (variables == null) {
      return message.format();
    }
    StringBuilder text = new StringBuilder();
    Matcher placeholder = VARIABLE.matcher(message.format());
    // A few bytes of a message can expand to very many characters.
    while (text.length() < MAX_TEXT && placeholder.find()) {
      placeholder.appendReplacement(text, "");
      text.append(variables.getOrDefault(placeholder.group(1), placeholder.group()));
    }
    if (text.length() < MAX_TEXT) {
      placeholder.appendTail(text);
    }
    return Text.shortened(text.toString(), MAX_TEXT);
  }
}
