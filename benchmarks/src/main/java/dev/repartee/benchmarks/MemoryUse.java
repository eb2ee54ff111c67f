package dev.repartee.benchmarks;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * What a process holds and has used of memory, in bytes.
 *
 * @param heap what is reachable
 * @param resident what the process has of the machine's memory; 0 where that is not known
 * @param allocated what its threads have ever allocated
 */
record MemoryUse(long heap, long resident, long allocated) {
  /** Of this process, after a collection. */
  static MemoryUse now() {
    long allocated = allocatedByAll();
    System.gc();
    System.gc(); // what cleaners of the first one let go
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new MemoryUse(heap, residentBytes(), allocated);
  }

  /** What the threads of this process have allocated, those that have ended apart. */
  static long allocatedByAll() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  private static long residentBytes() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  /** Reads what {@link #line} wrote. */
  static MemoryUse of(String line) {
    String[] words = line.split(" ");
    return new MemoryUse(
        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  String line() {
    return heap + " " + resident + " " + allocated;
  }
}
