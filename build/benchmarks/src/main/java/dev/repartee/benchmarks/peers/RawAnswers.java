package dev.repartee.benchmarks.peers;

import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import java.nio.ByteBuffer;

/** Repeats one answer: a raw echo writes all owed answers in one piece. */
final class RawAnswers {
  private static final int BLOCK = 64 << 10;

  private final int request;
  private final int answer;
  private final byte[] block;

  RawAnswers(Workload workload) {
    byte[] one = WireFormat.LINES.request(workload, 0);
    request = one.length;
    byte[] bytes = WireFormat.LINES.answer(workload, 0);
    answer = bytes.length;
    ByteBuffer many = ByteBuffer.allocate(Math.max(1, BLOCK / answer) * answer + answer);
    while (many.hasRemaining()) {
      many.put(bytes);
    }
    block = many.array();
  }

  /** Returns a block of repeated answers, one more than the maximum of one write. */
  byte[] block() {
    return block;
  }

  /** Returns a new counter for one connection. */
  Debt debt() {
    return new Debt();
  }

  /** Counts the requests of one connection by their length, and the answered bytes. */
  final class Debt {
    private int ofNextRequest;
    private long owed;
    private int at;

    /** Counts received bytes. */
    void received(int count) {
      int bytes = ofNextRequest + count;
      int complete = bytes / request;
      ofNextRequest = bytes - complete * request;
      owed += (long) complete * answer;
    }

    /** Returns the offset of the next bytes in the {@link #block}. */
    int at() {
      return at;
    }

    /** Returns the maximum number of bytes for the next write; 0 if no answer is owed. */
    int most() {
      return (int) Math.min(owed, block.length - answer);
    }

    /** Counts written bytes. */
    void sent(int count) {
      owed -= count;
      at = (at + count) % answer;
    }
  }
}
