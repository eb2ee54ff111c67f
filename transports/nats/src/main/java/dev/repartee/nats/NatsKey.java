package dev.repartee.nats;

import io.nats.client.AuthHandler;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A user's key, which signs the challenge of the server: an Ed25519 key with a seed in base 32,
 * with a prefix and a checksum ("nkey"). A credentials file also has a token (JWT) of the user. The
 * JDK signs; the client library needs no other implementation.
 */
final class NatsKey implements AuthHandler {
  private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  private static final int SEED = 32;

  /** The prefix of a seed, the prefix of a user, and both in the two bytes before a user's seed. */
  private static final int USER = 20 << 3;

  private static final int USER_SEED = (18 << 3 | USER >> 5) << 8 | (USER & 31) << 3;

  private static final Pattern SEED_TEXT = Pattern.compile("\\bSU[A-Z2-7]{56}\\b");
  private static final Pattern TOKEN = Pattern.compile(
      "-----BEGIN NATS USER JWT-----\\s*([A-Za-z0-9._-]+)\\s*-+END NATS USER JWT-+");

  private final PrivateKey key;
  private final String id;
  private final @Nullable String token;

  private NatsKey(PrivateKey key, String id, @Nullable String token) {
    this.key = key;
    this.id = id;
    this.token = token;
  }

  /**
   * Returns the key in the text of a file.
   *
   * @param hasToken whether the text must have a token, as in a credentials file
   * @throws IllegalArgumentException if the text has no valid key; the message does not show it
   */
  static NatsKey of(String text, boolean hasToken) {
    Matcher token = TOKEN.matcher(text);
    if (!token.find() && hasToken) {
      throw new IllegalArgumentException("it has no token (BEGIN NATS USER JWT)");
    }
    Matcher seed = SEED_TEXT.matcher(hasToken ? text.substring(token.end()) : text);
    if (!seed.find()) {
      throw new IllegalArgumentException("it has no seed of a user, which begins with SU");
    }
    byte[] bytes = seed(seed.group());
    try {
      KeyPair pair = pair(bytes);
      byte[] spki = pair.getPublic().getEncoded();
      return new NatsKey(
          KeyFactory.getInstance("Ed25519")
              .generatePrivate(new EdECPrivateKeySpec(NamedParameterSpec.ED25519, bytes)),
          id(Arrays.copyOfRange(spki, spki.length - SEED, spki.length)),
          hasToken ? token.group(1) : null);
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("the JVM has no Ed25519: " + e.getMessage(), e);
    }
  }

  private static byte[] seed(String text) {
    byte[] all = decoded(text);
    ByteBuffer parts = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
    int prefix = (all[0] & 0xFF) << 8 | all[1] & 0xFF;
    if (prefix != USER_SEED
        || (parts.getShort(all.length - 2) & 0xFFFF) != crc(all, all.length - 2)) {
      throw new IllegalArgumentException("its seed has a wrong checksum");
    }
    return Arrays.copyOfRange(all, 2, 2 + SEED);
  }

  /** Returns the key pair of a seed: the JDK derives a public key only when it creates a pair. */
  private static KeyPair pair(byte[] seed) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("Ed25519");
    generator.initialize(NamedParameterSpec.ED25519, new SecureRandom() {
      private static final long serialVersionUID = 1;

      @Override
      public void nextBytes(byte[] bytes) {
        System.arraycopy(seed, 0, bytes, 0, bytes.length);
      }
    });
    KeyPair pair = generator.generateKeyPair();
    byte[] used = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElse(new byte[0]);
    if (!Arrays.equals(used, seed)) {
      throw new GeneralSecurityException("its provider creates no key from a seed");
    }
    return pair;
  }

  private static String id(byte[] publicKey) {
    ByteBuffer id = ByteBuffer.allocate(SEED + 3).order(ByteOrder.LITTLE_ENDIAN);
    id.put((byte) USER).put(publicKey);
    return encoded(id.putShort((short) crc(id.array(), SEED + 1)).array());
  }

  /** Returns the CRC-16 of the first bytes, with the polynomial x^16 + x^12 + x^5 + 1. */
  private static int crc(byte[] bytes, int length) {
    int crc = 0;
    for (int i = 0; i < length; i++) {
      crc ^= (bytes[i] & 0xFF) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc << 1 ^ ((crc & 0x8000) == 0 ? 0 : 0x1021)) & 0xFFFF;
      }
    }
    return crc;
  }

  private static byte[] decoded(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(text.length() * 5 / 8);
    int bits = 0;
    int value = 0;
    for (int i = 0; i < text.length(); i++) {
      value = value << 5 | DIGITS.indexOf(text.charAt(i));
      bits += 5;
      if (bits >= 8) {
        bits -= 8;
        bytes.put((byte) (value >> bits));
      }
    }
    return bytes.array();
  }

  private static String encoded(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    int bits = 0;
    int value = 0;
    for (byte each : bytes) {
      value = value << 8 | each & 0xFF;
      for (bits += 8; bits >= 5; bits -= 5) {
        text.append(DIGITS.charAt(value >> bits - 5 & 31));
      }
    }
    return bits == 0
        ? text.toString()
        : text.append(DIGITS.charAt(value << 5 - bits & 31)).toString();
  }

  @Override
  public byte[] sign(byte[] nonce) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(key);
      signature.update(nonce);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JVM cannot sign with Ed25519", e);
    }
  }

  @Override
  public char[] getID() {
    return id.toCharArray();
  }

  @Override
  public char @Nullable [] getJWT() {
    return token == null ? null : token.toCharArray();
  }

  /** Returns the public key in base 32, which begins with U. */
  @Override
  public String toString() {
    return id;
  }
}
