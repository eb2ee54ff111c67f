package dev.repartee.transport.http.server;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The head of a received request, as its server holds it. A server implements this as a view of its
 * own type. Names of header fields are case-insensitive.
 */
public interface RequestHead {
  /** Returns the method in upper case. */
  String method();

  /** Returns whether the client uses HTTP/1.0. Servers refuse older versions. */
  boolean isHttp10();

  /** Returns the first value of a header field, or null if the head does not contain it. */
  @Nullable String header(String name);

  /** Returns all values of a header field, in the order of the head; empty for none. */
  List<String> headers(String name);

  /** Returns the length of the body in bytes, or a number below 1 if it is empty or not known. */
  long contentLength();

  /**
   * Returns whether a header field that is a list with commas contains an entry, in any case of
   * its letters.
   */
  default boolean lists(String name, String entry) {
    for (String value : headers(name)) {
      for (String each : value.split(",")) {
        if (each.strip().equalsIgnoreCase(entry)) {
          return true;
        }
      }
    }
    return false;
  }
}
