package dev.repartee.mcp.dap;

import dev.repartee.dap.types.Breakpoint;
import dev.repartee.dap.types.Capabilities;
import dev.repartee.dap.types.ExceptionBreakpointsFilter;
import dev.repartee.dap.types.ExceptionFilterOptions;
import dev.repartee.dap.types.FunctionBreakpoint;
import dev.repartee.dap.types.SetBreakpointsArguments;
import dev.repartee.dap.types.SourceBreakpoint;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.Workspace;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The actions of the tools that set breakpoints. */
final class BreakpointActions {
  private final Workspace workspace;

  BreakpointActions(Workspace workspace) {
    this.workspace = workspace;
  }

  Object set(McpCall call, Debugger debugger, Json arguments) {
    Path file = workspace.file(Arguments.text(arguments, "file"));
    List<SourceBreakpoint> wanted =
        Objects.requireNonNull(arguments.get("breakpoints"), "required").elements().stream()
            .map(each -> each.as(SourceBreakpoint.class))
            .toList();
    debugger.breakpoints().want(file, wanted);
    Program program = debugger.running();
    if (program != null) {
      SetBreakpointsArguments sent = debugger.breakpoints().of(file);
      List<Breakpoint> answer =
          program.ask(call, "setBreakpoints", to -> to.setBreakpoints(sent)).breakpoints();
      debugger.breakpoints().answered(sent, file, answer);
    }
    StringBuilder text = new StringBuilder();
    List<Map<String, Object>> rows = rows(debugger, file, text);
    if (rows.isEmpty()) {
      text.append("'").append(workspace.shown(file)).append("' has no breakpoints.\n");
    }
    return Results.of(text.toString().strip(), new LinkedHashMap<>(Map.of("breakpoints", rows)));
  }

