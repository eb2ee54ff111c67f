package dev.repartee.acp.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Keeps the last bytes of an output. Thread-safe. */
final class OutputTail {
  /** The kept output, and whether older output was dropped. */
  record Text(String text, boolean isCut) {}

  private final int most;

  // Guarded by this. The output is in bytes[0, length). The array has up to twice the maximum
  // length, so that old bytes are dropped in large pieces.

  private byte[] bytes = new byte[0];
  private int length;
  private boolean cut;

  OutputTail(int most) {
    this.most = most;
  }

  synchronized void add(byte[] from, int count) {
    if (length + count > bytes.length) {
      dropOld(count);
    }
    if (length + count > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(length + count, Math.min(2 * bytes.length, 2 * most)));
    }
    System.arraycopy(from, 0, bytes, length, count);
    length += count;
    cut |= length > most;
  }

  /** Drops old bytes, so that the kept and the new bytes fit in the maximum length. */
  private void dropOld(int count) {
    int keep = Math.max(0, Math.min(length, most - count));
    System.arraycopy(bytes, length - keep, bytes, 0, keep);
    cut |= keep < length;
    length = keep;
  }

  /** Returns the last bytes as text. The text of a cut output begins with a whole character. */
  synchronized Text text() {
    int from = Math.max(0, length - most);
    while (cut && from < length && (bytes[from] & 0xC0) == 0x80) {
      from++; // skips the rest of a character
    }
    return new Text(new String(bytes, from, length - from, UTF_8), cut);
  }
}
