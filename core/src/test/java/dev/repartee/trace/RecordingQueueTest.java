package dev.repartee.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RecordingQueueTest {
  private static final String LONG = "x".repeat(1 << 20);
  private static final int MANY = 40;

  @TempDir
  Path temp;

  /** A slow disk, which takes one line for each permit. */
  private static final class SlowFile extends OutputStream {
    final Semaphore permits = new Semaphore(0);
    final Semaphore begun = new Semaphore(0);
    final Semaphore closed = new Semaphore(0);
    /** A permit for each line on the disk that is no {@link #LONG} one. */
    final Semaphore shortLines = new Semaphore(0);

    private final OutputStream out;

    SlowFile(Path file) throws IOException {
      this.out = new FileOutputStream(file.toFile());
    }

    @Override
    public void write(int b) {
      throw new AssertionError("one write for each line");
    }

    @Override
    public void write(byte[] b, int from, int length) throws IOException {
      begun.release();
      permits.acquireUninterruptibly();
      out.write(b, from, length);
      if (length < LONG.length()) {
        shortLines.release();
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
      closed.release();
    }
  }

  private static RecordingQueue start(SlowFile disk) {
    RecordingQueue queue = RecordingQueue.start(
        new RecordingWriter("slow", disk, 1L << 30), EntryText.header(Instant.EPOCH, Mask.NONE));
    disk.begun.acquireUninterruptibly(); // the header
    return queue;
  }

  private static Entry fault(int number, String reason) {
    return new Entry.Fault(Duration.ofNanos(number * 1000L), number, reason);
  }

  private static List<Entry> read(Path file) throws IOException {
    try (Recording recording = Recording.read(file)) {
      return recording.entries().toList();
    }
  }

  @Test
  void aDiskThatStandsStillStopsNobodyAndTheRecordingTellsHowManyEntriesAreLost()
      throws IOException {
    Path file = temp.resolve("slow.jsonl");
    SlowFile disk = new SlowFile(file);
    RecordingQueue queue = start(disk);
    for (int i = 0; i < MANY; i++) {
      queue.accept(fault(i, LONG)); // returns
    }
    disk.permits.release(3);
    disk.begun.acquireUninterruptibly(3); // the memory of two long lines is free again
    queue.accept(fault(MANY, "later"));
    disk.permits.release(MANY);
    disk.shortLines.acquireUninterruptibly(3); // the header and the last two: close() waits 5 s
    queue.close();
    List<Entry> entries = read(file);
    int kept = entries.size() - 2;
    assertThat(kept).isBetween(3, RecordingQueue.MAX_BYTES >> 20);
    for (int i = 0; i < kept; i++) {
      assertThat(entries.get(i)).isEqualTo(fault(i, LONG));
    }
    assertThat(entries.subList(kept, kept + 2))
        .containsExactly(
            new Entry.Lost(fault(MANY - 1, LONG).at(), MANY - kept), fault(MANY, "later"));
  }

  @Test
  void theEndOfATraceDoesNotWaitForADiskThatStandsStill() throws IOException {
    Path file = temp.resolve("stalled.jsonl");
    SlowFile disk = new SlowFile(file);
    RecordingQueue queue = start(disk);
    for (int i = 1; i <= 3; i++) {
      queue.accept(fault(i, "reason"));
    }
    queue.close(); // returns
    queue.accept(fault(4, "after the end"));
    disk.permits.release(MANY);
    disk.closed.acquireUninterruptibly();
    assertThat(read(file)).containsExactly(new Entry.Lost(fault(3, "").at(), 3));
  }

  @Test
  void anEntryThatIsLongerThanTheQueueIsRecordedWhereItWaitsAlone() throws IOException {
    Path file = temp.resolve("long.jsonl");
    SlowFile disk = new SlowFile(file);
    disk.permits.release(MANY);
    RecordingQueue queue = start(disk);
    queue.drain();
    Entry entry = fault(1, "x".repeat(RecordingQueue.MAX_BYTES + 1));
    queue.accept(entry);
    disk.begun.acquireUninterruptibly(); // it is not among the lines that close() drops after 5 s
    queue.close();
    disk.closed.acquireUninterruptibly();
    assertThat(read(file)).containsExactly(entry);
  }

  @Test
  void aFailureOfTheDiskEndsOnlyTheRecording() throws InterruptedException {
    CountDownLatch closed = new CountDownLatch(1);
    OutputStream broken = new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException("broken");
      }

      @Override
      public void close() {
        closed.countDown();
      }
    };
    RecordingQueue queue = RecordingQueue.start(
        new RecordingWriter("broken", broken, 1L << 30),
        EntryText.header(Instant.EPOCH, Mask.NONE));
    queue.accept(fault(1, LONG));
    queue.close();
    assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
  }
}
