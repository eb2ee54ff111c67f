package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.internal.log.FailureLog;
import dev.repartee.transport.Endpoint;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Warns the operator of a server that other machines can reach without the usual protection:
 *
 * <ul>
 *   <li>{@code tcp:} without an authenticator: everybody may call.
 *   <li>{@code http:} or {@code ws:}, which are without TLS: others can read and change the calls.
 *       A server with the option {@code hosts} is behind a proxy, which is responsible for TLS.
 * </ul>
 */
final class OpenListener {
  private static final Pattern HOST = Pattern.compile("//(?:\\[([^\\]]*)\\]|([^:/?#]*)).*");

  private OpenListener() {}

  /** Writes one warning if the endpoint, which was bound, needs it. */
  static void check(Endpoint endpoint, Access access) {
    String danger = danger(endpoint, access);
    if (danger != null && isReachable(endpoint)) {
      System.getLogger(FailureLog.NAME)
          .log(Level.WARNING, "other machines can reach " + endpoint.shown() + ", " + danger);
    }
  }

  private static @Nullable String danger(Endpoint endpoint, Access access) {
    return switch (endpoint.scheme()) {
      case "tcp" ->
        access.authenticator() == null
            ? "where nobody is authenticated and everybody may call: listen at 127.0.0.1 or unix:,"
                + " at tls: with #ca=FILE, or set an authenticator in Options.access"
            : null;
      case "http", "ws" ->
        endpoint.options().containsKey("hosts")
            ? null
            : "which has no TLS: listen at " + endpoint.scheme() + "s: with #cert=FILE&key=FILE, or"
                + " at 127.0.0.1; behind a proxy with TLS, #hosts=NAME names its host";
      default -> null;
    };
  }

  /** Returns whether the address is not a loopback address. */
  private static boolean isReachable(Endpoint endpoint) {
    Matcher address = HOST.matcher(endpoint.address());
    if (!address.matches()) {
      return false;
    }
    String host = address.group(1) == null ? address.group(2) : address.group(1);
    try { // it was bound: the JDK knows its address
      return !host.isEmpty() && !InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }
}
