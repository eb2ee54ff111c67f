package dev.repartee.cli;

/** Where the command {@code repartee} begins. */
public final class Main {
  private Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    System.exit(run(Stdio.ofProcess(), args));
  }

  /** Runs the command; answers one of {@link Exit}. */
  static int run(Stdio stdio, String... args) {
    ServeCommand plain = ServeCommand.plain(stdio, args);
    return plain == null ? Commands.run(stdio, args) : plain.run();
  }
}
