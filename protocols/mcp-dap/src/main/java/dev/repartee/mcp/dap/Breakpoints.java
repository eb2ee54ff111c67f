package dev.repartee.mcp.dap;

import dev.repartee.dap.types.Breakpoint;
import dev.repartee.dap.types.Capabilities;
import dev.repartee.dap.types.ExceptionBreakpointsFilter;
import dev.repartee.dap.types.ExceptionFilterOptions;
import dev.repartee.dap.types.FunctionBreakpoint;
import dev.repartee.dap.types.SetBreakpointsArguments;
import dev.repartee.dap.types.SetExceptionBreakpointsArguments;
import dev.repartee.dap.types.SetFunctionBreakpointsArguments;
import dev.repartee.dap.types.Source;
import dev.repartee.dap.types.SourceBreakpoint;
import dev.repartee.internal.Text;
import dev.repartee.mcp.types.ToolException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The breakpoints that the model wants, and the last answers of the adapter to them. They are kept
 * after the program has ended, and every launch sets them. Thread-safe.
 */
final class Breakpoints {
  static final int MAX_FILES = 100;
  static final int MAX_OF_FILE = 200;

  /** The maximum length of a condition, of a name and of a log message. */
  static final int LONGEST_TEXT = 10_000;

  /** The maximum of the characters in all conditions, names and log messages. */
  static final int MAX_TEXT = 256 << 10;

  /** The maximum length of a message of an adapter, which is kept for each breakpoint. */
  private static final int LONGEST_ANSWER = 500;

  // Guarded by this.
  private final Map<Path, List<SourceBreakpoint>> wanted = new LinkedHashMap<>();
  private final Map<Path, List<Breakpoint>> answers = new LinkedHashMap<>();
  private List<FunctionBreakpoint> functions = List.of();
  private List<Breakpoint> functionAnswers = List.of();

  /** Null until the model has chosen; until then the default filters of the adapter apply. */
  private @Nullable List<ExceptionFilterOptions> exceptions;

  /**
   * A wanted breakpoint with the answer of the adapter.
   *
   * @param answer null if no program was started since it was set
   */
  record Line(SourceBreakpoint wanted, @Nullable Breakpoint answer) {}

  /**
   * Replaces the breakpoints of a file.
   *
   * @throws ToolException if too many files have breakpoints, or their texts are too long
   */
  synchronized void want(Path file, List<SourceBreakpoint> lines) {
    if (lines.isEmpty()) {
      wanted.remove(file);
    } else if (wanted.size() == MAX_FILES && !wanted.containsKey(file)) {
      throw new ToolException("At most " + MAX_FILES + " files have breakpoints; remove those of"
          + " another file with an empty list.");
    } else {
      Map<Path, List<SourceBreakpoint>> all = new LinkedHashMap<>(wanted);
      all.put(file, lines);
      check(all, functions, exceptions);
      wanted.put(file, lines);
    }
    answers.remove(file);
  }

  /** Replaces the breakpoints of functions; fails as {@link #want} does. */
  synchronized void wantFunctions(List<FunctionBreakpoint> names) {
    check(wanted, names, exceptions);
    functions = names;
    functionAnswers = List.of();
  }

  /** Replaces the filters for exceptions; fails as {@link #want} does. */
  synchronized void wantExceptions(List<ExceptionFilterOptions> filters) {
    check(wanted, functions, filters);
    exceptions = filters;
  }

