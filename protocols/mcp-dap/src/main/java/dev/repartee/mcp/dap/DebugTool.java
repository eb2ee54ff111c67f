package dev.repartee.mcp.dap;

import dev.repartee.json.Json;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.Tool;
import org.jspecify.annotations.Nullable;

/** The tools. */
enum DebugTool {
  LAUNCH(
      "Launch a program",
      "Starts a program under the debugger, sets the breakpoints that were given before, and waits"
          + " until it stops, ends, or the timeout passes. Call set_breakpoints first, or use"
          + " stopOnEntry.",
      Schemas.LAUNCH,
      Schemas.STATE,
      Effect.RUNS,
      Toolbox::launch),
  ATTACH(
      "Attach to a process",
      "Attaches the debugger to a program that runs already, and waits until it stops, ends, or the"
          + " timeout passes.",
      Schemas.ATTACH,
      Schemas.STATE,
      Effect.RUNS,
      Toolbox::attach),
  SET_BREAKPOINTS(
      "Set breakpoints of a file",
      "Replaces all breakpoints of a file; an empty list removes them. Works at any time: without a"
          + " program they are kept for the next launch. The answer tells which are verified, and"
          + " at which line.",
      Schemas.BREAKPOINTS,
      Schemas.BREAKPOINT_STATES,
      Effect.SETS,
      (box, call, debugger, arguments) -> box.breakpoints().set(call, debugger, arguments)),
  SET_FUNCTION_BREAKPOINTS(
      "Set breakpoints of functions",
      "Replaces all breakpoints of functions by name; an empty list removes them. Not every debug"
          + " adapter has them.",
      Schemas.FUNCTION_BREAKPOINTS,
      Schemas.BREAKPOINT_STATES,
      Effect.SETS,
      (box, call, debugger, arguments) ->
          box.breakpoints().setFunctions(call, debugger, arguments)),
  SET_EXCEPTION_BREAKPOINTS(
      "Stop at exceptions",
      "Chooses the kinds of exceptions at which the program stops, in place of those that the debug"
          + " adapter proposes. While a program is debugged, the answer lists all kinds.",
      Schemas.EXCEPTION_BREAKPOINTS,
      Schemas.FILTERS,
      Effect.SETS,
      (box, call, debugger, arguments) ->
          box.breakpoints().setExceptions(call, debugger, arguments)),
  CONTINUE(
      "Continue",
      "Lets the stopped program run on, and waits for the next stop, the end, or the timeout.",
      Schemas.STEP,
      Schemas.STATE,
      Effect.RUNS,
      (box, call, debugger, arguments) ->
          box.resume(call, debugger, arguments, Toolbox.Step.CONTINUE)),
  STEP_OVER(
      "Step over",
      "Runs the current line, with the functions that it calls, and stops at the next one.",
      Schemas.STEP,
      Schemas.STATE,
      Effect.RUNS,
      (box, call, debugger, arguments) -> box.resume(call, debugger, arguments, Toolbox.Step.OVER)),
  STEP_IN(
      "Step into",
      "Runs into the function that the current line calls, and stops at its first line.",
      Schemas.STEP,
      Schemas.STATE,
      Effect.RUNS,
      (box, call, debugger, arguments) -> box.resume(call, debugger, arguments, Toolbox.Step.IN)),
  STEP_OUT(
      "Step out",
      "Runs to the end of the current function, and stops in its caller.",
      Schemas.STEP,
      Schemas.STATE,
      Effect.RUNS,
      (box, call, debugger, arguments) -> box.resume(call, debugger, arguments, Toolbox.Step.OUT)),
  PAUSE(
      "Pause",
      "Stops the running program where it is.",
      Schemas.STEP,
      Schemas.STATE,
      Effect.CONTROLS,
      Toolbox::pause),
  WAIT(
      "Wait for a stop",
      "Waits until the running program stops or ends, or the timeout passes, and reports the state.",
      Schemas.WAIT,
      Schemas.STATE,
      Effect.READS,
      Toolbox::await),
  STACK_TRACE(
      "Show the stack",
      "Lists the frames of a thread of the stopped program, the innermost first.",
      Schemas.STACK_TRACE,
      Schemas.FRAMES,
      Effect.READS,
      (box, call, debugger, arguments) -> box.inspection().stackTrace(call, debugger, arguments)),
  VARIABLES(
      "Show variables",
      "Lists the variables of a frame by scope, or the members of one variable, which a path of"
          + " names or a reference selects.",
      Schemas.VARIABLES,
      Schemas.SCOPES,
      Effect.READS,
      (box, call, debugger, arguments) -> box.inspection().variables(call, debugger, arguments)),
  EVALUATE(
      "Evaluate an expression",
      "Evaluates an expression in a frame of the stopped program, in its language. An expression"
          + " may change the program.",
      Schemas.EVALUATE,
      Schemas.VALUE,
      Effect.RUNS,
      (box, call, debugger, arguments) -> box.inspection().evaluate(call, debugger, arguments)),
  SET_VARIABLE(
      "Set a variable",
      "Changes the value of a variable of the stopped program.",
      Schemas.SET_VARIABLE,
      Schemas.VALUE,
      Effect.SETS,
      (box, call, debugger, arguments) -> box.inspection().setVariable(call, debugger, arguments)),
  THREADS(
      "List threads",
      "Lists the threads of the program.",
      Schemas.NONE,
      Schemas.THREADS,
      Effect.READS,
      (box, call, debugger, arguments) -> box.inspection().threads(call, debugger, arguments)),
  OUTPUT(
      "Read the output",
      "Returns the output of the program that no earlier answer had. The other tools report it,"
          + " too.",
      Schemas.NONE,
      Schemas.OUTPUT,
      Effect.READS,
      (box, call, debugger, arguments) -> box.output(debugger)),
  RESTART(
      "Restart",
      "Ends the program if it still runs, and starts it again in the way of the last launch or"
          + " attach.",
      Schemas.WAIT,
      Schemas.STATE,
      Effect.RUNS,
      Toolbox::restart),
  TERMINATE(
      "End the program",
      "Ends the program and the debug session.",
      Schemas.NONE,
      Schemas.STATE,
      Effect.RUNS,
      (box, call, debugger, arguments) -> box.terminate(call, debugger)),
  DISCONNECT(
      "End the debug session",
      "Ends the debug session. A program that was attached to runs on, one that was launched ends.",
      Schemas.DISCONNECT,
      Schemas.STATE,
      Effect.RUNS,
      Toolbox::disconnect);

