package dev.repartee.mcp.dap;

import dev.repartee.dap.types.ContinueArguments;
import dev.repartee.dap.types.ExceptionInfoArguments;
import dev.repartee.dap.types.NextArguments;
import dev.repartee.dap.types.PauseArguments;
import dev.repartee.dap.types.StackFrame;
import dev.repartee.dap.types.StackTraceArguments;
import dev.repartee.dap.types.StepInArguments;
import dev.repartee.dap.types.StepOutArguments;
import dev.repartee.dap.types.StoppedEvent;
import dev.repartee.dap.types.StoppedEventReason;
import dev.repartee.dap.types.TerminateArguments;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.mcp.workspace.Workspace;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The actions of the tools: arguments to requests to the adapter, and answers to results. */
final class Toolbox {
  /** The seconds that a tool waits for the next stop by default. */
  static final int WAIT = 20;

  static final int MAX_WAIT = 600;
  static final int LIMIT = 100;
  static final int MAX_LIMIT = 1_000;

  private static final int OUTPUT = 20_000;

  /** The seconds that {@code terminate} waits for a program to end normally. */
  private static final int TERMINATE_WAIT = 5;

  private final Workspace workspace;
  private final Views views;
  private final BreakpointActions breakpoints;
  private final Inspection inspection;
  private final Map<String, Json> defaults;
  private final boolean variablesAsList;

  /**
   * @param defaults members of all configurations
   * @param variablesAsList whether {@code env} of the adapter is a list of NAME=VALUE
   */
  Toolbox(Workspace workspace, Map<String, Json> defaults, boolean variablesAsList) {
    this.workspace = workspace;
    this.views = new Views(workspace);
    this.breakpoints = new BreakpointActions(workspace);
    this.inspection = new Inspection(views);
    this.defaults = defaults;
    this.variablesAsList = variablesAsList;
  }

  BreakpointActions breakpoints() {
    return breakpoints;
  }

  Inspection inspection() {
    return inspection;
  }

  // ---------------------------------------------------------------- start and end

  Object launch(McpCall call, Debugger debugger, Json arguments) throws InterruptedException {
    Map<String, Object> configuration = configuration("launch", arguments);
    Json program = arguments.get("program");
    if (program != null) {
      configuration.put("program", existing(program.as(String.class)).toString());
    }
    Json cwd = arguments.get("cwd");
    if (cwd != null) {
      configuration.put("cwd", existing(cwd.as(String.class)).toString());
    }
    configuration.putIfAbsent("cwd", workspace.root().toString());
    put(configuration, "args", arguments.get("args"));
    put(configuration, "stopOnEntry", arguments.get("stopOnEntry"));
    Json env = arguments.get("env");
    if (env != null) {
      configuration.put(
          "env",
          variablesAsList
              ? env.members().entrySet().stream()
                  .map(each -> each.getKey() + "=" + each.getValue().as(String.class))
                  .toList()
              : env);
    }
    return start(call, debugger, new Program.Start(Json.of(configuration), false), arguments);
  }

  Object attach(McpCall call, Debugger debugger, Json arguments) throws InterruptedException {
    Map<String, Object> configuration = configuration("attach", arguments);
    Json process = arguments.get("processId");
    put(configuration, "processId", process); // each adapter has one of the two names
    put(configuration, "pid", process);
    return start(call, debugger, new Program.Start(Json.of(configuration), true), arguments);
  }

  private Map<String, Object> configuration(String request, Json arguments) {
    Map<String, Object> configuration = new LinkedHashMap<>(defaults);
    Json own = arguments.get("configuration");
    if (own != null) {
      configuration.putAll(own.members());
    }
    configuration.put("request", request);
    return configuration;
  }

  private static void put(Map<String, Object> configuration, String name, @Nullable Json value) {
    if (value != null) {
      configuration.put(name, value);
    }
  }

  /** Returns the absolute path of a program or a folder, which may be outside of the workspace. */
  private Path existing(String named) {
    Path path;
    try {
      path = workspace.root().resolve(named).normalize();
    } catch (InvalidPathException e) {
      throw new ToolException("'" + named + "' is no path: " + e.getReason());
    }
    if (!Files.exists(path)) {
      throw new ToolException("There is no '" + named + "'. Paths are relative to the workspace "
          + workspace.root() + ", or absolute.");
    }
    return path;
  }

