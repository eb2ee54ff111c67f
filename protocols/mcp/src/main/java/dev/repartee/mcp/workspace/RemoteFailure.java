package dev.repartee.mcp.workspace;

import dev.repartee.CallTimeoutException;
import dev.repartee.ProtocolException;
import dev.repartee.RpcException;
import dev.repartee.internal.Text;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import java.util.function.Function;

/**
 * Explains to a model why a call to the server behind a tool has failed.
 *
 * @param server the noun for the server, such as {@code language server}
 * @param late a sentence with advice for a call without an answer
 * @param ended a sentence with advice for a server that has exited
 * @param text returns the message of an error that the server has answered
 */
public record RemoteFailure(
    String server, String late, String ended, Function<RpcException, String> text) {
  private static final int LONGEST = 2_000;

  /**
   * Converts a failure.
   *
   * @return a {@link ToolException} with an explanation, or the failure itself if it is not the
   *     failure of a call
   */
  public RuntimeException of(String method, RuntimeException failure) {
    String reason = Text.shortened(String.valueOf(failure.getMessage()), LONGEST);
    if (failure instanceof RpcException e) {
      return new ToolException("The " + server + " answered '" + method + "' with an error: "
          + Text.shortened(text.apply(e), LONGEST)
          + (e.code() == RpcError.NO_CODE ? "" : " (" + e.code() + ")"));
    } else if (failure instanceof CallTimeoutException) {
      return new ToolException("The " + server + " did not answer: " + reason + ". " + late);
    } else if (failure instanceof DisconnectedException) {
      return new ToolException(
          "The " + server + " ended before it answered '" + method + "': " + reason + ". " + ended);
    } else if (failure instanceof JsonException || failure instanceof ProtocolException) {
      return new ToolException(
          "The answer of the " + server + " to '" + method + "' is not valid: " + reason);
    } else if (failure instanceof LimitException) {
      return new ToolException("'" + method + "' was not sent: it would be " + reason);
    }
    return failure;
  }
}
