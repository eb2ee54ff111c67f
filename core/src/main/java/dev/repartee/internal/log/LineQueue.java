package dev.repartee.internal.log;

import dev.repartee.internal.Threads;
import dev.repartee.internal.UserCode;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a log that wait for the thread that writes them. A slow disk blocks only this thread,
 * never a thread that serves connections. Lines without room, and lines that the target does not
 * accept, are dropped and counted, and another line replaces them. Thread-safe.
 */
public final class LineQueue implements AutoCloseable {
  /** The time that the end of the log waits for the disk. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

  private final int max;
  private final Consumer<String> target;
  private final LongFunction<String> gap;

  // Guarded by this.
  private final Queue<String> lines = new ArrayDeque<>();

  /** The number of lines that were dropped since the last line about a gap. */
  private long dropped;

  /** The number in the gap line that is being written; 0 while another line is written. */
  private long gapInHand;

  /** Whether the target has not accepted the last line: a line about the gap waits for the next. */
  private boolean isFailing;

  /** The number of all lines that were dropped. */
  private long lost;

  private boolean isClosed;
  private boolean hasEnded;

  private LineQueue(int max, Consumer<String> target, LongFunction<String> gap) {
    this.max = max;
    this.target = target;
    this.gap = gap;
  }

  /**
   * Starts the thread that writes.
   *
   * @param max the maximum number of lines that wait
   * @param target writes a line, which has no line end. Only the thread of this queue calls it. A
   *     line for which it throws is lost. It is closed at the end if it is {@link AutoCloseable}
   * @param gap returns the line that replaces a number of dropped lines
   */
  public static LineQueue start(
      String thread, int max, Consumer<String> target, LongFunction<String> gap) {
    LineQueue queue = new LineQueue(max, target, gap);
    Threads.start(thread, queue::write);
    return queue;
  }

  /** Adds a line, or drops it if the queue is full or closed. */
  public synchronized void add(String line) {
    if (isClosed || lines.size() >= max) {
      lost++;
      dropped += isClosed ? 0 : 1;
      return;
    }
    lines.add(line);
    notifyAll();
  }

  /** Returns the number of lines that were dropped since the start. */
  public synchronized long lost() {
    return lost;
  }

  private void write() {
    try {
      for (String line = take(); line != null; line = take()) {
        written(isAccepted(line));
      }
    } finally {
      if (target instanceof AutoCloseable resource) {
        UserCode.close(resource);
      }
      synchronized (this) {
        isClosed = true;
        hasEnded = true;
        notifyAll();
      }
    }
  }

  private boolean isAccepted(String line) {
    try {
      target.accept(line);
      return true;
    } catch (Throwable e) { // the lines of others must still be written
      return false;
    }
  }

  /** Counts a line that the target has not accepted. */
  private synchronized void written(boolean isAccepted) {
    isFailing = !isAccepted;
    if (isFailing) {
      lost += gapInHand == 0 ? 1 : 0;
      dropped += Math.max(1, gapInHand);
    }
    gapInHand = 0;
  }

  /** Waits for the next line; null at the end. */
  private synchronized @Nullable String take() {
    while (lines.isEmpty() && (dropped == 0 || isFailing) && !isClosed) {
      try {
        wait();
      } catch (InterruptedException e) {
        // An interrupt has no meaning for this thread, and the lines still have to be written.
      }
    }
    String line = lines.poll();
    if (line == null && dropped > 0 && !isFailing) {
      line = gap.apply(dropped);
      gapInHand = dropped;
      dropped = 0;
    }
    return line;
  }

  /** Waits until the lines are written, for 5 seconds at most. */
  @Override
  public synchronized void close() {
    isClosed = true;
    notifyAll();
    long end = System.nanoTime() + PATIENCE;
    boolean isInterrupted = false;
    while (!hasEnded && System.nanoTime() < end) {
      try {
        wait(Math.max(1, (end - System.nanoTime()) / 1_000_000));
      } catch (InterruptedException e) {
        isInterrupted = true; // the lines still have to be written
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
