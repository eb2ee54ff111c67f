package dev.repartee.trace;

import dev.repartee.internal.Threads;
import dev.repartee.json.JsonWriter;
import dev.repartee.transport.ReadingThread;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a recording that wait for the thread that writes them. A slow disk or a full pipe
 * blocks only this thread, never a thread that serves connections. Lines without room are dropped
 * and counted, and an {@link Entry.Lost} replaces them. Thread-safe.
 */
final class RecordingQueue implements Consumer<Entry>, AutoCloseable {
  /** The maximum memory of the lines in bytes. A line that waits alone may be longer. */
  static final int MAX_BYTES = 8 << 20;

  /** The time that the end of the trace or of the JVM waits for the disk. */
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

  /** The time without an entry after which the shutdown hooks of the program have ended. */
  private static final long QUIET = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long LOOK_MILLIS = 10;

  private record Line(JsonWriter text, Duration at) {}

  private final RecordingWriter writer;

  /** A shutdown hook. The daemon thread that writes does not keep the JVM alive. */
  private final Thread ending = new Thread(this::drain, "repartee-trace-ending");

  // Guarded by this.
  private final Queue<Line> lines = new ArrayDeque<>();
  /** The memory of the queued lines and of the line that is being written, in bytes. */
  private long held;

  private @Nullable Line current;
  private long lost;
  private Duration lostAt = Duration.ZERO;
  private long lastNanos = System.nanoTime();

  /** Whether no more lines are accepted. */
  private boolean closed;

  /** Whether the thread that writes has ended. */
  private boolean ended;

  private RecordingQueue(RecordingWriter writer) {
    this.writer = writer;
  }

  /** Starts the thread that writes the header and then the entries. */
  static RecordingQueue start(RecordingWriter writer, JsonWriter header) {
    RecordingQueue queue = new RecordingQueue(writer);
    queue.add(header, Duration.ZERO);
    try {
      Runtime.getRuntime().addShutdownHook(queue.ending);
    } catch (IllegalStateException late) {
      // The JVM is shutting down already.
    }
    Threads.start("repartee-trace", queue::write);
    return queue;
  }

  // ---------------------------------------------------------------- the threads of connections

  @Override
  public void accept(Entry entry) {
    add(EntryText.line(entry), entry.at());
  }

  private synchronized void add(JsonWriter text, Duration at) {
    if (closed) {
      return;
    }
    lastNanos = System.nanoTime();
    if (held > 0 && held + text.array().length > MAX_BYTES) {
      lost++;
      lostAt = at;
      return;
    }
    if (lost > 0) {
      put(gap());
    }
    put(new Line(text, at));
    notifyAll();
  }

  private void put(Line line) {
    lines.add(line);
    held += line.text.array().length;
  }

  /** Returns the line that replaces the lost lines. */
  private Line gap() {
    Line gap = new Line(EntryText.line(new Entry.Lost(lostAt, lost)), lostAt);
    lost = 0;
    return gap;
  }

  // ---------------------------------------------------------------- the thread that writes

  private void write() {
    try {
      Line line = take();
      while (line != null && writer.write(line.text, line.at)) {
        line = take();
      }
    } finally {
      writer.close();
      end();
    }
  }

  /** Waits for the next line; null at the end. */
  private synchronized @Nullable Line take() {
    release();
    while (lines.isEmpty() && lost == 0 && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        // An interrupt has no meaning for this thread, and the lines still have to be written.
      }
    }
    if (lines.isEmpty() && lost > 0) {
      put(gap());
    }
    current = lines.poll();
    return current;
  }

  /** Releases the memory of the line that was written. */
  private void release() {
    if (current != null) {
      held -= current.text.array().length;
      current = null;
      notifyAll();
    }
  }

  private void end() {
    synchronized (this) {
      closed = true;
      ended = true;
      lines.clear();
      notifyAll();
    }
    removeHook();
  }

  // ---------------------------------------------------------------- the end

  /**
   * Waits until everything is written, but not on a thread that reads. Lines that are still queued
   * after a time are dropped; the thread that writes ends when its last write returns.
   */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
      if (ReadingThread.isCurrent()) {
        return;
      }
      await(() -> ended);
      drop();
    }
    removeHook();
  }

  private void drop() {
    for (Line line = lines.poll(); line != null; line = lines.poll()) {
      held -= line.text.array().length;
      lost++;
      lostAt = line.at;
    }
  }

  /**
   * Waits at the end of the JVM until everything is written. Other shutdown hooks run at the same
   * time, and the connections that they close are still recorded.
   */
  synchronized void drain() {
    await(() -> ended || held == 0 && lost == 0 && System.nanoTime() - lastNanos > QUIET);
  }

  /** Waits for a condition, which is looked at under the lock, but not for ever. */
  private synchronized void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    boolean interrupted = false;
    while (!condition.getAsBoolean() && System.nanoTime() - start < PATIENCE) {
      try {
        wait(LOOK_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException late) {
      // The JVM is shutting down; the hook finds nothing to wait for.
    }
  }
}
