package dev.repartee.security;

import dev.repartee.internal.Clock;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link Authenticators#jwt}: which signed tokens are accepted. Immutable.
 *
 * <pre>{@code
 * Authenticator tokens = Authenticators.jwt(Jwt.builder()
 *     .issuer("https://login.shop.example")
 *     .audience("https://api.shop.example")
 *     .keys(URI.create("https://login.shop.example/jwks"))
 *     .build());
 * }</pre>
 *
 * <p>A token is accepted if its signature is by a key of the set and of an allowed algorithm, if
 * issuer and audience are the expected ones, and if it has an end that has not passed. Keys that
 * the header of a token contains or refers to are ignored. A token has at most 16 KiB. A token that
 * is bound to a client certificate (RFC 8705) needs this certificate; a token that is bound
 * otherwise (DPoP) is refused.
 *
 * <p>A JWK set at an address is read when the authenticator is made, every five minutes, and for an
 * unknown key at most every 30 seconds. If it cannot be read, the keys that are known stay valid
 * for an hour, and tokens of unknown keys get the status 503. A verified token is remembered until
 * its end, while its key is in the set.
 *
 * <p>The name of the principal is the issuer, {@code #} and the subject. Without a subject it is the
 * issuer, {@code ?client:} and the id of the client. The scopes come from the claim {@code scope}, or
 * else {@code scp}.
 */
public final class Jwt {
  /** The algorithms with public keys that can be verified. */
  private static final Set<String> POSSIBLE =
      Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

  final String issuer;
  final Set<String> audience;
  final Set<String> algorithms;
  final @Nullable Path file;
  final @Nullable URI uri;
  final List<String> roles;
  final @Nullable String name;
  final Duration skew;
  final @Nullable String metadata;
  final boolean endsConnections;
  final Clock clock;
  final InstantSource time;

  private Jwt(Builder builder, String issuer) {
    this.issuer = issuer;
    audience = Set.copyOf(builder.audience);
    algorithms = Set.copyOf(builder.algorithms);
    file = builder.file;
    uri = builder.uri;
    roles = builder.roles;
    name = builder.name;
    skew = builder.skew;
    metadata = builder.metadata;
    endsConnections = builder.endsConnections;
    clock = builder.clock;
    time = builder.time;
  }

  /** Returns a builder. Issuer, audience and keys must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder of {@link Jwt}. */
  public static final class Builder {
    private @Nullable String issuer;
    private Set<String> audience = Set.of();
    private Set<String> algorithms = Set.of("RS256", "PS256", "ES256");
    private @Nullable Path file;
    private @Nullable URI uri;
    private List<String> roles = List.of("roles");
    private @Nullable String name;
    private Duration skew = Duration.ofSeconds(60);
    private @Nullable String metadata;
    private boolean endsConnections;
    private Clock clock = Clock.SYSTEM;
    private InstantSource time = InstantSource.system();

    private Builder() {}

    /** Sets the issuer, exactly as in the claim {@code iss}. */
    public Builder issuer(String issuer) {
      this.issuer = issuer;
      return this;
    }

    /** Sets the names of this server. The claim {@code aud} must contain one of them. */
    public Builder audience(String... audience) {
      this.audience = Set.of(audience);
      return this;
    }

    /** Sets the file with the JWK set (RFC 7517). It is read again after a change. */
    public Builder keys(Path file) {
      this.file = file;
      this.uri = null;
      return this;
    }

    /**
     * Sets the address of the JWK set.
     *
     * @throws IllegalArgumentException if the address is neither HTTPS nor HTTP on this machine
     */
    public Builder keys(URI uri) {
      this.uri = IssuerAddress.require(uri);
      this.file = null;
      return this;
    }

    /**
     * Sets the allowed algorithms (RFC 7518 section 3.1): RS256, PS256 and ES256 by default.
     *
     * @throws IllegalArgumentException if there is none, or one is not an algorithm with public
     *     keys, such as {@code none} and HS256
     */
    public Builder algorithms(String... algorithms) {
      for (String each : algorithms) {
        if (!POSSIBLE.contains(each)) {
          throw new IllegalArgumentException("the algorithm '" + each + "' is not allowed; use "
              + POSSIBLE.stream().sorted().toList());
        }
      }
      if (algorithms.length == 0) {
        throw new IllegalArgumentException("name at least one algorithm");
      }
      this.algorithms = new LinkedHashSet<>(List.of(algorithms));
      return this;
    }

    /**
     * Sets the claim with the roles: an array of strings, or a string with spaces between them.
     * {@code roles} by default.
     *
     * @param path the name of the claim; several names for a member of an object, such as {@code
     *     "realm_access", "roles"}
     */
    public Builder roles(String... path) {
      this.roles = List.of(path);
      return this;
    }

    /**
     * Sets the claim with the name of the principal, such as {@code preferred_username}. By default
     * the name consists of issuer and subject. Tokens without the claim are refused.
     */
    public Builder name(String claim) {
      this.name = claim;
      return this;
    }

    /**
     * Sets the greatest difference between the clocks of the issuer and of this machine; a minute
     * by default.
     *
     * @throws IllegalArgumentException if it is negative or more than ten minutes
     */
    public Builder clockSkew(Duration skew) {
      if (skew.isNegative() || skew.compareTo(Duration.ofMinutes(10)) > 0) {
        throw new IllegalArgumentException("a clock skew is from 0 to 10 minutes, not " + skew);
      }
      this.skew = skew;
      return this;
    }

    /** Sets the address of the metadata of this server (RFC 9728) for the challenge. */
    public Builder resourceMetadata(URI metadata) {
      this.metadata = metadata.toASCIIString();
      return this;
    }

    /**
     * Ends a WebSocket when its token expires: calls that run have the {@code closeTimeout}, and the
     * close status is 1008. By default a connection goes on.
     */
    public Builder endConnections() {
      this.endsConnections = true;
      return this;
    }

    /** Sets the clocks of a test. */
    Builder clocks(Clock clock, InstantSource time) {
      this.clock = clock;
      this.time = time;
      return this;
    }

    /**
     * Returns the settings.
     *
     * @throws IllegalStateException if the issuer, the audience or the keys are not set
     */
    public Jwt build() {
      if (issuer == null || issuer.isEmpty() || audience.isEmpty() || file == null && uri == null) {
        throw new IllegalStateException("set the issuer, the audience and the keys of tokens");
      }
      return new Jwt(this, issuer);
    }
  }
}
