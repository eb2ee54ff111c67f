package dev.repartee.mcp.dap;

import dev.repartee.dap.types.EvaluateArguments;
import dev.repartee.dap.types.EvaluateContext;
import dev.repartee.dap.types.EvaluateResponse;
import dev.repartee.dap.types.Scope;
import dev.repartee.dap.types.ScopesArguments;
import dev.repartee.dap.types.SetExpressionArguments;
import dev.repartee.dap.types.SetVariableArguments;
import dev.repartee.dap.types.StackTraceArguments;
import dev.repartee.dap.types.StackTraceResponse;
import dev.repartee.dap.types.Variable;
import dev.repartee.dap.types.VariablesArguments;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The actions of the tools that inspect the stopped program, and change its variables. */
final class Inspection {
  private static final int LONGEST_VALUE = 20_000;
  private static final int MAX_SCOPES = 20;
  private static final int MAX_THREADS = 200;
  private static final String SET =
      "The variable was set, but the adapter did not report its new value.";
  private static final String EVALUATED =
      "The expression was evaluated, but the adapter did not report a value.";

  private final Views views;

  Inspection(Views views) {
    this.views = views;
  }

  Object stackTrace(McpCall call, Debugger debugger, Json arguments) {
    Program program = debugger.program();
    Execution.Stop stop = program.stop();
    int thread = Arguments.thread(call, program, stop, arguments);
    int limit = Arguments.number(arguments, "limit", 20);
    long start = Arguments.number(arguments, "start", 0);
    StackTraceResponse answer = program.ask(
        call,
        "stackTrace",
        to -> to.stackTrace(
            new StackTraceArguments(thread).withStartFrame(start).withLevels((long) limit)));
    List<Map<String, Object>> frames = answer.stackFrames().stream()
        .limit(limit)
        .map(frame -> views.frame(frame, stop.number()))
        .toList();
    Map<String, Object> structured = new LinkedHashMap<>();
    structured.put("thread", thread);
    structured.put("frames", frames);
    if (answer.totalFrames() != null) {
      structured.put("total", answer.totalFrames());
    }
    List<String> lines = new ArrayList<>();
    for (Map<String, Object> frame : frames) {
      lines.add("[" + frame.get("frame") + "] " + Views.text(frame));
    }
    return Results.of(
        lines.isEmpty() ? "There are no frames." : String.join("\n", lines), structured);
  }

  /** Returns the id of the frame in the arguments, or of the innermost frame of the stop. */
  private static int frame(McpCall call, Program program, Execution.Stop stop, Json arguments) {
    Json named = arguments.get("frame");
    if (named != null) {
      return Reference.id(named.as(String.class), 'f', stop.number());
    }
    int thread = Arguments.thread(call, program, stop, arguments);
    return program
        .ask(
            call,
            "stackTrace",
            to ->
                to.stackTrace(new StackTraceArguments(thread).withStartFrame(0L).withLevels(1L)))
        .stackFrames()
        .stream()
        .findFirst()
        .orElseThrow(() -> new ToolException("The thread " + thread + " has no frames."))
        .id();
  }

  private static List<Scope> scopes(McpCall call, Program program, int frame, Json arguments) {
    List<Scope> scopes =
        program.ask(call, "scopes", to -> to.scopes(new ScopesArguments(frame))).scopes().stream()
            .limit(MAX_SCOPES)
            .toList();
    Json named = arguments.get("scope");
    if (named == null) {
      return scopes;
    }
    List<Scope> found = scopes.stream()
        .filter(scope -> scope.name().equalsIgnoreCase(named.as(String.class)))
        .toList();
    if (found.isEmpty()) {
      throw new ToolException("The frame has no scope '" + named.as(String.class) + "'. It has: "
          + Text.shortened(
              String.join(", ", scopes.stream().map(Scope::name).toList()),
              Results.LONGEST_MESSAGE));
    }
    return found;
  }

  /** A part of the variables of a scope or of a variable. */
  private record Page(List<Variable> variables, boolean more) {}

  private static Page page(McpCall call, Program program, int reference, long start, int limit) {
    // Adapters without paging ignore start and count, and return all.
    List<Variable> answer = variables(call, program, reference, start, limit + 1L);
    boolean paged = answer.size() <= limit + 1;
    if (paged && start > 0 && !answer.isEmpty()) { // it may be a short list, and all of it
      List<Variable> first = variables(call, program, reference, 0, 1);
      paged = first.size() == 1 && (answer.size() > 1 || !same(first.get(0), answer.get(0)));
    }
    List<Variable> from =
        paged ? answer : answer.subList((int) Math.min(start, answer.size()), answer.size());
    return new Page(from.subList(0, Math.min(limit, from.size())), from.size() > limit);
  }

