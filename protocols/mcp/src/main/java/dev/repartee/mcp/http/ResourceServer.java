package dev.repartee.mcp.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.Principal;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.mcp.auth.Protection;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
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
 * Checks the requests of a protected endpoint, which is an OAuth 2.1 resource server. Every request
 * needs an access token, except a request for the protected resource metadata (RFC 9728).
 * Immutable.
 */
final class ResourceServer {
  /**
   * The maximum size in bytes of a request that the memory budget does not count during the
   * verification of its token.
   */
  private static final int UNCOUNTED = 16 << 10;

  private static final Duration VERIFIED_AGAIN = Duration.ofMinutes(1);

  private static final String METADATA = "/.well-known/oauth-protected-resource";

  private final Protection protection;
  private final String path;
  private final Duration verifyTimeout;
  private final Set<String> metadataPaths;

  /**
   * @param path the path of the endpoint
   * @param verifyTimeout the time limit of the verification of a token; zero for none
   */
  ResourceServer(Protection protection, String path, Duration verifyTimeout) {
    this.protection = protection;
    this.path = path;
    this.verifyTimeout = verifyTimeout;
    String resource = protection.resource();
    String resourcePath = resource == null ? path : URI.create(resource).getPath();
    this.metadataPaths = Set.copyOf(List.of(METADATA, METADATA + path, METADATA + resourcePath));
  }

  /** Returns whether the request is for the protected resource metadata. */
  boolean isMetadata(HttpRequest request) {
    return metadataPaths.contains(request.path());
  }

  /** Returns the paths of the metadata. */
  Set<String> metadataPaths() {
    return metadataPaths;
  }

  /** Answers with the protected resource metadata (RFC 9728 section 3). */
  void answerMetadata(HttpRequest request, HttpReply reply) {
    if (!request.method().equals("GET")) {
      StreamableHttpHandler.refuse(reply, 405, "Metadata is asked for by GET.");
      return;
    }
    String resource = protection.resource();
    byte[] document = new JsonObjectBuilder()
        .put("resource", resource == null ? origin(request) + path : resource)
        .put("authorization_servers", protection.authorizationServers())
        .putUnlessEmpty("scopes_supported", protection.scopes())
        .put("bearer_methods_supported", List.of("header"))
        .build()
        .toBytes();
    reply.answer(
        200,
        Map.of("content-type", "application/json", "access-control-allow-origin", "*"),
        document);
  }

  /**
   * Returns the URL of the metadata. It is built from the configured resource URL, because a proxy
   * may change the host that we see.
   */
  private String metadata(HttpRequest request) {
    String resource = protection.resource();
    if (resource == null) {
      return origin(request) + METADATA + path;
    }
    URI configured = URI.create(resource);
    return configured.getScheme() + "://" + configured.getRawAuthority() + METADATA
        + configured.getRawPath();
  }

  private static String origin(HttpRequest request) {
    return request.channel().transport() + "://" + request.header("host");
  }

  /**
   * Verifies the token of a request without a principal. Passes the principal to {@code next} if it
   * has the scopes, or else refuses the request.
   */
  void admit(HttpRequest request, HttpReply reply, Consumer<Principal> next) {
    Set<String> scopes = protection.scopes();
    Principal known = request.attributes().get(Principal.KEY);
    if (known != null) { // an authenticator of the server or a framework has verified it
      admit(request, reply, known, next);
      return;
    }
    String token = token(request);
    if (token == null) {
      refuse(request, reply, 401, null, scopes);
      return;
    }
    MemoryBudget.Share share = MemoryBudget.ofProcess().share(UNCOUNTED);
    if (!share.hold(request.body().length)) {
      StreamableHttpHandler.refuse(
          reply, 503, "There is no memory left for the request; try again later.");
      return;
    }
    verify(token).whenComplete((principal, failure) -> {
      share.hold(0);
      if (failure != null) {
        StreamableHttpHandler.refuse(reply, 503, "Tokens cannot be verified now; try again later.");
      } else if (principal == null) {
        refuse(request, reply, 401, "invalid_token", scopes);
      } else {
        admit(request, reply, principal, next);
      }
    });
  }

  private void admit(
      HttpRequest request, HttpReply reply, Principal principal, Consumer<Principal> next) {
    if (principal.scopes().containsAll(protection.scopes())) {
      goOn(principal, reply, next);
    } else {
      refuse(request, reply, 403, "insufficient_scope", protection.scopes());
    }
  }

  private static @Nullable String token(HttpRequest request) {
    String header = request.header("authorization");
    return header == null || !header.regionMatches(true, 0, "Bearer ", 0, 7)
        ? null
        : header.substring(7).strip();
  }

  /**
   * Wraps the reply of a long-lived stream. The token is verified again every minute. The stream
   * ends when the token is no longer valid or has lost the scopes that every request needs. Nothing
   * is verified again if the principal was known before.
   */
  HttpReply lasting(HttpRequest request, HttpReply reply, Principal principal) {
    if (request.attributes().get(Principal.KEY) != null) {
      return reply;
    }
    String token = Objects.requireNonNull(token(request)); // the request was admitted
    return new VerifiedReply(
        reply,
        VERIFIED_AGAIN,
        () -> verify(token)
            .thenApply(now -> now != null
                && now.name().equals(principal.name())
                && now.scopes().containsAll(protection.scopes())));
  }

  /**
   * Runs {@code next}, and answers 500 if it throws. Otherwise the stage would swallow the
   * exception, and the client would wait forever.
   */
  private static void goOn(Principal principal, HttpReply reply, Consumer<Principal> next) {
    try {
      next.accept(principal);
    } catch (RuntimeException | Error e) {
      StreamableHttpHandler.refuse(reply, 500, "The request could not be served.");
      throw e;
    }
  }

  /** Verifies a token. The stage fails if the verifier throws, returns null or exceeds its time. */
  private CompletionStage<@Nullable Principal> verify(String token) {
    CompletableFuture<@Nullable Principal> verified = new CompletableFuture<>();
    try {
      var stage =
          Objects.requireNonNull(protection.verifier().verify(token), "the verifier returned null");
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
    return verified.isDone() || verifyTimeout.isZero()
        ? verified
        : verified.orTimeout(verifyTimeout.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Refuses a request whose principal lacks scopes of a tool. */
  void refuseScope(HttpRequest request, HttpReply reply, Principal principal, Set<String> needed) {
    Set<String> all = new LinkedHashSet<>(protection.scopes());
    all.addAll(principal.scopes());
    all.addAll(needed);
    refuse(request, reply, 403, "insufficient_scope", all);
  }

  /** Refuses a request with the challenge of RFC 6750 section 3 and RFC 9728 section 5.1. */
  private void refuse(
      HttpRequest request,
      HttpReply reply,
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
    challenge.append("resource_metadata=\"").append(metadata(request)).append('"');
    Map<String, String> headers = new HashMap<>();
    headers.put("www-authenticate", challenge.toString());
    headers.put("content-type", "text/plain; charset=utf-8");
    String what =
        status == 401 ? "An access token is needed.\n" : "The access token does not allow this.\n";
    reply.answer(status, headers, what.getBytes(UTF_8));
  }
}
