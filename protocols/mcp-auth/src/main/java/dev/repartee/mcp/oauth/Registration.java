package dev.repartee.mcp.oauth;

import java.security.PrivateKey;
import org.jspecify.annotations.Nullable;

/**
 * A client that is already registered with an authorization server. {@link #toString} contains only
 * its id.
 */
public final class Registration {
  private final String id;
  private final @Nullable String secret;
  private final @Nullable PrivateKey key;
  private final @Nullable String algorithm;

  private Registration(
      String id, @Nullable String secret, @Nullable PrivateKey key, @Nullable String algorithm) {
    this.id = id;
    this.secret = secret;
    this.key = key;
    this.algorithm = algorithm;
  }

  /** Returns a public client, which does not have a secret. */
  public static Registration of(String id) {
    return new Registration(id, null, null, null);
  }

  /**
   * Returns a client with a secret. It is sent with a method in the metadata of the authorization
   * server: {@code client_secret_basic}, otherwise {@code client_secret_post}.
   */
  public static Registration withSecret(String id, String secret) {
    return new Registration(id, secret, null, null);
  }

  /**
   * Returns a client that signs assertions with a key ({@code private_key_jwt}, RFC 7523).
   *
   * @param algorithm the algorithm of JWS, such as {@code ES256} or {@code RS256}
   */
  public static Registration withKey(String id, PrivateKey key, String algorithm) {
    return new Registration(id, null, key, algorithm);
  }

  String id() {
    return id;
  }

  @Nullable String secret() {
    return secret;
  }

  @Nullable PrivateKey key() {
    return key;
  }

  @Nullable String algorithm() {
    return algorithm;
  }

  @Override
  public String toString() {
    return "client " + id;
  }
}
