package dev.repartee.mcp.auth;

import dev.repartee.json.Json;
import dev.repartee.transport.Headers;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * Authorizes the HTTP requests of a client: adds credentials to each request, and obtains new ones
 * after a server has refused a request. The module {@code dev.repartee.mcp.oauth} implements the OAuth
 * flow of MCP (specification, "Authorization"); {@link #bearer} sends a fixed token.
 *
 * <p>The client calls {@link #headers} before each HTTP request: each POST, each GET of an event
 * stream and each DELETE of a session, also before a repetition. If the answer has the status 401
 * or 403, the client calls {@link #refused}. If that stage completes with true, the client sends
 * the same request again, with new {@link #headers}. It repeats a request at most {@value
 * #MAX_ATTEMPTS} times; then, or after false, the call fails with the refusal. The repetition does
 * not run a call twice, because a server does not run a request that it refuses. A refused DELETE
 * is not repeated: ending a session never asks a user for a login.
 *
 * <p>Implementations must be thread-safe. Several requests may be refused at the same time; an
 * implementation should obtain one token for all of them. Both methods may run on a thread that
 * reads the network and must not block. A flow that waits for a user runs on a thread of the
 * implementation and completes the stage later. The time-out of the call includes this time.
 */
public interface HttpAuthorization {
  /** The maximum number of repetitions of one request. */
  int MAX_ATTEMPTS = 5;

  /**
   * A request before it is sent.
   *
   * @param method the HTTP method, such as {@code POST}
   * @param uri the address
   * @param server the address to which the client was connected. {@code uri} has the same origin;
   *     its path differs after a redirect, or in HTTP with SSE of 2024-11-05
   */
  record Request(String method, URI uri, URI server) {}

  /**
   * A request that the server has refused.
   *
   * @param request the request
   * @param sent the authorization headers that were sent with it
   * @param status the HTTP status: 401 or 403
   * @param headers all headers of the answer, in lower case, such as {@code www-authenticate}; a
   *     header may occur more than once
   * @param attempt the number of refusals of this request so far, 1 for the first
   */
  record Refusal(
      Request request, Headers sent, int status, Map<String, List<String>> headers, int attempt) {
    /** Copies the headers. */
    public Refusal {
      headers = Map.copyOf(headers);
    }

    /** Returns the challenges of the server: all values of {@code WWW-Authenticate}. */
    public List<String> challenges() {
      return headers.getOrDefault("www-authenticate", List.of());
    }
  }

  /**
   * Returns the headers to add to a request, such as {@code Authorization}. They replace headers of
   * the same name. If the stage fails, the request is not sent and the call fails with the cause.
   */
  CompletionStage<Headers> headers(Request request);

  /**
   * Decides what happens to a refused request: true sends it again. If the stage fails, the call
   * fails with the cause; the exception can explain the reason and the remedy to the user.
   */
  CompletionStage<Boolean> refused(Refusal refusal);

  /**
   * Receives the headers of an answer with any other status, for schemes in which the server sends
   * a fresh value with each answer, such as a DPoP nonce. Must not block. Does nothing by default.
   *
   * @param headers the headers of the answer, in lower case
   */
  default void answered(Request request, Map<String, List<String>> headers) {}

  /**
   * Returns the extensions of MCP that this authorization implements, by name with their settings, an
   * object. A client declares them in its capabilities, besides its own. None by default.
   */
  default Map<String, Json> extensions() {
    return Map.of();
  }

  /** Returns an authorization with a fixed bearer token; a refusal is final. */
  static HttpAuthorization bearer(String token) {
    return new FixedToken(Headers.NONE.with("Authorization", "Bearer " + token));
  }
}
