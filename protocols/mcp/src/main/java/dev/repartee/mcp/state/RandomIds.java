package dev.repartee.mcp.state;

import java.security.SecureRandom;
import java.util.Base64;

/**
 * Creates cryptographically random values. A separate class, because it creates the random
 * generator, which starts slowly, on first use.
 */
public final class RandomIds {
  private static final SecureRandom RANDOM = new SecureRandom();

  private RandomIds() {}

  /** Returns random bytes. */
  static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /** Returns a name with 144 random bits, in letters, digits, {@code -} and {@code _}. */
  public static String name() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(18));
  }
}
