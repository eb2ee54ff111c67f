package dev.repartee.netty;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Checks whether bytes are UTF-8. */
final class Utf8 {
  private Utf8() {}

  /**
   * Returns whether the first {@code size} bytes are valid UTF-8. Skips leading ASCII without
   * decoding it.
   */
  static boolean isValid(byte[] bytes, int size) {
    int i = 0;
    while (i < size && bytes[i] >= 0) {
      i++;
    }
    if (i == size) {
      return true;
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, i, size - i));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
