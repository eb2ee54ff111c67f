package dev.repartee.benchmarks;

import java.nio.ByteBuffer;

/** The same answer many times over, as a raw echo writes it: as many bytes as are owed, in one piece. */
final class RawAnswers {
  private static final int BLOCK = 64 << 10;

  private final int request;
  private final int answer;
  private final byte[] block;

  RawAnswers(Workload workload) {
    byte[] one = Wire.LINES.request(workload, 0);
    request = one.length;
    byte[] bytes = Wire.LINES.answer(workload, 0);
    answer = bytes.length;
    ByteBuffer many = ByteBuffer.allocate(Math.max(1, BLOCK / answer) * answer + answer);
    while (many.hasRemaining()) {
      many.put(bytes);
    }
    block = many.array();
  }

  /** Answers back to back, one more than fit {@link #most}. */
  byte[] block() {
    return block;
  }

  /** What one connection is owed. */
  Debt debt() {
    return new Debt();
  }

  /** Counts requests by their length, and what was answered of them. */
  final class Debt {
    private int ofNextRequest;
    private long owed;
    private int at;

    /** Bytes came in. */
    void received(int count) {
      int bytes = ofNextRequest + count;
      int complete = bytes / request;
      ofNextRequest = bytes - complete * request;
      owed += (long) complete * answer;
    }

    /** Where the next bytes stand in the {@link #block}. */
    int at() {
      return at;
    }

    /** How many of them may be written at once; 0 when nothing is owed. */
    int most() {
      return (int) Math.min(owed, block.length - answer);
    }

    /** That many were written. */
    void sent(int count) {
      owed -= count;
      at = (at + count) % answer;
    }
  }
}
