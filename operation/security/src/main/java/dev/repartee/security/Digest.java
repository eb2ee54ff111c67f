package dev.repartee.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.access.Credentials;
import dev.repartee.internal.LatestDigest;
import dev.repartee.internal.RepeatedFields;
import dev.repartee.transport.http.HttpRequest;
import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A SHA-256 digest, as a key of tables that hold no secrets. The time of a look-up depends on the
 * digest only. A caller cannot choose a digest, and a part of it does not help to find the secret.
 */
record Digest(long a, long b, long c, long d) {
  /** The number of characters of 256 bits in base64url: of a digest, or of a random token. */
  static final int CHARACTERS = 43;

  private static final String MAC = "HmacSHA256";
  private static final int BYTES = 32;

  /** Returns the digest of a text. */
  static Digest of(String text) {
    return of(LatestDigest.sha256(text.getBytes(UTF_8)));
  }

  /** Returns the digest of a token that a caller has sent, mostly in each request. */
  static Digest of(String token, Credentials credentials) {
    byte[] bytes = token.getBytes(UTF_8);
    return of(
        credentials.attributes().get(HttpRequest.HEADERS) instanceof RepeatedFields fields
            ? fields.latestDigest().of(bytes)
            : LatestDigest.sha256(bytes));
  }

  static Digest of(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new Digest(buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong());
  }

  /** Returns the digest that {@link #hex} has written. */
  static Digest ofHex(String text) {
    return of(HexFormat.of().parseHex(text));
  }

  byte[] bytes() {
    return ByteBuffer.allocate(BYTES)
        .putLong(a)
        .putLong(b)
        .putLong(c)
        .putLong(d)
        .array();
  }

  String hex() {
    return HexFormat.of().formatHex(bytes());
  }

  /** Compares in constant time. */
  boolean matches(Digest other) {
    return ((a ^ other.a) | (b ^ other.b) | (c ^ other.c) | (d ^ other.d)) == 0;
  }

  /** Returns a random text of 256 bits: a token that cannot be guessed. */
  static String randomToken() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Digests with a random key of this process, for secrets that people choose: a dictionary does
   * not reveal the secret of such a digest without the key. Thread-safe.
   */
  static final class Keyed {
    private final SecretKeySpec key;

    Keyed() {
      byte[] bytes = new byte[BYTES];
      new SecureRandom().nextBytes(bytes);
      key = new SecretKeySpec(bytes, MAC);
    }

    Digest of(String text) {
      try {
        Mac mac = Mac.getInstance(MAC);
        mac.init(key);
        return Digest.of(mac.doFinal(text.getBytes(UTF_8)));
      } catch (NoSuchAlgorithmException | InvalidKeyException e) {
        throw new IllegalStateException("the JDK has no " + MAC, e);
      }
    }
  }
}
