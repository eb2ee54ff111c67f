package dev.repartee.security;

import dev.repartee.internal.Clock;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link Authenticators#introspection}: where to ask about tokens (RFC 7662).
 * Immutable.
 *
 * <pre>{@code
 * Authenticator tokens = Authenticators.introspection(Introspection.builder()
 *     .endpoint(URI.create("https://login.shop.example/introspect"))
 *     .credentials(Path.of("client"))
 *     .audience("https://api.shop.example")
 *     .build());
 * }</pre>
 *
 * <p>An answer is remembered for 30 seconds, or until the end of the token: a revoked token is
 * refused then at the latest. If the authorization server does not answer, tokens without a
 * remembered answer get the status 503. At most 256 questions are open, 8 of them for one address.
 * A token has at most 16 KiB.
 *
 * <p>The principal gets its name as with {@link Jwt}. If the answer names no issuer, the name begins
 * with the expected issuer, or else with the origin of the endpoint.
 */
public final class Introspection {
  final URI endpoint;
  final Path credentials;
  final Set<String> audience;
  final @Nullable String issuer;
  final List<String> roles;
  final @Nullable String name;
  final Duration remembered;
  final @Nullable String metadata;
  final boolean endsConnections;
  final Clock clock;
  final InstantSource time;

  private Introspection(Builder builder, URI endpoint, Path credentials) {
    this.endpoint = endpoint;
    this.credentials = credentials;
    audience = Set.copyOf(builder.audience);
    issuer = builder.issuer;
    roles = builder.roles;
    name = builder.name;
    remembered = builder.remembered;
    metadata = builder.metadata;
    endsConnections = builder.endsConnections;
    clock = builder.clock;
    time = builder.time;
  }

  /** Returns a builder. The endpoint and the credentials must be set. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder of {@link Introspection}. */
  public static final class Builder {
    private @Nullable URI endpoint;
    private @Nullable Path credentials;
    private Set<String> audience = Set.of();
    private @Nullable String issuer;
    private List<String> roles = List.of("roles");
    private @Nullable String name;
    private Duration remembered = Duration.ofSeconds(30);
    private @Nullable String metadata;
    private boolean endsConnections;
    private Clock clock = Clock.SYSTEM;
    private InstantSource time = InstantSource.system();

    private Builder() {}

    /**
     * Sets the address of the endpoint.
     *
     * @throws IllegalArgumentException if the address is neither HTTPS nor HTTP on this machine
     */
    public Builder endpoint(URI endpoint) {
      this.endpoint = IssuerAddress.require(endpoint);
      return this;
    }

    /**
     * Sets the file with the credentials of this server at the endpoint: a line with the id of the
     * client, a colon and its secret. They are sent with HTTP Basic (RFC 6749 section 2.3.1). The
     * file is read again after a change.
     */
    public Builder credentials(Path file) {
      this.credentials = file;
      return this;
    }

    /**
     * Sets the names of this server. The answer must then name one of them as audience. By default
     * every token is accepted that the authorization server calls active.
     */
    public Builder audience(String... audience) {
      this.audience = Set.of(audience);
      return this;
    }

    /** Sets the issuer. An answer with another issuer is refused. */
    public Builder issuer(String issuer) {
      this.issuer = issuer;
      return this;
    }

    /** Sets the member with the roles, as {@link Jwt.Builder#roles} does. */
    public Builder roles(String... path) {
      this.roles = List.of(path);
      return this;
    }

    /** Sets the member with the name of the principal, as {@link Jwt.Builder#name} does. */
    public Builder name(String member) {
      this.name = member;
      return this;
    }

    /**
     * Sets how long an answer is remembered; zero to ask for each request.
     *
     * @throws IllegalArgumentException if it is negative or more than ten minutes
     */
    public Builder remembered(Duration time) {
      if (time.isNegative() || time.compareTo(Duration.ofMinutes(10)) > 0) {
        throw new IllegalArgumentException(
            "an answer is remembered for 0 to 10 minutes, not " + time);
      }
      this.remembered = time;
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
     * @throws IllegalStateException if the endpoint or the credentials are not set
     */
    public Introspection build() {
      if (endpoint == null || credentials == null) {
        throw new IllegalStateException("set the endpoint and the credentials for it");
      }
      return new Introspection(this, endpoint, credentials);
    }
  }
}