  /** Returns the breakpoints of a file, and appends them as lines of text. */
  List<Map<String, Object>> rows(Debugger debugger, Path file, StringBuilder text) {
    List<Map<String, Object>> rows = new ArrayList<>();
    Program program = debugger.running();
    Capabilities capabilities = program == null ? null : program.capabilities();
    for (Breakpoints.Line each : debugger.breakpoints().lines(file)) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("file", workspace.shown(file));
      row.put("line", each.wanted().line());
      state(row, each.answer());
      Breakpoint answer = each.answer();
      if (answer != null
          && answer.line() != null
          && answer.line() != each.wanted().line()) {
        row.put("actualLine", answer.line());
      }
      String unsupported = capabilities == null ? null : unsupported(each.wanted(), capabilities);
      if (unsupported != null) {
        row.put(
            "message",
            row.containsKey("message") ? row.get("message") + "; " + unsupported : unsupported);
      }
      rows.add(row);
      text.append(row.get("file")).append(':').append(row.get("line")).append(": ");
      text.append(words(row)).append('\n');
    }
    return rows;
  }

  private static void state(Map<String, Object> row, @Nullable Breakpoint answer) {
    row.put("state", answer == null ? "kept" : answer.verified() ? "verified" : "unverified");
    if (answer != null && answer.message() != null) {
      row.put("message", Text.shortened(answer.message(), Results.LONGEST_MESSAGE));
    }
  }

  private static String words(Map<String, Object> row) {
    String state = "kept".equals(row.get("state"))
        ? "breakpoint kept for the next launch"
        : "breakpoint " + row.get("state");
    return state
        + (row.containsKey("actualLine") ? " at line " + row.get("actualLine") : "")
        + (row.containsKey("message") ? " (" + row.get("message") + ")" : "");
  }

  private static @Nullable String unsupported(SourceBreakpoint wanted, Capabilities capabilities) {
    if (wanted.condition() != null
        && !Boolean.TRUE.equals(capabilities.supportsConditionalBreakpoints())) {
      return "the debug adapter does not announce conditions";
    } else if (wanted.hitCondition() != null
        && !Boolean.TRUE.equals(capabilities.supportsHitConditionalBreakpoints())) {
      return "the debug adapter does not announce hit conditions";
    }
    return wanted.logMessage() != null && !Boolean.TRUE.equals(capabilities.supportsLogPoints())
        ? "the debug adapter does not announce log messages"
        : null;
  }

  Object setFunctions(McpCall call, Debugger debugger, Json arguments) {
    List<FunctionBreakpoint> wanted =
        Objects.requireNonNull(arguments.get("breakpoints"), "required").elements().stream()
            .map(each -> each.as(FunctionBreakpoint.class))
            .toList();
    Program program = debugger.running();
    if (program != null
        && !Boolean.TRUE.equals(program.capabilities().supportsFunctionBreakpoints())) {
      throw new ToolException("This debug adapter has no breakpoints for functions. Use"
          + " set_breakpoints with the line of the function.");
    }
    debugger.breakpoints().wantFunctions(wanted);
    if (program != null) {
      debugger
          .breakpoints()
          .functionsAnswered(program
              .ask(
                  call,
                  "setFunctionBreakpoints",
                  to -> to.setFunctionBreakpoints(debugger.breakpoints().functions()))
              .breakpoints());
    }
    List<Breakpoint> answers = debugger.breakpoints().functionAnswers();
    List<Map<String, Object>> rows = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (FunctionBreakpoint each : wanted) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("name", each.name());
      state(row, rows.size() < answers.size() ? answers.get(rows.size()) : null);
      rows.add(row);
      text.append(each.name()).append(": ").append(words(row)).append('\n');
    }
    return Results.of(
        rows.isEmpty() ? "No function has a breakpoint." : text.toString().strip(),
        new LinkedHashMap<>(Map.of("breakpoints", rows)));
  }

  Object setExceptions(McpCall call, Debugger debugger, Json arguments) {
    List<ExceptionFilterOptions> wanted =
        Objects.requireNonNull(arguments.get("filters"), "required").elements().stream()
            .map(each -> new ExceptionFilterOptions(Arguments.text(each, "filter"))
                .withCondition(
                    each.get("condition") == null ? null : Arguments.text(each, "condition")))
            .toList();
    Program program = debugger.running();
    if (program == null) {
      debugger.breakpoints().wantExceptions(wanted);
      return Results.of(
          "Kept for the next launch.", new LinkedHashMap<>(Map.of("filters", List.of())));
    }
    List<ExceptionBreakpointsFilter> known = Breakpoints.filters(program.capabilities());
    List<String> names = known.stream().map(ExceptionBreakpointsFilter::filter).toList();
    for (ExceptionFilterOptions each : wanted) {
      if (!names.contains(each.filterId())) {
        throw new ToolException("The debug adapter has no filter '" + each.filterId()
            + "'. It has: " + Text.shortened(String.join(", ", names), Results.LONGEST_MESSAGE));
      }
    }
    debugger.breakpoints().wantExceptions(wanted);
    program.ask(
        call,
        "setExceptionBreakpoints",
        to ->
            to.setExceptionBreakpoints(debugger.breakpoints().exceptions(program.capabilities())));
    List<Map<String, Object>> rows = new ArrayList<>();
    StringBuilder text = new StringBuilder("The filters of this debug adapter:");
    for (ExceptionBreakpointsFilter each :
        known.subList(0, Math.min(known.size(), Toolbox.LIMIT))) {
      boolean on = wanted.stream().anyMatch(chosen -> chosen.filterId().equals(each.filter()));
      String filter = Views.name(each.filter());
      String label = Views.name(each.label());
      rows.add(Map.of("filter", filter, "label", label, "enabled", on));
      text.append("\n  ").append(filter).append(": ").append(label);
      text.append(on ? " (on)" : " (off)");
    }
    return Results.of(text.toString(), new LinkedHashMap<>(Map.of("filters", rows)));
  }
}