  /** The hints for the client about the effect of a tool. */
  private enum Effect {
    /** Reads the state of the debugger. */
    READS(true, false, false, false),
    /** Stops the program without a loss. */
    CONTROLS(false, false, true, false),
    /** Changes the debugger or the program; a condition or a value runs code of the model. */
    SETS(false, true, true, false),
    /** Runs code, which may do anything, or ends the program. */
    RUNS(false, true, false, true);

    final boolean readOnly;
    final boolean destructive;
    final boolean idempotent;
    final boolean openWorld;

    Effect(boolean readOnly, boolean destructive, boolean idempotent, boolean openWorld) {
      this.readOnly = readOnly;
      this.destructive = destructive;
      this.idempotent = idempotent;
      this.openWorld = openWorld;
    }
  }

  /** The implementation of a tool. Returns its structured result. */
  private interface Action {
    @Nullable Object run(Toolbox box, McpCall call, Debugger debugger, Json arguments)
        throws InterruptedException;
  }

  private final String title;
  private final String description;
  private final Json input;
  private final Json output;
  private final Effect effect;
  private final Action action;

  DebugTool(
      String title, String description, Json input, Json output, Effect effect, Action action) {
    this.title = title;
    this.description = description;
    this.input = input;
    this.output = output;
    this.effect = effect;
    this.action = action;
  }

  String toolName() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }

  Tool tool(DebugTools tools, Toolbox box) {
    Tool.Builder tool = Tool.named(toolName())
        .title(title)
        .description(description)
        .input(input)
        .output(output)
        .readOnly(effect.readOnly)
        .openWorld(effect.openWorld)
        .needsSession();
    if (!effect.readOnly) {
      tool.destructive(effect.destructive).idempotent(effect.idempotent);
    }
    return tool.handle((call, arguments) -> action.run(box, call, tools.debugger(call), arguments));
  }
}
