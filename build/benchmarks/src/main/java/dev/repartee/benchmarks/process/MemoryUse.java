package dev.repartee.benchmarks.process;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The memory of a process, in bytes.
 *
 * @param heap reachable memory
 * @param resident resident memory of the process; 0 if unknown
 * @param allocated the total allocation of its threads
 */
public record MemoryUse(long heap, long resident, long allocated) {
  /** Returns the memory of this process, after a garbage collection. */
  public static MemoryUse now() {
    long allocated = allocatedByAll();
    System.gc();
    System.gc(); // frees the memory that cleaners released after the first collection
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    return new MemoryUse(heap, residentBytes(), allocated);
  }

  /** Returns the total allocation of the live threads of this process. */
  public static long allocatedByAll() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds()))
        .filter(bytes -> bytes > 0)
        .sum();
  }

  private static long residentBytes() {
    return status("self", "VmRSS:");
  }

  /** Returns the maximum resident memory of a process; 0 if unknown. */
  public static long mostResident(long pid) {
    return status(Long.toString(pid), "VmHWM:");
  }

  private static long status(String process, String name) {
    return SystemFile.value(Path.of("/proc", process, "status"), name)
        .map(kib -> Long.parseLong(kib.replaceAll("\\D", "")) << 10)
        .orElse(0L);
  }

  /** Parses the output of {@link #line}. */
  public static MemoryUse of(String line) {
    String[] words = line.split(" ");
    return new MemoryUse(
        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  public String line() {
    return heap + " " + resident + " " + allocated;
  }
}
