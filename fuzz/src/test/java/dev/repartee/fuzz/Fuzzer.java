package dev.repartee.fuzz;

/** What Jazzer calls, by these names: see {@code fuzz/run}. */
public final class Fuzzer {
  private static Target target = Target.JSON;

  private Fuzzer() {}

  /** Takes {@code --target_args}. */
  public static void fuzzerInitialize(String[] args) {
    target = Target.named(args[0]);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] input) {
    target.run(input);
  }
}
