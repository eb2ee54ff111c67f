package dev.repartee.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What of the CPU went to processes that are not ours, by {@code /proc/stat}. Nothing is known of it on
 * other systems than Linux.
 *
 * @param others ticks that other processes, or other machines on the same hardware, have used
 */
record CpuUse(long others) {
  private static final Path STAT = Path.of("/proc/stat");

  /** A tick is 10 ms on every Linux that matters: USER_HZ. */
  private static final double TICKS_A_SECOND = 100;

  private static final int USER = 1;
  private static final int NICE = 2;
  private static final int SYSTEM = 3;
  private static final int STEAL = 8;

  static boolean isKnown() {
    return Files.isReadable(STAT);
  }

  /** What it is now, where {@code ours} are the ids of the processes to leave out. */
  static CpuUse now(List<Long> ours) throws IOException {
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

  /** The CPU time that a process has used, in seconds; 0 where that is not known. */
  static double secondsOf(long pid) throws IOException {
    return isKnown() ? ticksOf(pid) / TICKS_A_SECOND : 0;
  }

  private static long ticksOf(long pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(fields[11]) + Long.parseLong(fields[12]); // utime and stime
  }

  /** The part of one CPU that others took since {@code earlier}. */
  double since(CpuUse earlier, double seconds) {
    return (others - earlier.others) / TICKS_A_SECOND / seconds;
  }
}
