package dev.repartee.servlet;

import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.Principal;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a request, copied from the container, which uses its object again after the end of
 * the request.
 *
 * @param path the path that selects the service
 * @param roles the roles of the user
 * @param attributes the initial attributes of the calls
 */
record RequestFacts(
    String method,
    String path,
    @Nullable String query,
    Map<String, String> headers,
    ChannelInfo info,
    UserRoles roles,
    Attributes attributes) {
  private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";
  private static final Pattern LITERAL =
      Pattern.compile("[0-9.]+|\\[?[0-9A-Fa-f]*:[0-9A-Fa-f:.%]*]?");

  /**
   * Copies the facts.
   *
   * @param path the path that selects the service
   * @param more the attributes that the application has for the request
   * @param kept the roles to remember
   */
  static RequestFacts of(
      HttpServletRequest request, String path, Attributes more, Set<String> kept) {
    InetSocketAddress remote = address(request.getRemoteAddr(), request.getRemotePort());
    Map<String, String> headers = headers(request);
    UserRoles roles = new UserRoles(request).keep(kept);
    Attributes facts = more.with(HttpRequest.HEADERS, headers).with(RpcServlet.ROLES, roles);
    String query = request.getQueryString();
    if (query != null) {
      facts = facts.with(HttpRequest.QUERY, query);
    }
    if (remote != null) {
      facts = facts.with(Channel.REMOTE_ADDRESS, remote);
    }
    Principal user = request.getUserPrincipal();
    if (user != null) {
      facts = facts.with(RpcServlet.PRINCIPAL, user);
      if (isNamed(user) && facts.get(dev.repartee.access.Principal.KEY) == null) {
        facts = facts.with(dev.repartee.access.Principal.KEY, principal(request, user, kept));
      }
    }
    if (request.getAttribute(CERTIFICATES) instanceof X509Certificate[] shown && shown.length > 0) {
      facts = facts.with(Channel.PEER_CERTIFICATES, List.of(shown));
    }
    ChannelInfo info =
        new ChannelInfo(request.isSecure() ? "https" : "http", shown(request, remote), "message");
    return new RequestFacts(request.getMethod(), path, query, headers, info, roles, facts);
  }

  private static boolean isNamed(Principal user) {
    String name = user.getName();
    return name != null && !name.isEmpty();
  }

  /** Returns the user as a principal, with the given roles that the user has. */
  private static dev.repartee.access.Principal principal(
      HttpServletRequest request, Principal user, Set<String> roles) {
    return new dev.repartee.access.Principal(
        user.getName(),
        roles.stream().filter(request::isUserInRole).collect(Collectors.toSet()),
        Set.of(),
        "container");
  }

  private static String shown(HttpServletRequest request, @Nullable InetSocketAddress remote) {
    if (remote == null) {
      return String.valueOf(request.getRemoteAddr());
    }
    String host = remote.getAddress().getHostAddress();
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + remote.getPort();
  }

  private static Map<String, String> headers(HttpServletRequest request) {
    Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String name : Collections.list(request.getHeaderNames())) {
      fields.put(name, String.join(", ", Collections.list(request.getHeaders(name))));
    }
    return Collections.unmodifiableMap(fields);
  }

  /** Returns an address from a literal; null for a name, which is not looked up. */
  static @Nullable InetSocketAddress address(@Nullable String host, int port) {
    if (host == null || !LITERAL.matcher(host).matches()) {
      return null;
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(host), Math.max(0, port));
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** Returns the request in the form for a service or a filter. */
  HttpRequest request(byte[] body) {
    return new HttpRequest(method, path, query, headers, body, info, attributes);
  }

  /** Returns the same facts with other attributes. */
  RequestFacts with(Attributes attributes) {
    return new RequestFacts(method, path, query, headers, info, roles, attributes);
  }

  /** Returns the description of the WebSocket that this request has opened. */
  ChannelInfo socket() {
    return new ChannelInfo(
        info.transport().equals("https") ? "wss" : "ws", info.remote(), info.framing());
  }
}
