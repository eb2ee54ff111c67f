package dev.repartee.mcp.client.http;

import dev.repartee.HttpException;
import dev.repartee.transport.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The head of an answer.
 *
 * @param headers have names in lower case
 */
record HttpHead(int status, Map<String, List<String>> headers) {
  boolean isSuccess() {
    return status < 300;
  }

  /** Returns the first value of a header, or an empty string. */
  String first(String name) {
    List<String> values = headers.get(name);
    return values == null || values.isEmpty() ? "" : values.get(0);
  }

  /** Returns the content type in lower case without parameters, or an empty string. */
  String contentType() {
    String type = first("content-type");
    int semicolon = type.indexOf(';');
    return (semicolon < 0 ? type : type.substring(0, semicolon)).strip().toLowerCase(Locale.ROOT);
  }

  /** Returns whether the body is a stream of events. */
  boolean isStream() {
    return isSuccess() && contentType().equals("text/event-stream");
  }

  /** Returns the failure of an answer without a message of the protocol. */
  HttpException refusal(String message) {
    String type = first("content-type");
    String after = first("retry-after");
    String unsent = first(HttpResponse.UNSENT);
    return new HttpException(
        message,
        status,
        type.isEmpty() ? null : type,
        after.isEmpty() ? null : after,
        unsent.isEmpty() ? null : unsent);
  }
}
