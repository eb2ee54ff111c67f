package dev.repartee.mcp.dap;

import dev.repartee.Call;
import dev.repartee.Rpc;
import dev.repartee.Server;
import dev.repartee.dap.DapServer;
import dev.repartee.dap.DapSession;
import dev.repartee.dap.DapSessionAware;
import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.*;
import dev.repartee.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A debug adapter in this process for scripted programs: they run from line 1 to the end of ten
 * lines, stop at breakpoints, and print their lines. A test may replace answers.
 */
public final class FakeAdapter
    implements DapSessionAware,
        AutoCloseable,
        InitializeHandler,
        ConfigurationDoneHandler,
        ThreadsHandler,
        ScopesHandler,
        VariablesHandler,
        NextHandler,
        PauseHandler {
  private static final int LAST_LINE = 10;

  /** Answers a request. */
  @FunctionalInterface
  interface Answer {
    Object to(Json params, FakeAdapter adapter) throws Exception;
  }

  /** The decisions of a test, and the requests that it sees; the same for all connections. */
  static final class Script {
    final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    final BlockingQueue<FakeAdapter> adapters = new LinkedBlockingQueue<>();
    final Map<String, Answer> answers = new ConcurrentHashMap<>();
    volatile List<Variable> locals =
        List.of(new Variable("n", "21", 0).withType("int"), new Variable("items", "[1, 2]", 100));
    volatile Runnable beforeInitialized = () -> {};
    volatile String scope = "Locals";
    volatile boolean loops;

    /** Whether {@code variables} follows start and count. */
    volatile boolean pages;

    volatile Capabilities capabilities = new Capabilities()
        .withSupportsConfigurationDoneRequest(true)
        .withSupportsFunctionBreakpoints(true)
        .withSupportsSetVariable(true)
        .withSupportTerminateDebuggee(true)
        .withExceptionBreakpointFilters(List.of(
            new ExceptionBreakpointsFilter("raised", "Raised"),
            new ExceptionBreakpointsFilter("uncaught", "Uncaught").withDefault(true)));

    Server listen() throws IOException {
      return DapServer.listen(
          "tcp://127.0.0.1:0", () -> new FakeAdapter(this), DapServer.options().build());
    }
  }

  private final Script script;
  private final TreeSet<Long> breakpoints = new TreeSet<>();
  volatile DapSession session;
  private volatile String file = "";
  private volatile long line = 1;

  FakeAdapter(Script script) {
    this.script = script;
  }

  @Override
  public void connect(DapSession session) {
    this.session = session;
    script.adapters.add(this);
  }

  @Override
  public void close() {
    script.seen.add("closed");
  }

  private Object answer(Call call, Json params, Object otherwise) throws Exception {
    script.seen.add(call.method() + " " + params);
    return scripted(call, params, otherwise);
  }

  private Object scripted(Call call, Json params, Object otherwise) throws Exception {
    Answer answer = script.answers.get(call.method());
    Object value = answer == null ? otherwise : answer.to(params, this);
    return value instanceof String text ? Json.parse(text.replace('\'', '"')) : value;
  }

  @Override
  public Capabilities initialize(InitializeRequestArguments client) {
    script.seen.add("initialize " + client.supportsRunInTerminalRequest());
    script.beforeInitialized.run();
    session.client().initialized();
    return script.capabilities;
  }

  @Rpc(value = "launch", paramsObject = true)
  public Object launch(Json params, Call call) throws Exception {
    Json program = params.get("program");
    file = program == null ? "" : program.as(String.class);
    return answer(call, params, Json.NULL);
  }

  @Rpc(value = "attach", paramsObject = true)
  public Object attach(Json params, Call call) throws Exception {
    return answer(call, params, Json.NULL);
  }

  @Rpc(value = "disconnect", paramsObject = true)
  public Object disconnect(Json params, Call call) throws Exception {
    return answer(call, params, Json.NULL);
  }

  @Rpc(value = "setBreakpoints", paramsObject = true)
  public Object setBreakpoints(Json params, Call call) throws Exception {
    List<Breakpoint> answers = new ArrayList<>();
    breakpoints.clear();
    for (SourceBreakpoint each : params.as(SetBreakpointsArguments.class).breakpoints()) {
      long at = each.line() + (each.line() % 2 == 0 ? 1 : 0); // statements are in odd lines
      breakpoints.add(at);
      answers.add(new Breakpoint(true).withId((int) at).withLine(at));
    }
    return answer(call, params, new SetBreakpointsResponse(answers));
  }

  @Rpc(value = "setFunctionBreakpoints", paramsObject = true)
  public Object setFunctionBreakpoints(Json params, Call call) throws Exception {
    return answer(
        call,
        params,
        new SetFunctionBreakpointsResponse(
            List.of(new Breakpoint(false).withMessage("no such function"))));
  }

  @Rpc(value = "setExceptionBreakpoints", paramsObject = true)
  public Object setExceptionBreakpoints(Json params, Call call) throws Exception {
    return answer(call, params, new SetExceptionBreakpointsResponse());
  }

  @Rpc(value = "evaluate", paramsObject = true)
  public Object evaluate(Json params, Call call) throws Exception {
    return answer(call, params, new EvaluateResponse("42", 0).withType("int"));
  }

  @Override
  public void configurationDone(ConfigurationDoneArguments arguments) {
    script.seen.add("configurationDone");
    run(false);
  }

  @Override
  public ThreadsResponse threads() {
    return new ThreadsResponse(List.of(new dev.repartee.dap.types.Thread(7, "main")));
  }

  @Rpc(value = "stackTrace", paramsObject = true)
  public Object stackTrace(Json params, Call call) throws Exception {
    StackFrame frame =
        new StackFrame(1000, "work", line, 1).withSource(new Source().withPath(file));
    return scripted(call, params, new StackTraceResponse(List.of(frame)).withTotalFrames(1L));
  }

  @Override
  public ScopesResponse scopes(ScopesArguments arguments) {
    return new ScopesResponse(
        List.of(new Scope(script.scope, 50, false), new Scope("Registers", 60, true)));
  }

  @Override
  public VariablesResponse variables(VariablesArguments arguments) {
    return new VariablesResponse(
        arguments.variablesReference() == 50
            ? page(arguments)
            : List.of(new Variable("0", "1", 0), new Variable("1", "2", 0)));
  }

  private List<Variable> page(VariablesArguments wanted) {
    return script.pages && wanted.count() != null
        ? script.locals.stream().skip(wanted.start()).limit(wanted.count()).toList()
        : script.locals;
  }

  @Rpc(value = "setVariable", paramsObject = true)
  public Object setVariable(Json params, Call call) throws Exception {
    SetVariableArguments wanted = params.as(SetVariableArguments.class);
    script.locals = script.locals.stream()
        .map(each -> each.name().equals(wanted.name())
            ? new Variable(each.name(), wanted.value(), each.variablesReference())
            : each)
        .toList();
    return answer(call, params, new SetVariableResponse(wanted.value()));
  }

  @Rpc(value = "continue", paramsObject = true)
  public Object goOn(Json params, Call call) throws Exception {
    Object answer = answer(call, params, new ContinueResponse());
    line++;
    run(false);
    return answer;
  }

  @Rpc(value = "terminate", paramsObject = true)
  public Object terminate(Json params, Call call) throws Exception {
    return answer(call, params, Json.NULL);
  }

  @Override
  public void next(NextArguments arguments) {
    line++;
    run(true);
  }

  @Override
  public void pause(PauseArguments arguments) {
    stop(StoppedEventReason.PAUSE);
  }

  /** Runs to the next breakpoint, or for one line; the events follow the answer. */
  private void run(boolean step) {
    Long next = step ? Long.valueOf(line) : breakpoints.ceiling(line);
    if (script.loops) {
      return;
    } else if (next == null || next > LAST_LINE) {
      print("the end\n");
      session.client().exited(new ExitedEvent(3));
      session.client().terminated(new TerminatedEvent());
    } else {
      line = next;
      print("line " + line + "\n");
      stop(step ? StoppedEventReason.STEP : StoppedEventReason.BREAKPOINT);
    }
  }

  void print(String text) {
    session.client().output(new OutputEvent(text).withCategory(OutputEventCategory.STDOUT));
  }

  void stop(StoppedEventReason reason) {
    session.client().stopped(new StoppedEvent(reason).withThreadId(7).withAllThreadsStopped(true));
  }
}
