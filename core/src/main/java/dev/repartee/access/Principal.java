package dev.repartee.access;

import dev.repartee.transport.Attribute;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An authenticated caller, whatever has proved its identity. Handlers and layers get it from {@link
 * dev.repartee.Call#principal()}.
 *
 * @param name the unique name, for example the user name, or the issuer and subject of a token
 * @param roles the roles, for {@link Allow#value}
 * @param scopes the scopes of the token, for {@link Allow#scopes}; empty for other proofs
 * @param proof the kind of proof, for logs and audits: {@code basic}, {@code key}, {@code bearer},
 *     {@code jwt}, {@code introspection}, {@code session}, {@code certificate}, {@code peer} (a
 *     user of this machine), {@code ssh}, {@code xmpp}, {@code broker}, or a word of an application
 * @param expires the time at which the proof expires, and the server closes the connections of this
 *     principal; null if they stay open. Has no effect on requests without a connection
 */
public record Principal(
    String name,
    Set<String> roles,
    Set<String> scopes,
    String proof,
    @Nullable Instant expires) {
  /**
   * The {@linkplain dev.repartee.Call#attributes() attribute} of a call with its principal. A
   * transport or framework that has authenticated the caller sets it, and the authenticator is not
   * asked. A layer is too late: the rules of {@link Access} are checked before all layers.
   */
  public static final Attribute<Principal> KEY = Attribute.named("principal");

  /** The reason in the close frame of a WebSocket after {@link #expires}; the status is 1008. */
  public static final String EXPIRED = "the credentials have expired";

  /**
   * Returns the principal of a bearer token.
   *
   * @throws IllegalArgumentException if the name is empty
   */
  public static Principal bearer(String name, Set<String> scopes) {
    return new Principal(name, Set.of(), scopes, "bearer");
  }

  /**
   * Creates a principal that does not expire.
   *
   * @throws IllegalArgumentException if the name is empty
   */
  public Principal(String name, Set<String> roles, Set<String> scopes, String proof) {
    this(name, roles, scopes, proof, null);
  }

  /** Returns whether the time {@link #expires} has come. */
  public boolean hasExpired() {
    return expires != null && !Instant.now().isBefore(expires);
  }

  /**
   * Copies the sets.
   *
   * @throws IllegalArgumentException if the name is empty
   */
  public Principal {
    if (name.isEmpty()) {
      throw new IllegalArgumentException("the name of a principal is empty");
    }
    roles = Set.copyOf(roles);
    scopes = Set.copyOf(scopes);
  }
}
