package dev.repartee.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The CPU time of processes that are not ours, from {@code /proc/stat}. Unknown on systems other
 * than Linux.
 *
 * @param others ticks used by other processes, or by other virtual machines on the same hardware
 */
public record CpuUse(long others) {
  private static final Path STAT = Path.of("/proc/stat");

  /** USER_HZ: a tick is 10 ms on all common Linux systems. */
  private static final double TICKS_A_SECOND = 100;

  private static final int USER = 1;
  private static final int NICE = 2;
  private static final int SYSTEM = 3;
  private static final int STEAL = 8;

  static boolean isKnown() {
    return Files.isReadable(STAT);
  }

  /** Returns the current use; {@code ours} are the ids of the processes to exclude. */
  public static CpuUse now(List<Long> ours) throws IOException {
    if (!isKnown()) {
      return new CpuUse(0);
    }
    String[] all = Files.readString(STAT).lines().findFirst().orElseThrow().split(" +");
    long ticks = 0;
    for (int column : new int[] {USER, NICE, SYSTEM, STEAL}) {
      ticks += Long.parseLong(all[column]);
    }
    for (long pid : ours) {
      ticks -= ticksOf(pid);
    }
    return new CpuUse(ticks);
  }

  /** Returns the CPU time that a process has used, in seconds; 0 if unknown. */
  public static double secondsOf(long pid) throws IOException {
    return isKnown() ? ticksOf(pid) / TICKS_A_SECOND : 0;
  }

  private static long ticksOf(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]); // utime and stime
  }

  /** Returns the share of one CPU that other processes used since {@code earlier}. */
  public double since(CpuUse earlier, double seconds) {
    return (others - earlier.others) / TICKS_A_SECOND / seconds;
  }
}
