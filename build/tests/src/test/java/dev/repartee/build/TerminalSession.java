package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * The commands of a shell script, run one after the other in a pseudo-terminal, with their output
 * and its times. {@code script} of util-linux makes the pseudo-terminal.
 */
final class TerminalSession {
  /** The width of the terminal: small, since a picture of it must be readable on a phone. */
  static final int COLUMNS = 60;

  private static final Path SCRIPT = Path.of("/usr/bin/script");

  /**
   * A command or comment.
   *
   * @param lines its lines as they are typed
   * @param rows the rows of its output: the text of each row by the milliseconds since the start of
   *     the command; the last text stays
   */
  record Entry(List<String> lines, List<TreeMap<Long, String>> rows) {}

  private final List<TreeMap<Long, String>> rows = new ArrayList<>();
  private final StringBuilder row = new StringBuilder();
  private int column;

  private TerminalSession() {}

  static boolean isPossible() {
    return Files.isExecutable(SCRIPT);
  }

  /**
   * Runs a script.
   *
   * @param folder the working folder
   * @param command makes the command to run from a command of the script
   * @param output makes the text to show from a text of the output
   */
  static List<Entry> run(
      Path script, Path folder, UnaryOperator<String> command, UnaryOperator<String> output)
      throws IOException, InterruptedException {
    List<Entry> entries = new ArrayList<>();
    List<String> typed = new ArrayList<>();
    for (String line : Files.readAllLines(script)) {
      typed.add(line);
      if (!line.endsWith("\\")) {
        TerminalSession session = new TerminalSession();
        if (!line.startsWith("#")) {
          session.run(folder, command.apply(String.join("\n", typed)));
        }
        session.rows.forEach(row -> row.replaceAll((time, text) -> output.apply(text)));
        entries.add(new Entry(List.copyOf(typed), session.rows));
        typed.clear();
      }
    }
    return entries;
  }

  private void run(Path folder, String command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(SCRIPT.toString(), "-qefc", command, "/dev/null")
        .directory(folder.toFile());
    builder.environment().put("COLUMNS", Integer.toString(COLUMNS));
    rows.add(new TreeMap<>());
    long start = System.nanoTime();
    Process process = builder.start();
    try (InputStreamReader in = new InputStreamReader(process.getInputStream(), UTF_8)) {
      char[] chars = new char[8192];
      for (int n = in.read(chars); n >= 0; n = in.read(chars)) {
        long time = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        for (int i = 0; i < n; i++) {
          show(chars[i], time);
        }
        keep(time);
      }
    }
    if (rows.get(rows.size() - 1).isEmpty()) {
      rows.remove(rows.size() - 1); // the row of the next prompt
    }
    if (process.waitFor() != 0) {
      throw new IOException(command + " failed: " + rows);
    }
  }

  private void show(char c, long time) {
    switch (c) {
      case '\r' -> column = 0;
      case '\n' -> {
        keep(time);
        rows.add(new TreeMap<>());
        row.setLength(0);
      }
      default -> {
        if (c < ' ') {
          throw new IllegalStateException("the control character " + (int) c + " is not supported");
        }
        if (column < row.length()) {
          row.setCharAt(column, c);
        } else {
          row.append(c);
        }
        column++;
      }
    }
  }

  /** Keeps the text of the row with the cursor, if it has changed. */
  private void keep(long time) {
    TreeMap<Long, String> texts = rows.get(rows.size() - 1);
    String text = row.toString().stripTrailing();
    if (texts.isEmpty() ? !text.isEmpty() : !texts.lastEntry().getValue().equals(text)) {
      texts.put(time, text);
    }
  }
}
