package dev.repartee.broker;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Random numbers that cannot be predicted from other numbers of the sequence. The generator fills a
 * block for many numbers, which costs less than one number at a time. Thread-safe.
 */
final class SecretNumbers {
  /** The bytes of a block. */
  private static final int BLOCK = 1_024;

  /** The bytes of a key. */
  private static final int KEY = 16;

  /** The bits of an id: JavaScript can represent them exactly in a floating-point number. */
  private static final int ID_BITS = 53;

  private static final Base64.Encoder KEYS = Base64.getUrlEncoder().withoutPadding();

  private final SecureRandom random = new SecureRandom();

  /** The unused bytes are the remaining ones. Guarded by this. */
  private final ByteBuffer block = ByteBuffer.allocate(BLOCK).limit(0);

  /** Returns the next key of a message: 22 letters, digits, hyphens and underscores. */
  synchronized String nextKey() {
    byte[] key = new byte[KEY];
    room(KEY).get(key);
    return KEYS.encodeToString(key);
  }

  /** Returns the next id of a call, a positive number. */
  synchronized long nextId() {
    return 1 + (room(Long.BYTES).getLong() >>> Long.SIZE - ID_BITS);
  }

  private ByteBuffer room(int size) {
    if (block.remaining() < size) {
      random.nextBytes(block.array());
      block.clear();
    }
    return block;
  }
}
