package dev.repartee.mcp.dap;

import dev.repartee.dap.types.Source;
import dev.repartee.dap.types.StackFrame;
import dev.repartee.dap.types.Variable;
import dev.repartee.internal.Text;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.Workspace;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Formats frames, variables and source lines for results. Thread-safe. */
final class Views {
  /** The number of source lines before and after a stop. */
  private static final int AROUND = 3;

  private static final int LONGEST_LINE = 300;
  private static final int LONGEST_NAME = 300;
  private static final int LONGEST_PATH = 1_000;
  private static final int LONGEST_VALUE = 1_000;

  private final Workspace workspace;

  /** Held while a file is read, so that at most one file is in memory. */
  private final ReentrantLock reading = new ReentrantLock();

  /** A source line, with its number from 1 on. */
  record Line(int line, String text) {}

  Views(Workspace workspace) {
    this.workspace = workspace;
  }

  /** Returns a frame; {@code stop} is the number of the stop. */
  Map<String, Object> frame(StackFrame frame, int stop) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("frame", new Reference('f', stop, frame.id()).toString());
    shown.put("name", name(frame.name()));
    String file = file(frame.source());
    if (file != null) {
      shown.put("file", file);
      shown.put("line", frame.line());
      shown.put("column", frame.column());
    }
    return shown;
  }

  /** Returns a frame as text: {@code main (main.py:4)}. */
  static String text(Map<String, Object> frame) {
    Object file = frame.get("file");
    return frame.get("name") + (file == null ? "" : " (" + file + ":" + frame.get("line") + ")");
  }

  /** Returns a name from the adapter in the form of results. */
  static String name(String name) {
    return Text.shortened(name, LONGEST_NAME);
  }

  private @Nullable String file(@Nullable Source source) {
    if (source == null || source.path() == null) {
      return source == null || source.name() == null ? null : name(source.name());
    }
    return shown(source.path());
  }

  /** Returns a path from the adapter in the form of results. */
  String shown(String path) {
    try {
      return Text.shortened(workspace.shown(Path.of(path)), LONGEST_PATH);
    } catch (InvalidPathException e) {
      return Text.shortened(path, LONGEST_PATH);
    }
  }

  /** Returns the lines around the position of a frame; empty outside of the workspace. */
  List<Line> source(StackFrame frame) {
    Source source = frame.source();
    Path file = source == null || source.path() == null ? null : inside(source.path());
    if (file == null || frame.line() < 1 || frame.line() > Integer.MAX_VALUE) {
      return List.of();
    }
    long first = Math.max(1, frame.line() - AROUND);
    List<Line> shown = new ArrayList<>();
    reading.lock();
    try {
      workspace
          .read(file)
          .text()
          .lines()
          .skip(first - 1)
          .limit(frame.line() + AROUND - first + 1)
          .forEach(line ->
              shown.add(new Line((int) first + shown.size(), Text.shortened(line, LONGEST_LINE))));
    } catch (ToolException e) { // it is too large, or not text
      return List.of();
    } finally {
      reading.unlock();
    }
    return shown;
  }

  private @Nullable Path inside(String path) {
    try {
      return workspace.inside(Path.of(path).toUri().toString());
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** Returns source lines as text, with a mark at one of them. */
  static String text(List<Line> source, long marked) {
    StringBuilder text = new StringBuilder();
    for (Line each : source) {
      text.append(each.line() == marked ? "\n-> " : "\n   ");
      text.append(String.format("%5d | ", each.line())).append(each.text());
    }
    return text.toString();
  }

  static Map<String, Object> variable(Variable variable, int stop) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", name(variable.name()));
    shown.put("value", Text.shortened(variable.value(), LONGEST_VALUE));
    if (variable.type() != null && !variable.type().isEmpty()) {
      shown.put("type", name(variable.type()));
    }
    if (variable.variablesReference() > 0) {
      shown.put("reference", new Reference('v', stop, variable.variablesReference()).toString());
    }
    return shown;
  }

  /** Returns a variable as text: {@code items = [1, 2] (list) [v1.7]}. */
  static String line(Map<String, Object> variable) {
    return variable.get("name") + " = " + variable.get("value") + suffix(variable);
  }

  /** Returns the type and the reference of a value, if it has them. */
  static String suffix(Map<String, Object> value) {
    Object type = value.get("type");
    Object reference = value.get("reference");
    return (type == null ? "" : " (" + type + ")")
        + (reference == null ? "" : " [" + reference + "]");
  }
}
