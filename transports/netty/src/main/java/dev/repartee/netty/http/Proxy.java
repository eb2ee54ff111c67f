package dev.repartee.netty.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.limits.NetworkRange;
import dev.repartee.transport.Endpoint;
import io.netty.util.NetUtil;
import java.util.Base64;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP proxy of a client: from the option {@code proxy} of its endpoint, or from the
 * environment variables {@code http_proxy}, {@code https_proxy}, {@code all_proxy} and {@code
 * no_proxy} that curl and most tools use.
 *
 * @param host a name or an address; IPv6 without brackets
 * @param port the port
 * @param authorization the value of {@code Proxy-Authorization}, which is secret; null for none
 */
public record Proxy(String host, int port, @Nullable String authorization) {
  private static final String NONE = "none";
  private static final Pattern FORM = Pattern.compile(
      "(?:http://)?(?:([^@/]*)@)?(\\[[0-9A-Fa-f:.]+\\]|[^\\[\\]:/?#@\\s]+)(?::([0-9]{1,5}))?/?",
      Pattern.CASE_INSENSITIVE);

  /** The port of a proxy whose URI has none, as with curl. */
  private static final int PORT = 1_080;

  /**
   * Returns the proxy for an endpoint, or null to connect directly. With the environment variables,
   * no connection to this machine goes through a proxy; with the option it may.
   *
   * @param environment returns the value of an environment variable, or null
   * @throws IllegalArgumentException if the option or the variable is malformed; the message does
   *     not contain the value, which may have a password
   */
  public static @Nullable Proxy of(
      Endpoint endpoint, HttpAddress target, UnaryOperator<@Nullable String> environment) {
    String option = endpoint.options().get("proxy");
    if (option != null) {
      return option.equals(NONE) ? null : parse(option, "the option proxy");
    }
    if (NetworkRange.isLoopback(target.host())
        || isExempt(target, first(environment, "no_proxy", "NO_PROXY"))) {
      return null;
    }
    // HTTP_PROXY in capitals is not read: in a CGI program it is a header of the request.
    String value = target.isSecure()
        ? first(environment, "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        : first(environment, "http_proxy", "all_proxy", "ALL_PROXY");
    return value == null
        ? null
        : parse(
            value,
            "the environment variable " + (target.isSecure() ? "https_proxy" : "http_proxy")
                + " or all_proxy");
  }

  private static @Nullable String first(
      UnaryOperator<@Nullable String> environment, String... names) {
    for (String name : names) {
      String value = environment.apply(name);
      if (value != null && !value.isBlank()) {
        return value.strip();
      }
    }
    return null;
  }

  private static Proxy parse(String value, String source) {
    Matcher parts = FORM.matcher(value);
    int port = -1;
    if (parts.matches()) {
      port = parts.group(3) == null ? PORT : Integer.parseInt(parts.group(3));
    }
    if (port < 0 || port > 0xFFFF) {
      throw new IllegalArgumentException(source + " is not of the form http://HOST:PORT or"
          + " http://USER:PASSWORD@HOST:PORT, with special characters as in %40; a proxy of another"
          + " kind, such as socks5: or https:, cannot be used");
    }
    String host = parts.group(2);
    String user = parts.group(1);
    return new Proxy(
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        port,
        user == null ? null : basic(user, source));
  }

  /**
   * Returns the credentials of RFC 7617; the user and the password are percent-encoded in the
   * argument.
   */
  private static String basic(String user, String source) {
    try {
      String plain = Endpoint.decoded(user);
      String both = plain.indexOf(':') < 0 ? plain + ":" : plain;
      return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(UTF_8));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          source + " has a percent sign without two hexadecimal digits in its user or password");
    }
  }

  /** Returns whether a list such as {@code example.com,.local,10.0.0.0/8,*} contains the target. */
  private static boolean isExempt(HttpAddress target, @Nullable String list) {
    if (list == null) {
      return false;
    }
    String host = target.host().toLowerCase(Locale.ROOT);
    for (String entry : list.toLowerCase(Locale.ROOT).split("[,\\s]+")) {
      String name = entry.startsWith(".") ? entry.substring(1) : entry;
      String port = ":" + target.port();
      if (name.endsWith(port) && !NetUtil.isValidIpV6Address(name)) {
        name = name.substring(0, name.length() - port.length());
      }
      if (name.startsWith("[") && name.endsWith("]")) {
        name = name.substring(1, name.length() - 1);
      }
      if (name.equals("*")
          || host.equals(name)
          || !name.isEmpty() && host.endsWith("." + name)
          || isInNetwork(host, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isInNetwork(String host, String network) {
    int slash = network.indexOf('/');
    if (slash < 0 || !network.substring(slash + 1).matches("[0-9]{1,3}")) {
      return false;
    }
    byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
    byte[] base = NetUtil.createByteArrayFromIpAddressString(network.substring(0, slash));
    int bits = Integer.parseInt(network.substring(slash + 1));
    if (address == null || base == null || address.length != base.length) {
      return false;
    }
    for (int i = 0; i < Math.min(bits, 8 * base.length); i++) {
      if (((address[i / 8] ^ base[i / 8]) >> 7 - i % 8 & 1) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns host and port, without the credentials. */
  @Override
  public String toString() {
    return (NetUtil.isValidIpV6Address(host) ? "[" + host + "]" : host) + ":" + port;
  }
}