  private static List<Variable> variables(
      McpCall call, Program program, int reference, long start, long count) {
    return program
        .ask(
            call,
            "variables",
            to ->
                to.variables(new VariablesArguments(reference).withStart(start).withCount(count)))
        .variables();
  }

  /** Does not compare references, since some adapters create new ones for each answer. */
  private static boolean same(Variable one, Variable other) {
    return one.name().equals(other.name()) && one.value().equals(other.value());
  }

  Object variables(McpCall call, Debugger debugger, Json arguments) {
    Program program = debugger.program();
    Execution.Stop stop = program.stop();
    int limit = Arguments.number(arguments, "limit", Toolbox.LIMIT);
    long start = Arguments.number(arguments, "start", 0);
    Json reference = arguments.get("reference");
    Json path = arguments.get("path");
    List<Map<String, Object>> scopes = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    if (reference != null || path != null && !path.elements().isEmpty()) {
      String title = reference == null ? "" : reference.as(String.class);
      int id = reference == null ? 0 : Reference.id(reference.as(String.class), 'v', stop.number());
      for (Json name : path == null ? List.<Json>of() : path.elements()) {
        Variable found = id == 0
            ? inScopes(call, program, stop, arguments, name.as(String.class))
            : child(call, program, id, name.as(String.class));
        title = Text.shortened(
            title.isEmpty() ? found.name() : title + "." + found.name(), Results.LONGEST_MESSAGE);
        id = found.variablesReference();
        if (id == 0) {
          Map<String, Object> leaf = Views.variable(found, stop.number());
          return Results.of(
              Views.line(leaf),
              new LinkedHashMap<>(Map.of(
                  "scopes",
                  List.of(Map.of("name", title, "variables", List.of(leaf), "more", false)))));
        }
      }
      scopes.add(listed(title, id, page(call, program, id, start, limit), stop, text));
    } else {
      for (Scope scope : scopes(call, program, frame(call, program, stop, arguments), arguments)) {
        if (scope.expensive() && arguments.get("scope") == null) {
          Map<String, Object> shown = new LinkedHashMap<>();
          shown.put("name", Views.name(scope.name()));
          shown.put(
              "reference",
              new Reference('v', stop.number(), scope.variablesReference()).toString());
          shown.put("variables", List.of());
          shown.put("more", true);
          scopes.add(shown);
          text.append(shown.get("name")).append(" [").append(shown.get("reference"));
          text.append("]: not read, since that is expensive; name the scope to read it\n");
        } else {
          int id = scope.variablesReference();
          String name = Views.name(scope.name());
          scopes.add(listed(name, id, page(call, program, id, start, limit), stop, text));
        }
      }
    }
    Map<String, Object> structured = new LinkedHashMap<>();
    structured.put("scopes", scopes);
    return Results.of(text.toString().stripTrailing(), structured);
  }

  private static Map<String, Object> listed(
      String name, int reference, Page page, Execution.Stop stop, StringBuilder text) {
    List<Map<String, Object>> variables = page.variables().stream()
        .map(each -> Views.variable(each, stop.number()))
        .toList();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("name", name);
    shown.put("reference", new Reference('v', stop.number(), reference).toString());
    shown.put("variables", variables);
    shown.put("more", page.more());
    text.append(name).append(variables.isEmpty() ? ": none\n" : ":\n");
    variables.forEach(each -> text.append("  ").append(Views.line(each)).append('\n'));
    if (page.more()) {
      text.append("  ... there are more; raise 'start' or 'limit'\n");
    }
    return shown;
  }

  private static Variable inScopes(
      McpCall call, Program program, Execution.Stop stop, Json arguments, String name) {
    int frame = frame(call, program, stop, arguments);
    for (Scope scope : scopes(call, program, frame, arguments)) {
      if (!scope.expensive() || arguments.get("scope") != null) {
        Variable found = find(call, program, scope.variablesReference(), name);
        if (found != null) {
          return found;
        }
      }
    }
    throw new ToolException("The frame has no variable '" + name + "'. Call variables without a"
        + " path for those that it has.");
  }

  private static @Nullable Variable find(
      McpCall call, Program program, int reference, String name) {
    return program
        .ask(call, "variables", to -> to.variables(new VariablesArguments(reference)))
        .variables()
        .stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElse(null);
  }

  private static Variable child(McpCall call, Program program, int reference, String name) {
    Variable found = find(call, program, reference, name);
    if (found == null) {
      throw new ToolException("There is no '" + name + "' on the path. Call variables without the"
          + " last name for those that there are.");
    }
    return found;
  }

