package dev.repartee.mcp;

import java.security.SecureRandom;
import java.util.Base64;

/** What nobody can guess. Loaded by the first that needs it: to begin with randomness takes its time. */
final class Unguessable {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Unguessable() {}

  /** That many random bytes. */
  static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** A name of 144 random bits, in letters, digits, {@code -} and {@code _}. */
  static String name() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(18));
  }
}
