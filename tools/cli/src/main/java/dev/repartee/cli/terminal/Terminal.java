package dev.repartee.cli.terminal;

import java.io.Console;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Detects whether the standard streams are terminals, and the width of the terminal. */
public final class Terminal {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Pattern DEVICE = Pattern.compile("/dev/(pts/|tty|console).*");

  private static final int DEFAULT_WIDTH = 100;
  private static final int LEAST_WIDTH = 40;

  private Terminal() {}

  /**
   * Returns whether a standard stream is a terminal.
   *
   * <p>On Linux the target of the file descriptor decides. Other systems fall back to {@link
   * System#console()}, which requires standard input and output to be a terminal. From JDK 22 on, a
   * console may exist without any terminal, and it may load a line editor.
   *
   * @param descriptor 0 for standard input, 1 for output, 2 for errors
   */
  static boolean isTerminal(int descriptor) {
    try {
      Path device = DESCRIPTORS.resolve(String.valueOf(descriptor));
      return isDevice(Files.readSymbolicLink(device).toString());
    } catch (IOException | UnsupportedOperationException notLinux) {
      Console console = System.console();
      return console != null && isTerminal(console);
    }
  }

  /**
   * Returns the number of columns of the terminal: the value of COLUMNS, otherwise the value that
   * stty reports.
   */
  static int width() {
    String columns = System.getenv("COLUMNS");
    return width(columns == null ? reported() : columns);
  }

  static int width(String columns) {
    return columns.strip().matches("\\d{1,4}")
        ? Math.max(LEAST_WIDTH, Integer.parseInt(columns.strip()))
        : DEFAULT_WIDTH;
  }

  /**
   * Returns the number of columns that stty reports for the terminal of this process. Without a
   * terminal, returns a text that is not a number.
   */
  private static String reported() {
    try {
      Process stty = new ProcessBuilder("stty", "size")
          .redirectInput(new File("/dev/tty"))
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
      String size = new String(stty.getInputStream().readNBytes(32), StandardCharsets.US_ASCII);
      return size.substring(size.indexOf(' ') + 1);
    } catch (IOException e) {
      return ""; // no stty, or no terminal
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