  Object evaluate(McpCall call, Debugger debugger, Json arguments) {
    Program program = debugger.program();
    Execution.Stop stop = program.stop();
    int frame = frame(call, program, stop, arguments);
    Json context = arguments.get("context");
    EvaluateResponse answer = program.ask(
        call,
        "evaluate",
        to -> to.evaluate(new EvaluateArguments(Arguments.text(arguments, "expression"))
            .withFrameId(frame)
            .withContext(
                context == null
                    ? EvaluateContext.WATCH
                    : new EvaluateContext(context.as(String.class)))));
    return answer.result().isEmpty() && answer.variablesReference() == 0
        ? notReported(EVALUATED, debugger)
        : value(
            debugger, answer.result(), answer.type(), answer.variablesReference(), stop.number());
  }

  private ToolResult value(
      Debugger debugger,
      String value,
      @Nullable String type,
      @Nullable Integer reference,
      int stop) {
    Map<String, Object> structured = new LinkedHashMap<>();
    structured.put("value", Text.shortened(value, LONGEST_VALUE));
    if (type != null && !type.isEmpty()) {
      structured.put("type", Text.shortened(type, Results.LONGEST_MESSAGE));
    }
    if (reference != null && reference > 0) {
      structured.put("reference", new Reference('v', stop, reference).toString());
    }
    return Results.of(
        structured.get("value")
            + Views.suffix(structured)
            + Results.output(debugger, Results.OUTPUT_OF_REPORT, structured),
        structured);
  }

  Object setVariable(McpCall call, Debugger debugger, Json arguments) {
    Program program = debugger.program();
    Execution.Stop stop = program.stop();
    String name = Arguments.text(arguments, "name");
    String value = Arguments.text(arguments, "value");
    Json reference = arguments.get("reference");
    if (!Boolean.TRUE.equals(program.capabilities().supportsSetVariable())) {
      if (reference != null
          || !Boolean.TRUE.equals(program.capabilities().supportsSetExpression())) {
        throw new ToolException(
            "This debug adapter cannot set variables. An assignment with" + " evaluate may do.");
      }
      int frame = frame(call, program, stop, arguments);
      var answer = program.ask(
          call,
          "setExpression",
          to -> to.setExpression(new SetExpressionArguments(name, value).withFrameId(frame)));
      return answer.value().isEmpty()
          ? notReported(SET, debugger)
          : value(
              debugger, answer.value(), answer.type(), answer.variablesReference(), stop.number());
    }
    int container = reference == null
        ? container(call, program, stop, arguments, name)
        : Reference.id(reference.as(String.class), 'v', stop.number());
    var answer = program.ask(
        call,
        "setVariable",
        to -> to.setVariable(new SetVariableArguments(container, name, value)));
    return answer.value().isEmpty()
        ? readAgain(call, debugger, stop, container, name)
        : value(
            debugger, answer.value(), answer.type(), answer.variablesReference(), stop.number());
  }

  private static ToolResult notReported(String text, Debugger debugger) {
    Map<String, Object> structured = new LinkedHashMap<>();
    String output = Results.output(debugger, Results.OUTPUT_OF_REPORT, structured);
    return Results.of(text + output, structured);
  }

  /**
   * Returns the value of a variable after an adapter has set it without reporting the value, such
   * as lldb-dap 19. Never fails, since the variable was changed.
   */
  private ToolResult readAgain(
      McpCall call, Debugger debugger, Execution.Stop stop, int container, String name) {
    Variable set = null;
    try {
      set = find(call, debugger.program(), container, name);
    } catch (ToolException e) {
      // The answer states that the value is unknown.
    }
    return set == null
        ? notReported(SET, debugger)
        : value(debugger, set.value(), set.type(), set.variablesReference(), stop.number());
  }

  /** Returns the reference of the scope that has a variable. */
  private static int container(
      McpCall call, Program program, Execution.Stop stop, Json arguments, String name) {
    int frame = frame(call, program, stop, arguments);
    for (Scope scope : scopes(call, program, frame, arguments)) {
      if ((!scope.expensive() || arguments.get("scope") != null)
          && find(call, program, scope.variablesReference(), name) != null) {
        return scope.variablesReference();
      }
    }
    throw new ToolException(
        "The frame has no variable '" + name + "'. Call variables for those" + " that it has.");
  }

  Object threads(McpCall call, Debugger debugger, Json arguments) {
    Program program = debugger.program();
    Execution.Stop stop = program.execution().status().stop();
    List<Map<String, Object>> threads = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    for (var each : program.ask(call, "threads", to -> to.threads()).threads()) {
      if (threads.size() == MAX_THREADS) {
        text.append("...\n");
        break;
      }
      boolean here =
          stop != null && Integer.valueOf(each.id()).equals(stop.event().threadId());
      threads.add(Map.of("id", each.id(), "name", Views.name(each.name()), "stopped", here));
      text.append(each.id()).append(": ").append(Views.name(each.name()));
      text.append(here ? " (the stop is here)\n" : "\n");
    }
    return Results.of(
        threads.isEmpty() ? "There are no threads." : text.toString().strip(),
        new LinkedHashMap<>(Map.of("threads", threads)));
  }
}
