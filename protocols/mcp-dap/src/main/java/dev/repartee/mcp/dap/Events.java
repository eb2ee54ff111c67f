package dev.repartee.mcp.dap;

import dev.repartee.dap.DapErrors;
import dev.repartee.dap.handlers.BreakpointHandler;
import dev.repartee.dap.handlers.ContinuedHandler;
import dev.repartee.dap.handlers.ExitedHandler;
import dev.repartee.dap.handlers.OutputHandler;
import dev.repartee.dap.handlers.ProcessHandler;
import dev.repartee.dap.handlers.RunInTerminalHandler;
import dev.repartee.dap.handlers.StartDebuggingHandler;
import dev.repartee.dap.handlers.StoppedHandler;
import dev.repartee.dap.handlers.TerminatedHandler;
import dev.repartee.dap.handlers.ThreadHandler;
import dev.repartee.dap.types.BreakpointEvent;
import dev.repartee.dap.types.ContinuedEvent;
import dev.repartee.dap.types.ExitedEvent;
import dev.repartee.dap.types.OutputEvent;
import dev.repartee.dap.types.OutputEventCategory;
import dev.repartee.dap.types.ProcessEvent;
import dev.repartee.dap.types.RunInTerminalRequestArguments;
import dev.repartee.dap.types.RunInTerminalResponse;
import dev.repartee.dap.types.StartDebuggingRequestArguments;
import dev.repartee.dap.types.StoppedEvent;
import dev.repartee.dap.types.TerminatedEvent;
import dev.repartee.dap.types.ThreadEvent;

/** Handles the events and the reverse requests of an adapter. No handler waits for the model. */
final class Events
    implements StoppedHandler,
        ContinuedHandler,
        ExitedHandler,
        TerminatedHandler,
        OutputHandler,
        ProcessHandler,
        ThreadHandler,
        BreakpointHandler,
        RunInTerminalHandler,
        StartDebuggingHandler {
  private final Program program;
  private final Output output;
  private final Breakpoints breakpoints;

  Events(Program program, Output output, Breakpoints breakpoints) {
    this.program = program;
    this.output = output;
    this.breakpoints = breakpoints;
  }

  @Override
  public void stopped(StoppedEvent event) {
    program.note();
    program.execution().stopped(event);
  }

  @Override
  public void continued(ContinuedEvent event) {
    program
        .execution()
        .continued(event.threadId(), !Boolean.FALSE.equals(event.allThreadsContinued()));
  }

  @Override
  public void exited(ExitedEvent event) {
    program.exited(event.exitCode());
  }

  @Override
  public void terminated(TerminatedEvent event) {
    program.terminated();
  }

  @Override
  public void output(OutputEvent event) {
    program.noteSoon();
    if (!OutputEventCategory.TELEMETRY.equals(event.category())) {
      output.add(event.output());
    }
  }

  @Override
  public void process(ProcessEvent event) {
    program.note();
  }

  @Override
  public void thread(ThreadEvent event) {
    program.noteSoon();
  }

  @Override
  public void breakpoint(BreakpointEvent event) {
    program.noteSoon();
    breakpoints.changed(event.breakpoint());
  }

  @Override
  public RunInTerminalResponse runInTerminal(RunInTerminalRequestArguments request) {
    return program.runInTerminal(request);
  }

  @Override
  public void startDebugging(StartDebuggingRequestArguments request) {
    output.add("[The debug adapter asked for a session for another process. This server debugs one"
        + " process at a time, so it has refused.]\n");
    throw DapErrors.error(5, "this client debugs one process at a time");
  }
}
