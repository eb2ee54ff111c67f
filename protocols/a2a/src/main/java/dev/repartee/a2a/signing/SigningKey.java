package dev.repartee.a2a.signing;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A private key with its name, for signatures of JWS (RFC 7515). Immutable.
 *
 * @param keyId the name of the public key
 * @param key a key of EC (P-256, P-384, P-521), RSA, or Ed25519
 * @param keySetUrl the address of the JWK Set with the public key, or null
 */
public record SigningKey(
    String keyId, PrivateKey key, @Nullable String keySetUrl) {
  private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

  /**
   * Creates a key.
   *
   * @throws IllegalArgumentException if no algorithm fits the key
   */
  public SigningKey {
    Algorithm.of(key);
  }

  /** Creates a key without the address of a JWK Set. */
  public static SigningKey of(String keyId, PrivateKey key) {
    return new SigningKey(keyId, key, null);
  }

  /** Returns a token with these claims, signed, in the compact form (RFC 7519). */
  public String token(Json claims) {
    Signed signed = sign("JWT", claims.toBytes());
    return signed.header + "." + BASE64.encodeToString(claims.toBytes()) + "." + signed.signature;
  }

  /**
   * A signature without its payload.
   *
   * @param header the protected header in Base64url
   * @param signature the signature in Base64url
   */
  record Signed(String header, String signature) {}

  Signed sign(String type, byte[] payload) {
    Algorithm algorithm = Algorithm.of(key);
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("alg", algorithm.label());
    fields.put("typ", type);
    fields.put("kid", keyId);
    if (keySetUrl != null) {
      fields.put("jku", keySetUrl);
    }
    String header = BASE64.encodeToString(Json.of(fields).toBytes());
    return new Signed(header, BASE64.encodeToString(algorithm.sign(key, input(header, payload))));
  }

  /** Returns the text that is signed (RFC 7515 section 5.1). */
  static byte[] input(String header, byte[] payload) {
    return (header + "." + BASE64.encodeToString(payload)).getBytes(UTF_8);
  }

  /** Returns the name without the key. */
  @Override
  public String toString() {
    return "SigningKey[" + keyId + "]";
  }
}
