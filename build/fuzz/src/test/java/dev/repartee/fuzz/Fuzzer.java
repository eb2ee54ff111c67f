package dev.repartee.fuzz;

/** The entry points of Jazzer, which finds them by name. See {@code build/fuzz/run}. */
public final class Fuzzer {
  private static Target target = Target.JSON;

  private Fuzzer() {}

  /** Takes the target from {@code --target_args}. */
  public static void fuzzerInitialize(String[] args) {
    target = Target.named(args[0]);
  }

  /** Runs one input. */
  public static void fuzzerTestOneInput(byte[] input) {
    target.run(input);
  }
}
