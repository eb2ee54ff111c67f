package dev.repartee.lsp;

import org.jspecify.annotations.Nullable;

/**
 * The arguments that language clients start servers with.
 *
 * @param uri the address of the client
 * @param clientProcess the id of the client's process; 0 if it is not given
 */
record StartArguments(String uri, long clientProcess) {
  private static final String KNOWN =
      "known are --stdio, --socket=PORT, --port=PORT, --pipe=PATH and --clientProcessId=PID";

  static StartArguments parse(String[] args) {
    String uri = null;
    long client = 0;
    for (int i = 0; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      String name = equals < 0 ? args[i] : args[i].substring(0, equals);
      String value = equals < 0 ? null : args[i].substring(equals + 1);
      if (value == null && !name.equals("--stdio") && i + 1 < args.length) {
        value = args[++i];
      }
      switch (name) {
        case "--stdio" -> uri = once(uri, "stdio:");
        case "--socket", "--port" ->
          uri = once(uri, "tcp://127.0.0.1:" + number(name, value, 65_535));
        case "--pipe" -> uri = once(uri, "unix:" + required(name, value));
        case "--clientProcessId" -> client = number(name, value, Long.MAX_VALUE);
        default -> throw new IllegalArgumentException("unknown argument '" + name + "'; " + KNOWN);
      }
    }
    return new StartArguments(uri == null ? "stdio:" : uri, client);
  }

  private static String once(@Nullable String before, String uri) {
    if (before != null) {
      throw new IllegalArgumentException("two ways to the client: " + before + " and " + uri);
    }
    return uri;
  }

  private static String required(String name, @Nullable String value) {
    if (value == null || value.isEmpty()) {
      throw new IllegalArgumentException(name + " needs a value; " + KNOWN);
    }
    return value;
  }

  private static long number(String name, @Nullable String value, long most) {
    String text = required(name, value);
    try {
      long number = Long.parseLong(text);
      if (number > 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw new IllegalArgumentException(
        name + " needs a number from 1 to " + most + ", not '" + text + "'");
  }
}
