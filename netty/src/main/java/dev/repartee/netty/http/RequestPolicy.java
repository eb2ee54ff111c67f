package dev.repartee.netty.http;

import dev.repartee.limits.Limits;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.HttpService;
import dev.repartee.transport.Transport;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides from the header alone whether a request is admitted. One instance serves all connections
 * of an endpoint. Immutable.
 *
 * @param path the only path that is served
 * @param guard decides which hosts and origins are admitted
 * @param subprotocol the WebSocket subprotocol that clients have to offer, or null for none
 * @param deflates whether WebSocket messages may be compressed
 * @param limits the limits of the endpoint
 * @param acceptor serves the WebSockets and the POST requests
 * @param http a service that handles the HTTP requests instead of the acceptor, or null
 */
public record RequestPolicy(
    String path,
    OriginGuard guard,
    @Nullable String subprotocol,
    boolean deflates,
    Limits limits,
    Transport.Acceptor acceptor,
    @Nullable HttpService http) {
  private static final Pattern JSON = Pattern.compile(
      "application/(json|json-rpc|jsonrequest)\\s*(;\\s*charset\\s*=\\s*\"?utf-8\"?\\s*)?",
      Pattern.CASE_INSENSITIVE);
  private static final Pattern GZIP = Pattern.compile("(x-)?gzip", Pattern.CASE_INSENSITIVE);
  private static final String ALLOWED = "POST";
  private static final String VERSION = WebSocketVersion.V13.toHttpHeaderValue();

  /** Returns the responder of POST requests, or null if only WebSockets are served. */
  public @Nullable FrameService responder() {
    try {
      return acceptor.responder();
    } catch (IllegalStateException e) {
      return null;
    }
  }

  /** Returns the response to a request that is not admitted; null if it is admitted. */
  public @Nullable ErrorResponse error(HttpRequest request, @Nullable InetSocketAddress local) {
    ErrorResponse error = hostError(request, local);
    if (error != null) {
      return error;
    }
    if (http != null && !isUpgrade(request)) {
      return isPreflight(request) ? preflight(request) : bodyError(request);
    }
    if (!served(request.uri())) {
      return new ErrorResponse(HttpResponseStatus.NOT_FOUND, "Nothing is served at this path.");
    }
    if (isPreflight(request)) {
      return new ErrorResponse(
          HttpResponseStatus.NO_CONTENT,
          "",
          Map.of(
              "access-control-allow-methods", ALLOWED,
              "access-control-allow-headers", "content-type, authorization",
              "access-control-max-age", "600"));
    }
    return isUpgrade(request) ? upgradeError(request) : postError(request);
  }

  /**
   * Answers a CORS preflight for an {@link HttpService}. The origin is admitted already. Methods
   * and header fields are the service's own business, so everything that the page asks for is
   * allowed.
   */
  private static ErrorResponse preflight(HttpRequest request) {
    HttpHeaders headers = request.headers();
    String wanted =
        String.join(", ", headers.getAll(HttpHeaderNames.ACCESS_CONTROL_REQUEST_HEADERS));
    return new ErrorResponse(
        HttpResponseStatus.NO_CONTENT,
        "",
        Map.of(
            "access-control-allow-methods",
            String.join(", ", headers.getAll(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD)),
            "access-control-allow-headers",
            wanted.isEmpty() ? "content-type, authorization" : wanted,
            "access-control-max-age",
            "600"));
  }

  private @Nullable ErrorResponse hostError(
      HttpRequest request, @Nullable InetSocketAddress local) {
    HttpHeaders headers = request.headers();
    var hosts = headers.getAll(HttpHeaderNames.HOST);
    if (hosts.size() > 1
        || hosts.isEmpty() && request.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      return new ErrorResponse(HttpResponseStatus.BAD_REQUEST, "A request has one Host header.");
    }
    if (!hosts.isEmpty() && !guard.isOurs(hosts.get(0), local)) {
      return new ErrorResponse(
          HttpResponseStatus.FORBIDDEN, "This server is not known by the name in the Host header.");
    }
    for (String origin : headers.getAll(HttpHeaderNames.ORIGIN)) {
      if (!guard.admits(origin, local)) {
        return new ErrorResponse(
            HttpResponseStatus.FORBIDDEN, "Pages of this origin may not call this server.");
      }
    }
    return null;
  }

  private boolean served(String target) {
    int query = target.indexOf('?');
    String asked = query < 0 ? target : target.substring(0, query);
    return asked.equals(path);
  }

  private boolean isPreflight(HttpRequest request) {
    return request.method().equals(HttpMethod.OPTIONS)
        && request.headers().contains(HttpHeaderNames.ACCESS_CONTROL_REQUEST_METHOD)
        && listedOrigin(request) != null;
  }

  /** Returns the origin of the request if its pages may read the response, else null. */
  @Nullable String listedOrigin(HttpRequest request) {
    String origin = request.headers().get(HttpHeaderNames.ORIGIN);
    return origin != null && guard.isListed(origin) ? origin : null;
  }

  /** Returns whether a request opens a WebSocket. */
  public static boolean isUpgrade(HttpRequest request) {
    return request.method().equals(HttpMethod.GET)
        && request
            .headers()
            .containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
  }

  /** Checks a WebSocket handshake (RFC 6455 section 4.2.1). Older drafts are refused. */
  private @Nullable ErrorResponse upgradeError(HttpRequest request) {
    HttpHeaders headers = request.headers();
    if (!VERSION.equals(headers.get(HttpHeaderNames.SEC_WEBSOCKET_VERSION))) {
      return new ErrorResponse(
          HttpResponseStatus.UPGRADE_REQUIRED,
          "The version of WebSocket spoken here is " + VERSION + ".",
          Map.of(HttpHeaderNames.SEC_WEBSOCKET_VERSION.toString(), VERSION));
    }
    if (!headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
        || !headers.contains(HttpHeaderNames.SEC_WEBSOCKET_KEY)) {
      return new ErrorResponse(
          HttpResponseStatus.BAD_REQUEST,
          "A WebSocket opens with Connection: Upgrade and a Sec-WebSocket-Key.");
    }
    if (subprotocol != null
        && !headers.containsValue(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL, subprotocol, true)) {
      return new ErrorResponse(
          HttpResponseStatus.BAD_REQUEST, "The subprotocol spoken here is " + subprotocol + ".");
    }
    return null;
  }

  private @Nullable ErrorResponse postError(HttpRequest request) {
    if (!request.method().equals(HttpMethod.POST)) {
      return new ErrorResponse(
          HttpResponseStatus.METHOD_NOT_ALLOWED,
          "Calls are sent by POST.",
          Map.of(HttpHeaderNames.ALLOW.toString(), ALLOWED));
    }
    String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
    if (type == null
        || !type.equals("application/json") && !JSON.matcher(type.trim()).matches()) {
      return new ErrorResponse(
          HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "The Content-Type is application/json.");
    }
    return bodyError(request);
  }

  private @Nullable ErrorResponse bodyError(HttpRequest request) {
    if (request.method().equals(HttpMethod.HEAD)) {
      return new ErrorResponse(HttpResponseStatus.METHOD_NOT_ALLOWED, "HEAD is not supported.");
    }
    String coding = String.join(",", request.headers().getAll(HttpHeaderNames.CONTENT_ENCODING));
    if (!coding.isEmpty() && !GZIP.matcher(coding.trim()).matches()) {
      return new ErrorResponse(
          HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
          "The Content-Encoding is gzip, or none.",
          Map.of(HttpHeaderNames.ACCEPT_ENCODING.toString(), "gzip"));
    }
    return HttpUtil.getContentLength(request, 0L) >= limits.frameBytes() ? tooLarge() : null;
  }

  /**
   * Returns the response to a body that was not kept.
   *
   * @param crowded true if the memory budget is exhausted, false if the body is too large
   */
  public ErrorResponse bodyError(boolean crowded) {
    return crowded ? ErrorResponse.crowded() : tooLarge();
  }

  private ErrorResponse tooLarge() {
    return new ErrorResponse(
        HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
        "A body is smaller than " + limits.frameBytes() + " bytes.");
  }
}
