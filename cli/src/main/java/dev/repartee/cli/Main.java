package dev.repartee.cli;

/** Where the command {@code repartee} begins. */
public final class Main {
  private Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(runAsGiven(Stdio.ofProcess(), args));
  }

  private static int runAsGiven(Stdio stdio, String... args) {
    String[] words;
    try {
      words = GivenWords.of(args);
    } catch (Failure e) {
      return Commands.failed(stdio, e, "");
    }
    return run(stdio, words);
  }

  /** Runs the command; answers one of {@link Exit}. */
  static int run(Stdio stdio, String... args) {
    ServeCommand plain = ServeCommand.plain(stdio, args);
    return plain == null ? Commands.run(stdio, args) : plain.run();
  }
}
