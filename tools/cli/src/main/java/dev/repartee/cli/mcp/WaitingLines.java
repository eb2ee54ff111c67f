package dev.repartee.cli.mcp;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Lines that wait for standard output: at most 1,000 lines with at most 2,097,152 characters, or a
 * single longer line. Further lines are dropped and counted. Thread-safe.
 */
final class WaitingLines {
  private static final int LINES = 1_000;
  private static final int CHARACTERS = 2 << 20;

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>(LINES);
  private final AtomicLong characters = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();

  void add(String line) {
    long after = characters.addAndGet(line.length());
    boolean fits = after <= CHARACTERS || after == line.length();
    if (!fits || !lines.offer(line)) {
      characters.addAndGet(-line.length());
      dropped.incrementAndGet();
    }
  }

  /** Waits up to a second for a line, or returns null. */
  @Nullable String next() throws InterruptedException {
    String line = lines.poll(1, TimeUnit.SECONDS);
    if (line != null) {
      characters.addAndGet(-line.length());
    }
    return line;
  }

  /** Returns the number of lines that were dropped since the last call. */
  long dropped() {
    return dropped.getAndSet(0);
  }
}
