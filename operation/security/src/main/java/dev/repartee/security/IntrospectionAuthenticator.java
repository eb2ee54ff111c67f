package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.AccessException;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import dev.repartee.internal.Origin;
import dev.repartee.internal.log.FailureLog;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.security.http.SmallExchange;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Asks the authorization server about tokens; see {@link Introspection}. */
final class IntrospectionAuthenticator extends TokenAuthenticator {
  private static final int REMEMBERED = 10_000;
  private static final FailureLog LOG = new FailureLog();

  /**
   * An answer.
   *
   * @param until the time on the clock until which it counts
   * @param end the end of the token, in seconds since 1970
   * @param principal null if the token is not valid
   */
  private record Answered(
      long until,
      long end,
      @Nullable String certificate,
      @Nullable Principal principal) {}

  private final Introspection settings;
  private final WatchedFile<String> authorization;
  private final Checks<Answered> checks = new Checks<>();

  /** The answers for valid tokens, and those for others, which must not displace them. */
  private final Generations<Digest, Answered> valid = new Generations<>(REMEMBERED);

  private final Generations<Digest, Answered> invalid = new Generations<>(REMEMBERED);

  IntrospectionAuthenticator(Introspection settings) throws IOException {
    super(TokenField.bearer(settings.metadata), JwtAuthenticator.LONGEST);
    this.settings = settings;
    Path file = settings.credentials;
    this.authorization =
        new WatchedFile<>(file, true, settings.clock, text -> authorization(file, text));
  }

  /** Returns the field for HTTP Basic; id and secret are form-encoded (RFC 6749 section 2.3.1). */
  private static String authorization(Path file, String text) {
    String line = text.strip();
    int colon = line.indexOf(':');
    if (colon <= 0 || line.lines().count() != 1) {
      throw new IllegalArgumentException(
          file + " has not one line of the form CLIENT_ID:CLIENT_SECRET");
    }
    String pair = URLEncoder.encode(line.substring(0, colon), UTF_8) + ":"
        + URLEncoder.encode(line.substring(colon + 1), UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  @Override
  CompletionStage<@Nullable Principal> check(Digest digest, String token, Credentials credentials) {
    Answered known = known(digest);
    return known == null
        ? checks
            .run(digest, credentials, () -> ask(digest, token))
            .thenCompose(answered -> admit(answered, credentials))
        : admit(known, credentials);
  }

  private @Nullable Answered known(Digest digest) {
    Answered known = valid.get(digest);
    if (known == null) {
      known = invalid.get(digest);
    }
    return known == null || settings.clock.nanos() >= known.until ? null : known;
  }

  private CompletionStage<@Nullable Principal> admit(Answered answered, Credentials credentials) {
    boolean isAdmitted = answered.principal != null
        && Claims.isBefore(settings.time.instant().getEpochSecond(), answered.end, Duration.ZERO)
        && BoundCertificate.isShown(answered.certificate, credentials);
    return isAdmitted
        ? CompletableFuture.completedFuture(answered.principal)
        : Refusals.refuse(Refusals.wrong());
  }

  private CompletionStage<Answered> ask(Digest digest, String token) {
    // From now: a token may be revoked while the answer is under way.
    long until = settings.clock.nanos() + settings.remembered.toNanos();
    HttpRequest.Builder request = HttpRequest.newBuilder(settings.endpoint)
        .header("Authorization", authorization.value())
        .header("Accept", "application/json")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(BodyPublishers.ofString(
            "token=" + URLEncoder.encode(token, UTF_8) + "&token_type_hint=access_token"));
    return SmallExchange.send(request).handle((answer, failure) -> {
      if (answer == null) {
        LOG.write(
            "tokens cannot be checked: " + (failure == null ? "" : failure.getMessage()), null);
        throw Refusals.unavailable();
      }
      return remember(digest, answer, until);
    });
  }

  private Answered remember(Digest digest, SmallExchange.Answer answer, long until) {
    Json json = Json.NULL;
    try {
      json = answer.status() == 200 ? Json.parse(answer.body()) : Json.NULL;
    } catch (JsonException e) {
      // reported below
    }
    if (json.kind() != Json.Kind.OBJECT) {
      LOG.write(
          "tokens cannot be checked: " + answer
              + (answer.status() == 401
                  ? "; check the credentials in " + settings.credentials
                  : ", not 200 with a JSON object (RFC 7662)"),
          null);
      throw Refusals.unavailable();
    }
    Answered answered = answered(new Claims(json), until);
    if (answered.principal == null) {
      valid.remove(digest);
      invalid.put(digest, answered);
    } else if (Claims.isSmall(answered.principal)) {
      valid.put(digest, answered);
    }
    return answered;
  }

  private Answered answered(Claims claims, long until) {
    Answered refused = new Answered(until, 0, null, null);
    String issuer = claims.text("iss");
    boolean isAccepted = claims.isTrue("active")
        && isAccessToken(claims)
        && (settings.issuer == null || issuer == null || settings.issuer.equals(issuer))
        && (settings.audience.isEmpty() || claims.isFor(settings.audience));
    try {
      if (!isAccepted || !claims.isInForce(settings.time.instant(), Duration.ZERO, false)) {
        return refused;
      }
      String prefix = issuer != null
          ? issuer
          : settings.issuer != null ? settings.issuer : Origin.of(settings.endpoint);
      long end = claims.end(false);
      Principal principal = claims.principal(
          prefix,
          settings.name,
          settings.roles,
          "introspection",
          settings.endsConnections ? Claims.expiry(end, Duration.ZERO) : null);
      return new Answered(until, end, claims.boundCertificate(), principal);
    } catch (AccessException e) {
      return refused;
    }
  }

  /** Returns whether a token is for access; Keycloak also answers that a refresh token is active. */
  private static boolean isAccessToken(Claims claims) {
    return !claims.has("token_type") || "Bearer".equalsIgnoreCase(claims.text("token_type"));
  }
}