  private static void check(
      Map<Path, List<SourceBreakpoint>> lines,
      List<FunctionBreakpoint> functions,
      @Nullable List<ExceptionFilterOptions> exceptions) {
    long size = 0;
    for (List<SourceBreakpoint> all : lines.values()) {
      for (SourceBreakpoint each : all) {
        size += length(each.condition()) + length(each.hitCondition()) + length(each.logMessage());
      }
    }
    for (FunctionBreakpoint each : functions) {
      size += length(each.name()) + length(each.condition()) + length(each.hitCondition());
    }
    if (exceptions != null) {
      for (ExceptionFilterOptions each : exceptions) {
        size += length(each.filterId()) + length(each.condition());
      }
    }
    if (size > MAX_TEXT) {
      throw new ToolException("The conditions, names and log messages of all breakpoints have at"
          + " most " + MAX_TEXT + " characters; shorten them, or remove other breakpoints.");
    }
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /** Returns the arguments that set the breakpoints of a file, which may be empty. */
  synchronized SetBreakpointsArguments of(Path file) {
    return new SetBreakpointsArguments(
            new Source().withName(String.valueOf(file.getFileName())).withPath(file.toString()))
        .withBreakpoints(wanted.getOrDefault(file, List.of()))
        .withSourceModified(false);
  }

  synchronized SetFunctionBreakpointsArguments functions() {
    return new SetFunctionBreakpointsArguments(functions);
  }

  /**
   * Returns the arguments that set the filters for exceptions: the filters that the model has
   * chosen, otherwise the default filters; only filters that the adapter supports.
   */
  synchronized SetExceptionBreakpointsArguments exceptions(Capabilities capabilities) {
    List<ExceptionBreakpointsFilter> known = filters(capabilities);
    if (exceptions == null) {
      return new SetExceptionBreakpointsArguments(known.stream()
          .filter(filter -> Boolean.TRUE.equals(filter.default_()))
          .map(ExceptionBreakpointsFilter::filter)
          .toList());
    }
    List<ExceptionFilterOptions> chosen = exceptions.stream()
        .filter(
            option -> known.stream().anyMatch(filter -> filter.filter().equals(option.filterId())))
        .toList();
    return Boolean.TRUE.equals(capabilities.supportsExceptionFilterOptions())
        ? new SetExceptionBreakpointsArguments(List.of()).withFilterOptions(chosen)
        : new SetExceptionBreakpointsArguments(
            chosen.stream().map(ExceptionFilterOptions::filterId).toList());
  }

  static List<ExceptionBreakpointsFilter> filters(Capabilities capabilities) {
    List<ExceptionBreakpointsFilter> filters = capabilities.exceptionBreakpointFilters();
    return filters == null ? List.of() : filters;
  }

  /** Removes the answers, because another adapter starts. */
  synchronized void clearAnswers() {
    answers.clear();
    functionAnswers = List.of();
  }

  /** Stores the answer of an adapter, unless the breakpoints have changed meanwhile. */
  synchronized void answered(SetBreakpointsArguments sent, Path file, List<Breakpoint> answer) {
    if (wanted.getOrDefault(file, List.of()).equals(sent.breakpoints())) {
      answers.put(file, kept(answer));
    }
  }

  synchronized void functionsAnswered(List<Breakpoint> answer) {
    functionAnswers = kept(answer);
  }

  private static List<Breakpoint> kept(List<Breakpoint> answer) {
    return answer.stream().limit(MAX_OF_FILE).map(Breakpoints::kept).toList();
  }

  /** Returns the members of an answer that results show; the others may have any size. */
  private static Breakpoint kept(Breakpoint answer) {
    String message = answer.message();
    return new Breakpoint(answer.verified())
        .withId(answer.id())
        .withLine(answer.line())
        .withMessage(message == null ? null : Text.shortened(message, LONGEST_ANSWER));
  }

  /** Records that the adapter has moved a breakpoint, or has verified it later. */
  synchronized void changed(Breakpoint now) {
    Integer id = now.id();
    if (id != null) {
      Breakpoint kept = kept(now);
      answers.replaceAll((file, all) -> replaced(all, id, kept));
      functionAnswers = replaced(functionAnswers, id, kept);
    }
  }

  private static List<Breakpoint> replaced(List<Breakpoint> all, Integer id, Breakpoint now) {
    return all.stream().map(each -> id.equals(each.id()) ? now : each).toList();
  }

  synchronized List<Path> files() {
    return List.copyOf(wanted.keySet());
  }

  /** Returns the breakpoints of a file with the answers of the adapter. */
  synchronized List<Line> lines(Path file) {
    List<Breakpoint> answer = answers.getOrDefault(file, List.of());
    List<Line> lines = new ArrayList<>();
    for (SourceBreakpoint each : wanted.getOrDefault(file, List.of())) {
      lines.add(new Line(each, lines.size() < answer.size() ? answer.get(lines.size()) : null));
    }
    return lines;
  }

  synchronized List<FunctionBreakpoint> wantedFunctions() {
    return functions;
  }

  synchronized List<Breakpoint> functionAnswers() {
    return functionAnswers;
  }
}
