package dev.repartee.examples.script;

import dev.repartee.dap.DapErrors;
import dev.repartee.dap.DapSession;
import dev.repartee.dap.DapSessionAware;
import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.Breakpoint;
import dev.repartee.dap.types.Capabilities;
import dev.repartee.dap.types.Configuration;
import dev.repartee.dap.types.ConfigurationDoneArguments;
import dev.repartee.dap.types.ContinueArguments;
import dev.repartee.dap.types.ContinueResponse;
import dev.repartee.dap.types.EvaluateArguments;
import dev.repartee.dap.types.EvaluateResponse;
import dev.repartee.dap.types.ExitedEvent;
import dev.repartee.dap.types.InitializeRequestArguments;
import dev.repartee.dap.types.Message;
import dev.repartee.dap.types.NextArguments;
import dev.repartee.dap.types.OutputEvent;
import dev.repartee.dap.types.OutputEventCategory;
import dev.repartee.dap.types.PauseArguments;
import dev.repartee.dap.types.Scope;
import dev.repartee.dap.types.ScopePresentationHint;
import dev.repartee.dap.types.ScopesArguments;
import dev.repartee.dap.types.ScopesResponse;
import dev.repartee.dap.types.SetBreakpointsArguments;
import dev.repartee.dap.types.SetBreakpointsResponse;
import dev.repartee.dap.types.SetVariableArguments;
import dev.repartee.dap.types.SetVariableResponse;
import dev.repartee.dap.types.Source;
import dev.repartee.dap.types.SourceBreakpoint;
import dev.repartee.dap.types.StackFrame;
import dev.repartee.dap.types.StackTraceArguments;
import dev.repartee.dap.types.StackTraceResponse;
import dev.repartee.dap.types.StepInArguments;
import dev.repartee.dap.types.StepOutArguments;
import dev.repartee.dap.types.StoppedEvent;
import dev.repartee.dap.types.StoppedEventReason;
import dev.repartee.dap.types.TerminateArguments;
import dev.repartee.dap.types.TerminatedEvent;
import dev.repartee.dap.types.ThreadsResponse;
import dev.repartee.dap.types.Variable;
import dev.repartee.dap.types.VariablesArguments;
import dev.repartee.dap.types.VariablesResponse;
import dev.repartee.examples.script.Execution.Frame;
import dev.repartee.examples.script.Execution.Reason;
import dev.repartee.examples.script.Execution.Step;
import dev.repartee.examples.script.Script.Fault;
import dev.repartee.json.JsonException;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A debug adapter for scripts: one object for each session. */
final class ScriptAdapter
    implements DapSessionAware,
        AutoCloseable,
        Execution.Observer,
        InitializeHandler,
        LaunchHandler,
        SetBreakpointsHandler,
        ConfigurationDoneHandler,
        ThreadsHandler,
        StackTraceHandler,
        ScopesHandler,
        VariablesHandler,
        SetVariableHandler,
        EvaluateHandler,
        ContinueHandler,
        NextHandler,
        StepInHandler,
        StepOutHandler,
        PauseHandler,
        TerminateHandler {
  private static final int THREAD = 1;
  private static final int GLOBALS = 1;
  private static final int MAX_BYTES = 4 << 20;

  /** The settings of {@code launch}. */
  record Launch(String program, Optional<Boolean> stopOnEntry) {}

  private @Nullable DapSession session;

  /** The number of the first line for this client. */
  private int firstLine = 1;

  // Guarded by this.
  private @Nullable Execution execution;
  private @Nullable Path program;
  private boolean configured;

  /** The lines with breakpoints, from 0 on, by file. */
  private final Map<Path, Set<Integer>> breakpoints = new HashMap<>();

  @Override
  public void connect(DapSession session) {
    this.session = session;
  }

  private DebugClient client() {
    return Objects.requireNonNull(session, "the session is set before all requests")
        .client();
  }

  @Override
  public Capabilities initialize(InitializeRequestArguments client) {
    firstLine = Boolean.FALSE.equals(client.linesStartAt1()) ? 0 : 1;
    client().initialized(); // follows the answer
    return new Capabilities()
        .withSupportsConfigurationDoneRequest(true)
        .withSupportsEvaluateForHovers(true)
        .withSupportsSetVariable(true)
        .withSupportsTerminateRequest(true);
  }

  @Override
  public void launch(Configuration configuration) {
    Launch launch;
    try {
      launch = configuration.as(Launch.class);
    } catch (JsonException e) {
      throw DapErrors.error(1, "the configuration is not valid: " + e.getMessage());
    }
    Path path = path(launch.program());
    Script script = read(path);
    boolean stops = launch.stopOnEntry().orElse(false) && !configuration.noDebug();
    synchronized (this) {
      if (execution != null) {
        throw DapErrors.error(2, "the session has a program already");
      }
      execution = new Execution(script, stops, this);
      program = path;
      if (configuration.noDebug()) {
        breakpoints.clear();
      }
      execution.breakpoints(breakpoints.getOrDefault(path, Set.of()));
      if (configured) {
        execution.start();
      }
    }
  }

  @Override
  public synchronized void configurationDone(ConfigurationDoneArguments arguments) {
    boolean again = configured;
    configured = true;
    if (execution != null && !again) {
      execution.start(); // the answer to launch follows, then the events
    }
  }

  private static Path path(String text) {
    try {
      return Path.of(text).toAbsolutePath().normalize();
    } catch (InvalidPathException e) {
      throw cannotRead(text, "it is no path");
    }
  }

  private static Script read(Path path) {
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw cannotRead(path.toString(), "it is larger than 4 MiB");
      }
      return Script.parse(Files.readString(path));
    } catch (IOException e) {
      throw cannotRead(path.toString(), "there is no such file with text");
    } catch (Fault e) {
      throw cannotRead(path.toString(), String.valueOf(e.getMessage()));
    }
  }

  private static RuntimeException cannotRead(String path, String reason) {
    return DapErrors.error(new Message(3, "cannot run {path}: {reason}")
        .withVariables(Map.of("path", path, "reason", reason))
        .withShowUser(true));
  }

  @Override
  public SetBreakpointsResponse setBreakpoints(SetBreakpointsArguments arguments) {
    String source = arguments.source().path();
    List<SourceBreakpoint> wanted =
        arguments.breakpoints() == null ? List.of() : arguments.breakpoints();
    if (source == null) {
      return new SetBreakpointsResponse(wanted.stream()
          .map(each -> new Breakpoint(false).withMessage("the source has no path"))
          .toList());
    }
    Path path = path(source);
    Script script = read(path);
    Set<Integer> lines = new HashSet<>();
    List<Breakpoint> answer = new ArrayList<>();
    for (SourceBreakpoint each : wanted) {
      long index = Math.min(each.line() - firstLine, Integer.MAX_VALUE);
      int found = script.stoppable((int) Math.max(0, index));
      if (found < 0) {
        answer.add(new Breakpoint(false).withMessage("no statement stands there or below"));
      } else {
        lines.add(found);
        answer.add(new Breakpoint(true).withLine((long) found + firstLine));
      }
    }
    synchronized (this) {
      breakpoints.put(path, lines);
      if (execution != null && path.equals(program)) {
        execution.breakpoints(lines);
      }
    }
    return new SetBreakpointsResponse(answer);
  }

  // ---------------------------------------------------------------- the stopped script

  @Override
  public ThreadsResponse threads() {
    return new ThreadsResponse(List.of(new dev.repartee.dap.types.Thread(THREAD, "main")));
  }

  private synchronized Execution execution() {
    if (execution == null) {
      throw DapErrors.error(4, "no program is launched");
    }
    return execution;
  }

  private List<Frame> stack() {
    List<Frame> stack = execution().stack();
    if (stack.isEmpty()) {
      throw DapErrors.notStopped();
    }
    return stack;
  }

  /** Returns the frame with an id: the place in the stack, from 1 on. */
  private Frame frame(int id) {
    List<Frame> stack = stack();
    if (id < 1 || id > stack.size()) {
      throw DapErrors.error(5, "there is no frame " + id);
    }
    return stack.get(id - 1);
  }

  @Override
  public StackTraceResponse stackTrace(StackTraceArguments arguments) {
    List<Frame> stack = stack();
    Path file;
    synchronized (this) {
      file = Objects.requireNonNull(program, "a stack has a program");
    }
    Source source =
        new Source().withName(String.valueOf(file.getFileName())).withPath(file.toString());
    List<StackFrame> frames = new ArrayList<>();
    for (int id = stack.size(); id > 0; id--) {
      Frame frame = stack.get(id - 1);
      // A caller has already moved to the line after its call.
      int line = id == stack.size() ? frame.line : frame.line - 1;
      frames.add(new StackFrame(id, frame.name, (long) line + firstLine, 1).withSource(source));
    }
    long from = arguments.startFrame() == null ? 0 : arguments.startFrame();
    long levels =
        arguments.levels() == null || arguments.levels() == 0 ? Long.MAX_VALUE : arguments.levels();
    return new StackTraceResponse(
            frames.stream().skip(Math.max(0, from)).limit(Math.max(0, levels)).toList())
        .withTotalFrames((long) frames.size());
  }

  @Override
  public ScopesResponse scopes(ScopesArguments arguments) {
    frame(arguments.frameId());
    Scope globals = new Scope("Globals", GLOBALS, false);
    // The variables of frame 1 are the globals.
    return new ScopesResponse(
        arguments.frameId() == GLOBALS
            ? List.of(globals)
            : List.of(
                new Scope("Locals", arguments.frameId(), false)
                    .withPresentationHint(ScopePresentationHint.LOCALS),
                globals));
  }

  @Override
  public VariablesResponse variables(VariablesArguments arguments) {
    return new VariablesResponse(frame(arguments.variablesReference()).locals.entrySet().stream()
        .map(each ->
            new Variable(each.getKey(), shown(each.getValue()), 0).withType(type(each.getValue())))
        .toList());
  }

  @Override
  public SetVariableResponse setVariable(SetVariableArguments arguments) {
    Frame frame = frame(arguments.variablesReference());
    try {
      Object value = execution().set(frame, arguments.name(), arguments.value());
      return new SetVariableResponse(shown(value)).withType(type(value));
    } catch (Fault e) {
      throw DapErrors.error(6, String.valueOf(e.getMessage()));
    }
  }

  @Override
  public EvaluateResponse evaluate(EvaluateArguments arguments) {
    List<Frame> stack = stack();
    Integer id = arguments.frameId();
    Frame frame = frame(id == null ? stack.size() : id);
    try {
      Object value = execution().evaluate(arguments.expression(), frame);
      return new EvaluateResponse(shown(value), 0).withType(type(value));
    } catch (Fault e) {
      throw DapErrors.error(6, String.valueOf(e.getMessage()));
    }
  }

  private static String shown(Object value) {
    return value instanceof String ? "\"" + value + '"' : value.toString();
  }

  private static String type(Object value) {
    return value instanceof String ? "text" : "number";
  }

  // ---------------------------------------------------------------- going on

  private void resume(Step step) {
    if (!execution().resume(step)) {
      throw DapErrors.notStopped();
    }
  }

  @Override
  public ContinueResponse continue_(ContinueArguments arguments) {
    resume(Step.CONTINUE);
    return new ContinueResponse().withAllThreadsContinued(true);
  }

  @Override
  public void next(NextArguments arguments) {
    resume(Step.OVER);
  }

  @Override
  public void stepIn(StepInArguments arguments) {
    resume(Step.IN);
  }

  @Override
  public void stepOut(StepOutArguments arguments) {
    resume(Step.OUT);
  }

  @Override
  public void pause(PauseArguments arguments) {
    execution().pause();
  }

  @Override
  public void terminate(TerminateArguments arguments) {
    execution().end();
  }

  /** Ends the script when the session has ended. */
  @Override
  public synchronized void close() {
    if (execution != null) {
      execution.end();
    }
  }

  // ---------------------------------------------------------------- events of the script

  /** Sends an event; a client that has disconnected needs none. */
  private void send(Consumer<DebugClient> event) {
    try {
      event.accept(client());
    } catch (DisconnectedException | LimitException e) {
      close();
    }
  }

  @Override
  public void printed(String text) {
    send(client ->
        client.output(new OutputEvent(text + "\n").withCategory(OutputEventCategory.STDOUT)));
  }

  @Override
  public void stopped(Reason reason, String text) {
    StoppedEventReason why = switch (reason) {
      case ENTRY -> StoppedEventReason.ENTRY;
      case BREAKPOINT -> StoppedEventReason.BREAKPOINT;
      case STEP -> StoppedEventReason.STEP;
      case PAUSE -> StoppedEventReason.PAUSE;
      case FAULT -> StoppedEventReason.EXCEPTION;
    };
    send(client -> client.stopped(new StoppedEvent(why)
        .withThreadId(THREAD)
        .withAllThreadsStopped(true)
        .withText(text.isEmpty() ? null : text)));
  }

  @Override
  public void ended(int exitCode) {
    send(client -> client.exited(new ExitedEvent(exitCode)));
    send(client -> client.terminated(new TerminatedEvent()));
  }
}
