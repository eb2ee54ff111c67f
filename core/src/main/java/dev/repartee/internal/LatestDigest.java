package dev.repartee.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * SHA-256 digests of tokens; the latest token of a connection is not digested again. A comparison
 * with the token of the request before takes a quarter of the time of a digest. This is no cache of
 * a decision: the authenticator decides about each request. The token stays in memory while its
 * connection is open. Thread-safe.
 */
public final class LatestDigest {
  /** The maximum length of a text that is kept; there is one for each connection. */
  private static final int LONGEST = 2 << 10;

  /** One for each thread: to look it up takes longer than the digest of a key. */
  private static final ThreadLocal<MessageDigest> SHA_256 = ThreadLocal.withInitial(() -> {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK has no SHA-256", e);
    }
  });

  private record Known(byte[] text, byte[] digest) {}

  private volatile @Nullable Known latest;

  /** Returns the digest of a text. */
  public static byte[] sha256(byte[] text) {
    return SHA_256.get().digest(text);
  }

  /**
   * Returns the digest of a text.
   *
   * @param text the text, which must not be changed later
   * @return the digest, which must not be changed
   */
  public byte[] of(byte[] text) {
    Known known = latest;
    if (known != null && Bytes.isSame(known.text, text)) {
      return known.digest;
    }
    byte[] digest = sha256(text);
    if (text.length <= LONGEST) {
      latest = new Known(text, digest);
    }
    return digest;
  }
}
