package dev.repartee.netty;

import java.nio.channels.ClosedChannelException;
import java.util.regex.Pattern;

/** What the system says when it cannot do something, in its words alone. */
final class SystemErrors {
  /** What epoll puts in front, as in {@code bind(..) failed with error(-98): }. */
  private static final Pattern CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  private SystemErrors() {}

  static String reason(Throwable cause) {
    String message = cause.getMessage();
    if (message == null) {
      return cause instanceof ClosedChannelException ? "it was closed" : cause.toString();
    }
    return CALL.matcher(message).replaceFirst("");
  }
}
