package dev.repartee.transport.http.server;

import dev.repartee.internal.Text;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the header alone whether a request is admitted. One instance serves all connections
 * of an endpoint. Immutable.
 *
 * @param routes the services by path
 * @param other the service of all other paths; null if they are answered with status 404
 * @param filter may answer requests before they are served, or null
 * @param guard decides which hosts and origins are admitted
 * @param refusals reports requests of foreign hosts and origins to the operator
 * @param subprotocol the WebSocket subprotocol that is spoken, or null for none
 * @param deflates whether WebSocket messages may be compressed
 * @param limits the limits of the endpoint
 */
public record RequestPolicy(
    Map<String, Route> routes,
    @Nullable Route other,
    @Nullable Function<HttpRequest, @Nullable HttpResponse> filter,
    OriginGuard guard,
    Refusals refusals,
    @Nullable String subprotocol,
    boolean deflates,
    Limits limits) {
  private static final Pattern JSON = Pattern.compile(
      "application/(json|json-rpc|jsonrequest)\\s*(;\\s*charset\\s*=\\s*\"?utf-8\"?\\s*)?",
      Pattern.CASE_INSENSITIVE);
  private static final Pattern GZIP = Pattern.compile("(x-)?gzip", Pattern.CASE_INSENSITIVE);
  private static final int MOST_SHOWN = 60;
  private static final String ALLOWED = "POST";
  private static final String WEBSOCKET_VERSION = "sec-websocket-version";
  private static final String WEBSOCKET_PROTOCOL = "sec-websocket-protocol";
  private static final String VERSION = "13";
  private static final String PREFLIGHT = "access-control-request-method";
  private static final String ORIGIN = "origin";

  /** Returns the service of a path, or null if nothing is served there. */
  public @Nullable Route route(String target) {
    int query = target.indexOf('?');
    Route route = routes.get(query < 0 ? target : target.substring(0, query));
    return route == null ? other : route;
  }

  /**
   * Returns the response to a request from a foreign host or origin, to a CORS preflight, and to a
   * request that the filter answers; null for all others.
   *
   * @param client the connection
   * @param local the address that the client has connected to, or null if it is not known
   * @param asked returns the request in the form for the filter
   */
  public @Nullable HttpResponse errorBeforeRouting(
      RequestHead request,
      ChannelInfo client,
      @Nullable InetSocketAddress local,
      Supplier<HttpRequest> asked) {
    HttpResponse error = hostError(request, client, local);
    if (error != null || filter == null) {
      return error;
    }
    // A preflight carries no credentials; a filter that requires them must therefore not see it.
    return isPreflight(request) ? null : filter.apply(asked.get());
  }

  /**
   * Returns the response to a request that its route does not admit; null if it is admitted.
   *
   * @param route the service of the path, or null if nothing is served there
   */
  public @Nullable HttpResponse error(RequestHead request, @Nullable Route route) {
    if (isPreflight(request)) {
      boolean anyMethod = route == null ? filter != null : route.http() != null;
      if (anyMethod) {
        return preflight(request);
      } else if (route != null) {
        return postPreflight();
      }
    }
    if (route == null) {
      return HttpResponse.text(404, "Nothing is served at this path.");
    }
    if (isUpgrade(request)) {
      return route.acceptor().takesConnections()
          ? upgradeError(request)
          : HttpResponse.text(400, "No WebSocket is served at this path.");
    }
    if (route.http() != null) {
      return bodyError(request);
    }
    return route.responder() == null
        ? HttpResponse.text(426, "Only WebSocket is served here.")
        : postError(request);
  }

  private static HttpResponse postPreflight() {
    return HttpResponse.empty(204)
        .header("access-control-allow-methods", ALLOWED)
        .header("access-control-allow-headers", "content-type, authorization")
        .header("access-control-max-age", "600");
  }

  /**
   * Answers a CORS preflight for an {@link HttpService}. The origin is admitted already. The
   * service itself checks methods and header fields; therefore everything that the page asks for is
   * allowed.
   */
  private static HttpResponse preflight(RequestHead request) {
    String method = request.header(PREFLIGHT);
    String wanted = String.join(", ", request.headers("access-control-request-headers"));
    return HttpResponse.empty(204)
        .header("access-control-allow-methods", method == null ? "" : printable(method))
        .header(
            "access-control-allow-headers",
            wanted.isEmpty() ? "content-type, authorization" : printable(wanted))
        .header("access-control-max-age", "600");
  }

  private static String printable(String value) {
    return value.matches("[\\x20-\\x7E]*") ? value : "";
  }

  private @Nullable HttpResponse hostError(
      RequestHead request, ChannelInfo client, @Nullable InetSocketAddress local) {
    List<String> hosts = request.headers("host");
    if (hosts.size() > 1 || hosts.isEmpty() && !request.isHttp10()) {
      return HttpResponse.text(400, "A request has one Host header.");
    }
    String host = hosts.isEmpty() ? null : hosts.get(0);
    if (host != null && !guard.isKnown(host, local)) {
      refusals.host(client, host);
      return HttpResponse.text(403, "This server is not known by the name in the Host header.");
    }
    for (String origin : request.headers(ORIGIN)) {
      if (!guard.admits(origin, host, local)) {
        refusals.origin(client, origin);
        return HttpResponse.text(403, "Pages of this origin may not call this server.");
      }
    }
    return null;
  }

  private boolean isPreflight(RequestHead request) {
    return request.method().equals("OPTIONS")
        && request.header(PREFLIGHT) != null
        && listedOrigin(request) != null;
  }

  /** Returns the origin of the request if its pages may read the response, otherwise null. */
  @Nullable String listedOrigin(RequestHead request) {
    String origin = request.header(ORIGIN);
    return origin != null && guard.isListed(origin) ? origin : null;
  }

  /** Returns whether a request opens a WebSocket. */
  public static boolean isUpgrade(RequestHead request) {
    return request.method().equals("GET") && request.lists("upgrade", "websocket");
  }

  /** Checks a WebSocket handshake (RFC 6455 section 4.2.1). Older drafts are refused. */
  private @Nullable HttpResponse upgradeError(RequestHead request) {
    if (!VERSION.equals(request.header(WEBSOCKET_VERSION))) {
      return HttpResponse.text(426, "The version of WebSocket spoken here is " + VERSION + ".")
          .header(WEBSOCKET_VERSION, VERSION);
    }
    if (request.isHttp10()
        || !request.lists("connection", "upgrade")
        || request.header("sec-websocket-key") == null) {
      return HttpResponse.text(
          400, "A WebSocket opens with HTTP/1.1, Connection: Upgrade and a Sec-WebSocket-Key.");
    }
    if (subprotocol != null
        && request.header(WEBSOCKET_PROTOCOL) != null
        && !request.lists(WEBSOCKET_PROTOCOL, subprotocol)) {
      return HttpResponse.text(
          400,
          "The subprotocol spoken here is " + subprotocol + "; ask for it (#subprotocol="
              + subprotocol + " in a URI), or for none.");
    }
    return null;
  }

  private @Nullable HttpResponse postError(RequestHead request) {
    if (!request.method().equals(ALLOWED)) {
      return HttpResponse.text(405, "Calls are sent by POST.").header("allow", ALLOWED);
    }
    String type = request.header("content-type");
    if (type == null
        || !type.equals("application/json") && !JSON.matcher(type.trim()).matches()) {
      return HttpResponse.text(
          415,
          "The request has " + (type == null ? "no Content-Type" : "Content-Type: " + shown(type))
              + ", but calls are sent with Content-Type: application/json.");
    }
    return bodyError(request);
  }

  /** Returns the beginning of a header value; the status is read by people. */
  private static String shown(String value) {
    return printable(Text.shortened(value, MOST_SHOWN));
  }

  private @Nullable HttpResponse bodyError(RequestHead request) {
    if (request.method().equals("HEAD")) {
      return HttpResponse.empty(405); // the length of the body for GET is not known
    }
    String coding = String.join(",", request.headers("content-encoding"));
    if (!coding.isEmpty() && !GZIP.matcher(coding.trim()).matches()) {
      return HttpResponse.text(415, "This server reads the Content-Encoding gzip, or none.")
          .header("accept-encoding", "gzip");
    }
    return request.contentLength() >= limits.frameBytes() ? tooLarge() : null;
  }

  /**
   * Returns the response to a body that was not kept.
   *
   * @param crowded true if the memory budget is exhausted, false if the body is too large
   */
  public HttpResponse bodyError(boolean crowded) {
    return crowded ? HttpResponse.refused(503, crowd()) : tooLarge();
  }

  /**
   * Decompresses a body; returns the response if that is not possible, else null.
   *
   * @param plain receives the content
   */
  public @Nullable HttpResponse decompress(MessageBuffer body, MessageBuffer plain) {
    try {
      return Gzip.decompress(body, plain) ? null : bodyError(plain.isCrowded());
    } catch (IOException e) {
      return HttpResponse.text(400, "The body is not gzip, or not all of it.");
    }
  }

  /** Returns the response if the memory budget of the process has no room for the answer. */
  public static HttpResponse crowded() {
    return HttpResponse.text(503, crowd());
  }

  private static String crowd() {
    return "All connections together hold as much as they may, the limit heldBytes of "
        + MemoryBudget.ofProcess().max() + " bytes; try again later.";
  }

  private HttpResponse tooLarge() {
    return HttpResponse.text(413, "A body is smaller than " + limits.frameBytes() + " bytes.");
  }
}