  private Object start(McpCall call, Debugger debugger, Program.Start how, Json arguments)
      throws InterruptedException {
    Program program = debugger.start(call, how);
    Map<String, Object> structured = new LinkedHashMap<>();
    StringBuilder text = new StringBuilder();
    List<Map<String, Object>> set = new ArrayList<>();
    for (Path file : debugger.breakpoints().files()) {
      set.addAll(breakpoints.rows(debugger, file, text));
    }
    if (!set.isEmpty()) {
      structured.put("breakpoints", set);
    }
    return awaited(call, debugger, program, arguments, text.toString(), structured);
  }

  Object restart(McpCall call, Debugger debugger, Json arguments) throws InterruptedException {
    Program last = debugger.last();
    if (last == null) {
      throw new ToolException("Nothing was started yet. Call launch or attach first.");
    }
    await(last.end(true), "restart");
    return start(call, debugger, last.start(), arguments);
  }

  /** Ends the program, normally if the adapter supports it, and then the adapter. */
  Object terminate(McpCall call, Debugger debugger) throws InterruptedException {
    Program program = debugger.program();
    CompletableFuture<?> over;
    try {
      if (Boolean.TRUE.equals(program.capabilities().supportsTerminateRequest())) {
        program.execution().ending();
        program.ask(
            call,
            "terminate",
            to ->
                to.terminate(new TerminateArguments()).orTimeout(TERMINATE_WAIT, TimeUnit.SECONDS));
        program.execution().await(call, TERMINATE_WAIT);
      }
    } catch (ToolException | CompletionException e) {
      // It refuses, or hangs; it is ended in any case.
    } finally {
      over = program.end(true); // also if the call is cancelled
    }
    await(over, "terminate");
    return ended(debugger, program, "The program was ended.");
  }

  Object disconnect(McpCall call, Debugger debugger, Json arguments) throws InterruptedException {
    Program program = debugger.program();
    Json choice = arguments.get("terminate");
    boolean kills = choice == null ? !program.start().attach() : Json.TRUE.equals(choice);
    await(program.end(kills), "disconnect");
    return ended(
        debugger,
        program,
        kills ? "The program was ended." : "The debugger has left the program, which may run on.");
  }

  private static void await(CompletableFuture<?> over, String what) throws InterruptedException {
    try {
      over.get(60, TimeUnit.SECONDS); // each of its steps has a shorter limit
    } catch (ExecutionException | TimeoutException e) {
      throw new ToolException("'" + what + "' takes too long; the adapter is still being ended.");
    }
  }

  private ToolResult ended(Debugger debugger, Program program, String first) {
    Map<String, Object> structured = new LinkedHashMap<>();
    structured.put("state", "ended");
    Integer exitCode = program.execution().status().exitCode();
    if (exitCode != null) {
      structured.put("exitCode", exitCode);
    }
    return Results.of(
        first
            + (exitCode == null ? "" : " Its exit code is " + exitCode + ".")
            + Results.output(debugger, Results.OUTPUT_OF_REPORT, structured),
        structured);
  }

  // ---------------------------------------------------------------- going on

  /** A request that resumes the program, for a thread. */
  enum Step {
    CONTINUE,
    OVER,
    IN,
    OUT
  }

  Object resume(McpCall call, Debugger debugger, Json arguments, Step step)
      throws InterruptedException {
    Program program = debugger.program();
    Execution.Stop stop = program.stop();
    int thread = Arguments.thread(call, program, stop, arguments);
    switch (step) {
      case CONTINUE ->
        program.resume(call, stop, "continue", to -> to.continue_(new ContinueArguments(thread)));
      case OVER -> program.resume(call, stop, "next", to -> to.next(new NextArguments(thread)));
      case IN -> program.resume(call, stop, "stepIn", to -> to.stepIn(new StepInArguments(thread)));
      case OUT ->
        program.resume(call, stop, "stepOut", to -> to.stepOut(new StepOutArguments(thread)));
    }
    return awaited(call, debugger, program, arguments, "", new LinkedHashMap<>());
  }

  Object pause(McpCall call, Debugger debugger, Json arguments) throws InterruptedException {
    Program program = debugger.program();
    if (program.execution().status().stop() == null) {
      int thread = Arguments.thread(call, program, null, arguments);
      program.ask(call, "pause", to -> to.pause(new PauseArguments(thread)));
    }
    return awaited(call, debugger, program, arguments, "", new LinkedHashMap<>());
  }

