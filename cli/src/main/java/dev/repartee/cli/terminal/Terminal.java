package dev.repartee.cli.terminal;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Detects whether standard output and standard error are terminals. */
public final class Terminal {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Pattern DEVICE = Pattern.compile("/dev/(pts/|tty|console).*");

  private Terminal() {}

  /**
   * Returns whether standard output is a terminal.
   *
   * <p>On Linux the target of the file descriptor decides. Other systems fall back to {@link
   * System#console()}, which requires standard input to be a terminal too. From JDK 22 on, a
   * console may exist without any terminal, and it may load a line editor.
   */
  static boolean isStandardOutput() {
    return isTerminal("1");
  }

  /** Returns whether standard error is a terminal; except on Linux, the same as standard output. */
  static boolean isStandardError() {
    return isTerminal("2");
  }

  private static boolean isTerminal(String descriptor) {
    try {
      return isDevice(Files.readSymbolicLink(DESCRIPTORS.resolve(descriptor)).toString());
    } catch (IOException | UnsupportedOperationException notLinux) {
      Console console = System.console();
      return console != null && isTerminal(console);
    }
  }

  public static boolean isDevice(String path) {
    return DEVICE.matcher(path).matches();
  }

  private static boolean isTerminal(Console console) {
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException before22) {
      return true;
    }
  }
}
