package dev.repartee.netty;

import java.nio.channels.ClosedChannelException;
import java.util.regex.Pattern;

/** Extracts the message of the operating system from an I/O error. */
final class SystemErrors {
  /** The prefix that epoll adds, such as {@code bind(..) failed with error(-98): }. */
  private static final Pattern CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  private SystemErrors() {}

  /** Returns the message of an error without such a prefix. */
  static String reason(Throwable cause) {
    String message = cause.getMessage();
    if (message == null) {
      return cause instanceof ClosedChannelException ? "it was closed" : cause.toString();
    }
    return CALL.matcher(message).replaceFirst("");
  }
}