  Object await(McpCall call, Debugger debugger, Json arguments) throws InterruptedException {
    return awaited(call, debugger, debugger.program(), arguments, "", new LinkedHashMap<>());
  }

  /** Waits for the next stop or the end, and reports it after {@code before}. */
  private ToolResult awaited(
      McpCall call,
      Debugger debugger,
      Program program,
      Json arguments,
      String before,
      Map<String, Object> structured)
      throws InterruptedException {
    Json timeout = arguments.get("timeout");
    double seconds = timeout == null ? WAIT : timeout.as(Double.class);
    Execution.Status status = program.execution().await(call, seconds);
    if (status.failure() != null) {
      throw new ToolException(status.failure()
          + Results.output(debugger, Results.OUTPUT_OF_REPORT, new LinkedHashMap<>()));
    }
    String text;
    if (status.ended()) {
      structured.put("state", "ended");
      if (status.exitCode() != null) {
        structured.put("exitCode", status.exitCode());
      }
      text = "The program has ended"
          + (status.exitCode() == null ? "." : " with exit code " + status.exitCode() + ".");
    } else if (status.stop() == null) {
      structured.put("state", "running");
      text = "The program still runs after " + Json.of(seconds) + " seconds. Call wait to wait on,"
          + " or pause to stop it.";
    } else {
      text = stopped(call, program, status.stop(), structured);
    }
    return Results.of(
        before + text + Results.output(debugger, Results.OUTPUT_OF_REPORT, structured), structured);
  }

  private String stopped(
      McpCall call, Program program, Execution.Stop stop, Map<String, Object> structured) {
    StoppedEvent event = stop.event();
    structured.put("state", "stopped");
    structured.put("reason", Text.shortened(event.reason().value(), 100));
    String told = exception(call, program, event);
    if (told == null) {
      told = event.text() == null ? event.description() : event.text();
    }
    StringBuilder text = new StringBuilder("Stopped (" + structured.get("reason") + ")");
    if (event.threadId() != null) {
      structured.put("thread", event.threadId());
    }
    if (told != null) {
      structured.put("description", Text.shortened(told, Results.LONGEST_MESSAGE));
    }
    try {
      int thread = Arguments.thread(call, program, stop, Json.EMPTY_OBJECT);
      List<StackFrame> frames = program
          .ask(
              call,
              "stackTrace",
              to -> to.stackTrace(
                  new StackTraceArguments(thread).withStartFrame(0L).withLevels(1L)))
          .stackFrames();
      if (!frames.isEmpty()) {
        Map<String, Object> frame = views.frame(frames.get(0), stop.number());
        structured.put("frame", frame);
        text.append(" in ").append(Views.text(frame)).append(", thread ").append(thread);
        List<Views.Line> source = views.source(frames.get(0));
        if (!source.isEmpty()) {
          structured.put("source", source);
          text.append(Views.text(source, frames.get(0).line()));
        }
      }
    } catch (ToolException e) {
      text.append(". The place is not known: ").append(e.getMessage());
    }
    if (structured.containsKey("description")) {
      text.append("\n").append(structured.get("description"));
    }
    return text.toString();
  }

  private static @Nullable String exception(McpCall call, Program program, StoppedEvent event) {
    if (!StoppedEventReason.EXCEPTION.equals(event.reason())
        || event.threadId() == null
        || !Boolean.TRUE.equals(program.capabilities().supportsExceptionInfoRequest())) {
      return null;
    }
    int thread = event.threadId();
    try {
      var info = program.ask(
          call, "exceptionInfo", to -> to.exceptionInfo(new ExceptionInfoArguments(thread)));
      return info.exceptionId() + (info.description() == null ? "" : ": " + info.description());
    } catch (ToolException e) {
      return null; // the event has a text, too
    }
  }

  // ---------------------------------------------------------------- output

  Object output(Debugger debugger) {
    Map<String, Object> structured = new LinkedHashMap<>();
    String text = Results.output(debugger, OUTPUT, structured);
    structured.putIfAbsent("output", "");
    return Results.of(text.isEmpty() ? "No output since the last call." : text.strip(), structured);
  }
}
