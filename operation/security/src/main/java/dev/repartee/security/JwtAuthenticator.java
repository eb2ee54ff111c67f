package dev.repartee.security;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import dev.repartee.access.AccessException;
import dev.repartee.access.Credentials;
import dev.repartee.access.Principal;
import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks signed tokens; see {@link Jwt}. */
final class JwtAuthenticator extends TokenAuthenticator {
  /** The maximum number of characters of a token. */
  static final int LONGEST = 16 << 10;

  private static final int REMEMBERED = 10_000;

  /** The media types of access tokens; other types of tokens have other purposes. */
  private static final Set<String> TYPES =
      Set.of("jwt", "at+jwt", "application/jwt", "application/at+jwt");

  /**
   * A token with a correct signature.
   *
   * @param end the end of the token, in seconds since 1970
   * @param certificate the digest of the certificate that it is bound to
   */
  private record Verified(
      long end, @Nullable String certificate, CompletionStage<@Nullable Principal> principal) {}

  /** The tokens that were verified with a set of keys. */
  private record Remembered(KeySet keys, Generations<Digest, Verified> tokens) {}

  private final Jwt jwt;
  private final KeySource source;

  /** Replaced when the keys change; null before the first token. */
  private volatile @Nullable Remembered remembered;

  JwtAuthenticator(Jwt jwt) throws IOException {
    super(TokenField.bearer(jwt.metadata), LONGEST);
    this.jwt = jwt;
    Path file = jwt.file;
    if (file != null) {
      source = KeySource.of(
          new WatchedFile<>(file, false, jwt.clock, text -> KeySet.parse(file.toString(), text)));
    } else {
      source = new RemoteKeys(Objects.requireNonNull(jwt.uri), jwt.clock);
    }
  }

  @Override
  CompletionStage<@Nullable Principal> check(Digest digest, String token, Credentials credentials) {
    CompletableFuture<KeySet> current = source.current();
    return current.isDone() && !current.isCompletedExceptionally()
        ? check(digest, token, credentials, current.join()) // without further stages
        : current.thenCompose(keys -> check(digest, token, credentials, keys));
  }

  private CompletionStage<@Nullable Principal> check(
      Digest digest, String token, Credentials credentials, KeySet keys) {
    Verified verified = tokens(keys).get(digest);
    if (verified != null
        && Claims.isBefore(jwt.time.instant().getEpochSecond(), verified.end, jwt.skew)) {
      return admit(verified, credentials);
    }
    try {
      JWSObject parsed = parse(token);
      List<KeySet.Key> candidates = keys.of(parsed.getHeader());
      if (KeySet.verifies(candidates, parsed)) {
        return admit(remember(digest, parsed, keys), credentials);
      }
      // Without an id, the key of a wrong signature may be a new one, too.
      if (!candidates.isEmpty() && parsed.getHeader().getKeyID() != null) {
        throw Refusals.wrong();
      }
      return source
          .after(keys)
          .thenCompose(newer -> admit(checkAgain(digest, parsed, keys, newer), credentials));
    } catch (AccessException e) {
      return Refusals.refuse(e);
    }
  }

  private Verified checkAgain(Digest digest, JWSObject parsed, KeySet missed, KeySet newer) {
    if (newer == missed || !KeySet.verifies(newer.of(parsed.getHeader()), parsed)) {
      throw Refusals.wrong();
    }
    return remember(digest, parsed, newer);
  }

  /**
   * Parses a token, and checks its header. The list of algorithms excludes {@code none} and those
   * with a shared secret, before a key is chosen. Extensions ({@code crit}) are not understood, and
   * must then be refused (RFC 7515 section 4.1.11).
   */
  private JWSObject parse(String token) {
    JWSObject parsed;
    try {
      parsed = JWSObject.parse(token);
    } catch (ParseException | RuntimeException e) {
      throw Refusals.wrong();
    }
    JWSHeader header = parsed.getHeader();
    JOSEObjectType type = header.getType();
    boolean isAccepted = jwt.algorithms.contains(header.getAlgorithm().getName())
        && (type == null || TYPES.contains(type.getType().toLowerCase(Locale.ROOT)))
        && (header.getCriticalParams() == null || header.getCriticalParams().isEmpty())
        && header.isBase64URLEncodePayload();
    if (!isAccepted) {
      throw Refusals.wrong();
    }
    return parsed;
  }

  private Verified remember(Digest digest, JWSObject parsed, KeySet keys) {
    Claims claims = Claims.parse(parsed.getPayload().toBytes());
    boolean isAccepted = jwt.issuer.equals(claims.text("iss"))
        && claims.isFor(jwt.audience)
        && claims.isInForce(jwt.time.instant(), jwt.skew, true);
    if (!isAccepted) {
      throw Refusals.wrong();
    }
    long end = claims.end(true);
    Principal principal = claims.principal(
        jwt.issuer,
        jwt.name,
        jwt.roles,
        "jwt",
        jwt.endsConnections ? Claims.expiry(end, jwt.skew) : null);
    Verified verified =
        new Verified(end, claims.boundCertificate(), CompletableFuture.completedFuture(principal));
    if (Claims.isSmall(principal)) {
      tokens(keys).put(digest, verified);
    }
    return verified;
  }

  /** Returns the tokens that were verified with these keys; forgets those of other keys. */
  private Generations<Digest, Verified> tokens(KeySet keys) {
    Remembered now = remembered;
    if (now == null || now.keys != keys) {
      now = new Remembered(keys, new Generations<>(REMEMBERED));
      remembered = now;
    }
    return now.tokens;
  }

  /** Returns the number of remembered tokens. */
  int remembered() {
    Remembered now = remembered;
    return now == null ? 0 : now.tokens.size();
  }

  private static CompletionStage<@Nullable Principal> admit(
      Verified verified, Credentials credentials) {
    return BoundCertificate.isShown(verified.certificate, credentials)
        ? verified.principal
        : Refusals.refuse(Refusals.wrong());
  }
}
