package dev.repartee.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Tells whether a person reads what we write. */
final class Terminal {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Pattern DEVICE = Pattern.compile("/dev/(pts/|tty|console).*");

  private Terminal() {}

  /**
   * Asks Linux where it leads to. {@link System#console()} is for the other systems: it wants
   * standard input to be a terminal too, and from JDK 22 on it may exist without any terminal and
   * load a line editor.
   */
  static boolean isStandardOutput() {
    return isTerminal("1");
  }

  /** As {@link #isStandardOutput}, for standard error; without Linux it is taken to be the same. */
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

  static boolean isDevice(String path) {
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
