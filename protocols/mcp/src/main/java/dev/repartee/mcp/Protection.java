package dev.repartee.mcp;

import dev.repartee.HeldBytes;
import dev.repartee.HttpReply;
import dev.repartee.HttpRequest;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has a server ask for an access token with every HTTP request, as an OAuth 2.1 resource server: tells
 * clients where to get one (RFC 9728), and has it verified. WebSockets are refused then. Other transports are
 * not protected: what starts a process, or may open a socket, is trusted.
 *
 * @param authorizationServers the issuers whose tokens are taken
 * @param scopes what a token needs for anything; tools may {@linkplain Tool.Builder#scopes need more}
 * @param resource the URL of the server, as tokens are issued for it; null for the one that a request
 *     names
 * @param verifier tells whose a token is
 */
public record Protection(
    List<String> authorizationServers,
    Set<String> scopes,
    @Nullable String resource,
    TokenVerifier verifier) {
  /** A request of no more bytes is not counted while its token is verified. */
  private static final int UNCOUNTED = 16 << 10;

  private static final Duration VERIFIED_AGAIN = Duration.ofMinutes(1);

  private static final String METADATA = "/.well-known/oauth-protected-resource";

  /** Copies the collections; refuses a server that nobody issues tokens for. */
  public Protection {
    if (authorizationServers.isEmpty()) {
      throw new IllegalArgumentException("name at least one authorization server");
    }
    authorizationServers = List.copyOf(authorizationServers);
    scopes = java.util.Collections.unmodifiableSet(new LinkedHashSet<>(scopes));
  }

  /** Whether that asks where to get a token. */
  boolean isMetadata(HttpRequest request, String path) {
    return request.path().equals(METADATA)
        || request.path().equals(METADATA + path)
        || resource != null
            && request.path().equals(METADATA + URI.create(resource).getPath());
  }

  /** Tells where to get a token (RFC 9728 section 3). */
  void tellMetadata(HttpRequest request, HttpReply reply, String path) {
    if (!request.method().equals("GET")) {
      HttpFront.refuse(reply, 405, "Metadata is asked for by GET.");
      return;
    }
    byte[] document = new Members()
        .put("resource", resource == null ? origin(request) + path : resource)
        .put("authorization_servers", authorizationServers)
        .putAll("scopes_supported", scopes)
        .put("bearer_methods_supported", List.of("header"))
        .json()
        .toBytes();
    reply.answer(
        200,
        Map.of("content-type", "application/json", "access-control-allow-origin", "*"),
        document);
  }

  /** Where a client finds it: at the address that tokens are issued for, as a proxy may stand before us. */
  private String metadata(HttpRequest request, String path) {
    if (resource == null) {
      return origin(request) + METADATA + path;
    }
    URI told = URI.create(resource);
    return told.getScheme() + "://" + told.getRawAuthority() + METADATA + told.getRawPath();
  }

  private static String origin(HttpRequest request) {
    return request.channel().transport() + "://" + request.header("host");
  }

  /** Goes on with whose the request is, or refuses it; verifying takes no longer than that time. */
  void admit(
      HttpRequest request, HttpReply reply, String path, Duration limit, Consumer<Principal> next) {
    String token = token(request);
    if (token == null) {
      refuse(request, reply, path, 401, null, scopes);
      return;
    }
    HeldBytes.Share share = HeldBytes.ofProcess().share(UNCOUNTED);
    if (!share.hold(request.body().length)) {
      HttpFront.refuse(reply, 503, "There is no room to keep the request; try again later.");
      return;
    }
    verify(token, limit).whenComplete((principal, failure) -> {
      share.hold(0);
      if (failure != null) {
        HttpFront.refuse(reply, 503, "Tokens cannot be verified now; try again later.");
      } else if (principal == null) {
        refuse(request, reply, path, 401, "invalid_token", scopes);
      } else if (!principal.scopes().containsAll(scopes)) {
        refuse(request, reply, path, 403, "insufficient_scope", scopes);
      } else {
        goOn(principal, reply, next);
      }
    });
  }

  private static @Nullable String token(HttpRequest request) {
    String header = request.header("authorization");
    return header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)
        ? null
        : header.substring(7).strip();
  }

  /**
   * A reply for a stream that lasts: it ends when the token of its request is not valid any more, or
   * does not allow what is served. The token is verified again each minute.
   */
  HttpReply lasting(HttpRequest request, HttpReply reply, Principal principal, Duration limit) {
    String token = Objects.requireNonNull(token(request)); // it was admitted
    return new VerifiedReply(
        reply,
        VERIFIED_AGAIN,
        () -> verify(token, limit)
            .thenApply(now -> now != null
                && now.name().equals(principal.name())
                && now.scopes().containsAll(scopes)));
  }

  /** Nobody hears of what is thrown behind a stage, and the client would wait for ever. */
  private static void goOn(Principal principal, HttpReply reply, Consumer<Principal> next) {
    try {
      next.accept(principal);
    } catch (RuntimeException | Error e) {
      HttpFront.refuse(reply, 500, "The request could not be served.");
      throw e;
    }
  }

  /** Verifies a token. A verifier that throws, returns null or takes longer than the limit has failed. */
  private CompletionStage<@Nullable Principal> verify(String token, Duration limit) {
    CompletableFuture<@Nullable Principal> verified = new CompletableFuture<>();
    try {
      var stage = Objects.requireNonNull(verifier.verify(token), "the verifier returned null");
      stage.whenComplete((principal, failure) -> {
        if (failure == null) {
          verified.complete(principal);
        } else {
          verified.completeExceptionally(failure);
        }
      });
    } catch (RuntimeException | Error e) {
      verified.completeExceptionally(e);
    }
    return verified.isDone() || limit.isZero()
        ? verified
        : verified.orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Refuses a request that needs more scopes than its principal has. */
  void refuseScope(
      HttpRequest request, HttpReply reply, String path, Principal principal, Set<String> needed) {
    Set<String> all = new LinkedHashSet<>(scopes);
    all.addAll(principal.scopes());
    all.addAll(needed);
    refuse(request, reply, path, 403, "insufficient_scope", all);
  }

  /** The answers of RFC 6750 section 3 and RFC 9728 section 5.1. */
  private void refuse(
      HttpRequest request,
      HttpReply reply,
      String path,
      int status,
      @Nullable String error,
      Set<String> needed) {
    StringBuilder challenge = new StringBuilder("Bearer ");
    if (error != null) {
      challenge.append("error=\"").append(error).append("\", ");
    }
    if (!needed.isEmpty()) {
      challenge.append("scope=\"").append(String.join(" ", needed)).append("\", ");
    }
    challenge.append("resource_metadata=\"").append(metadata(request, path)).append('"');
    Map<String, String> headers = new HashMap<>();
    headers.put("www-authenticate", challenge.toString());
    headers.put("content-type", "text/plain; charset=utf-8");
    String what =
        status == 401 ? "An access token is needed.\n" : "The access token does not allow this.\n";
    reply.answer(status, headers, what.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }
}
