package dev.repartee.netty;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Keeps web pages of others out. A page reaches a local server under the page's own name, once that
 * name resolves to 127.0.0.1 (DNS rebinding), and a browser tells in {@code Host} which name that was
 * and in {@code Origin} whose page it is. Only loopback names, the name we were told to listen at and
 * the address that was connected to are ours; any others have to be listed.
 *
 * @param bound the host that was listened at, in lower case
 * @param hosts further names by which we may be called, in lower case
 * @param origins origins of others whose pages may call, such as {@code https://a.example}
 */
record OriginGuard(String bound, Set<String> hosts, Set<String> origins) {
  private static final Pattern AUTHORITY =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+\\]|[^\\[\\]:/?#@\\s]+)(?::[0-9]{0,5})?");
  private static final Pattern ORIGIN = Pattern.compile("https?://(.*)", Pattern.CASE_INSENSITIVE);
  private static final Pattern LOOPBACK =
      Pattern.compile("127\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}");

  /** Whether a {@code Host} header names us. */
  boolean isOurs(String authority, @Nullable InetSocketAddress local) {
    Matcher parts = AUTHORITY.matcher(authority);
    if (!parts.matches()) {
      return false;
    }
    String host = parts.group(1).toLowerCase(Locale.ROOT);
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    return host.equals(bound)
        || host.equals("localhost")
        || host.equals("::1")
        || LOOPBACK.matcher(host).matches()
        || hosts.contains(host)
        || isAddress(host, local);
  }

  private static boolean isAddress(String host, @Nullable InetSocketAddress local) {
    byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
    return address != null
        && local != null
        && java.util.Arrays.equals(address, local.getAddress().getAddress());
  }

  /** Whether pages of that origin may call: our own, and those on the list. */
  boolean admits(String origin, @Nullable InetSocketAddress local) {
    if (isListed(origin)) {
      return true;
    }
    Matcher parts = ORIGIN.matcher(origin);
    return parts.matches() && isOurs(parts.group(1), local);
  }

  /** Whether that origin is on the list, so that its pages may also see the answers. */
  boolean isListed(String origin) {
    return origins.contains(origin.toLowerCase(Locale.ROOT));
  }
}
