package dev.repartee.cli;

import dev.repartee.cli.options.Watchdog;
import dev.repartee.cli.terminal.ErrorLog;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import java.util.List;

/** The entry point of the command {@code repartee}. */
public final class Main {
  /** The property of java.util.logging with the format of a record. */
  private static final String LOG_FORMAT = "java.util.logging.SimpleFormatter.format";

  /** The property of Netty for the part of channel ids that identifies the machine. */
  private static final String MACHINE = "io.netty.machineId";

  private Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    if (System.getProperty(LOG_FORMAT) == null) {
      System.setProperty(
          LOG_FORMAT, "repartee: %5$s%6$s%n"); // one line, as the command's own messages
    }
    if (System.getProperty(MACHINE) == null) {
      // The command does not show these ids. Without this property, Netty reads the addresses of
      // all network interfaces at the first connection, and warns on a machine that has only the
      // loopback interface.
      System.setProperty(MACHINE, "00:00:00:00:00:00:00:01");
    }
    if (serves(args)) {
      ErrorLog.install();
    } else {
      Watchdog.watch();
    }
    System.exit(runAsGiven(Stdio.ofProcess(), args));
  }

  /**
   * Returns whether a command is a server. A server runs without the watchdog, because it must
   * survive a request that exhausts the memory.
   */
  static boolean serves(String... args) {
    return args.length > 0 && List.of("serve", "bridge", "mock").contains(args[0])
        || args.length > 1
            && (args[0].equals("mcp") || args[0].equals("agents"))
            && (args[1].equals("serve") || args[1].equals("worker"));
  }

  private static int runAsGiven(Stdio stdio, String... args) {
    try {
      return run(stdio, GivenWords.of(args));
    } catch (Failure e) {
      return Commands.failed(stdio, e, "");
    } catch (OutOfMemoryError e) {
      Watchdog.exhausted();
      return Exit.MEMORY;
    } catch (Error e) {
      // Uncaught, this would exit with 1, the code for an error response.
      return Commands.failed(stdio, e, args.length == 0 ? "" : args[0]);
    }
  }

  /** Runs the command and returns its exit code, one of {@link Exit}. */
  static int run(Stdio stdio, String... args) {
    ServeCommand plain = ServeCommand.plain(stdio, args);
    return plain == null ? Commands.run(stdio, args) : plain.run();
  }
}
