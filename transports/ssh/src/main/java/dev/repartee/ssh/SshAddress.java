package dev.repartee.ssh;

import dev.repartee.transport.Endpoint;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The parts of {@code ssh://user@host:port/command}.
 *
 * @param user the user name; null if the URI has none
 * @param host the host name or address, without brackets
 * @param port the port
 * @param command the command without percent-encoding; empty for the subsystem
 */
record SshAddress(@Nullable String user, String host, int port, String command) {
  private static final int PORT = 22;
  private static final String LOOPBACK = "127.0.0.1";

  /** Parses the address of a server. No message shows the user or the command. */
  static SshAddress of(Endpoint endpoint) {
    String text = endpoint.address();
    if (!text.startsWith("//")) {
      throw malformed(endpoint, "has no '//' after the scheme");
    }
    int slash = text.indexOf('/', 2);
    String authority = text.substring(2, slash < 0 ? text.length() : slash);
    String command = slash < 0 ? "" : decoded(endpoint, text.substring(slash + 1));
    int at = authority.lastIndexOf('@');
    String user = at < 0 ? null : decoded(endpoint, user(endpoint, authority.substring(0, at)));
    String hostAndPort = authority.substring(at + 1);
    int colon = hostAndPort.lastIndexOf(':');
    boolean hasPort = colon > hostAndPort.lastIndexOf(']');
    String host = hasPort ? hostAndPort.substring(0, colon) : hostAndPort;
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw malformed(endpoint, "has an IPv6 address without brackets");
    }
    int port = hasPort ? port(endpoint, hostAndPort.substring(colon + 1)) : PORT;
    return new SshAddress(
        user, host.isEmpty() ? LOOPBACK : host.toLowerCase(Locale.ROOT), port, command);
  }

  private static String user(Endpoint endpoint, String text) {
    if (text.indexOf(':') >= 0) {
      throw malformed(
          endpoint,
          "has a password, which would be visible in lists of processes;"
              + " use a key or the SSH agent");
    }
    if (text.isEmpty()) {
      throw malformed(endpoint, "has no user before the '@'");
    }
    return text;
  }

  private static int port(Endpoint endpoint, String digits) {
    boolean number = digits.matches("[0-9]{1,5}");
    if (!number || Integer.parseInt(digits) > 0xFFFF) {
      throw malformed(endpoint, "has no port between 0 and 65535");
    }
    return Integer.parseInt(digits);
  }

  private static String decoded(Endpoint endpoint, String text) {
    try {
      return Endpoint.decoded(text);
    } catch (IllegalArgumentException e) {
      throw malformed(
          endpoint, "has a '%' that no two hexadecimal digits follow; write %25 for the character");
    }
  }

  private static IllegalArgumentException malformed(Endpoint endpoint, String fault) {
    return new IllegalArgumentException(
        "'" + endpoint.shown() + "' " + fault + "; an endpoint is like ssh://user@host:22/command");
  }

  /** Returns the host in the form of a file of known hosts: with the port unless it is 22. */
  String knownHost() {
    return port == PORT ? host : "[" + host + "]:" + port;
  }

  /** Returns host and port for messages. */
  String name() {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }

  /** Returns the URI for messages, without the user and the command. */
  @Override
  public String toString() {
    return "ssh://" + name();
  }
}
