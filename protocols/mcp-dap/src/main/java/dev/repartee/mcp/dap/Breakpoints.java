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
import dev.repartee.mcp.ToolException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The breakpoints that the model wants, and the last answers of the adapter to them. They outlive
 * the program, and every launch sets them. Thread-safe.
 */
final class Breakpoints {
  static final int MAX_FILES = 100;
  static final int MAX_OF_FILE = 200;

  // Guarded by this.
  private final Map<Path, List<SourceBreakpoint>> wanted = new LinkedHashMap<>();
  private final Map<Path, List<Breakpoint>> answers = new LinkedHashMap<>();
  private List<FunctionBreakpoint> functions = List.of();
  private List<Breakpoint> functionAnswers = List.of();

  /** Null until the model has chosen: then those count that the adapter proposes. */
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
   * @throws ToolException if too many files have breakpoints
   */
  synchronized void want(Path file, List<SourceBreakpoint> lines) {
    answers.remove(file);
    if (lines.isEmpty()) {
      wanted.remove(file);
    } else if (wanted.size() == MAX_FILES && !wanted.containsKey(file)) {
      throw new ToolException("At most " + MAX_FILES + " files have breakpoints; remove those of"
          + " another file with an empty list.");
    } else {
      wanted.put(file, lines);
    }
  }

  synchronized void wantFunctions(List<FunctionBreakpoint> names) {
    functions = names;
    functionAnswers = List.of();
  }

  synchronized void wantExceptions(List<ExceptionFilterOptions> filters) {
    exceptions = filters;
  }

  /** Returns the arguments that set the breakpoints of a file, also if there are none. */
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
   * Returns the arguments that set the filters for exceptions: of those that the adapter knows, the
   * ones that the model has chosen, or else the ones that are on by default.
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

  /** Forgets the answers: another adapter starts. */
  synchronized void clearAnswers() {
    answers.clear();
    functionAnswers = List.of();
  }

  /** Keeps the answer of an adapter, unless the breakpoints have changed meanwhile. */
  synchronized void answered(SetBreakpointsArguments sent, Path file, List<Breakpoint> answer) {
    if (wanted.getOrDefault(file, List.of()).equals(sent.breakpoints())) {
      answers.put(file, List.copyOf(answer.subList(0, Math.min(answer.size(), MAX_OF_FILE))));
    }
  }

  synchronized void functionsAnswered(List<Breakpoint> answer) {
    functionAnswers = List.copyOf(answer.subList(0, Math.min(answer.size(), MAX_OF_FILE)));
  }

  /** Takes note that the adapter has moved a breakpoint, or has verified it later. */
  synchronized void changed(Breakpoint now) {
    Integer id = now.id();
    if (id != null) {
      answers.replaceAll((file, all) -> replaced(all, id, now));
      functionAnswers = replaced(functionAnswers, id, now);
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
