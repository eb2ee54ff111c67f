package dev.repartee.mcp.dap;

import dev.repartee.RpcException;
import dev.repartee.dap.DapClient;
import dev.repartee.dap.DapErrors;
import dev.repartee.dap.handlers.AsyncDebugAdapter;
import dev.repartee.dap.handlers.DebugAdapter;
import dev.repartee.dap.types.Breakpoint;
import dev.repartee.dap.types.Capabilities;
import dev.repartee.dap.types.Configuration;
import dev.repartee.dap.types.DisconnectArguments;
import dev.repartee.dap.types.InitializePathFormat;
import dev.repartee.dap.types.InitializeRequestArguments;
import dev.repartee.dap.types.RunInTerminalRequestArguments;
import dev.repartee.dap.types.RunInTerminalResponse;
import dev.repartee.dap.types.SetBreakpointsArguments;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Text;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.mcp.McpCall;
import dev.repartee.mcp.types.ToolException;
import dev.repartee.mcp.workspace.RemoteFailure;
import dev.repartee.transport.Channel;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A program with its own debug adapter, from the start of the adapter until both have ended.
 * Thread-safe.
 */
final class Program {
  private static final RemoteFailure FAILURE = new RemoteFailure(
      "debug adapter",
      "It may hang: call terminate, then launch.",
      "Call launch to start it again.",
      Program::text);

  private static final Duration DISCONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration END_LIMIT = Duration.ofSeconds(10);

  /** The time from {@code exited} to {@code terminated}, which some adapters never send. */
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(2);

  private final Setup setup;
  private final Start start;
  private final Execution execution;
  private final Terminals terminals;

  /** The connection; events of the adapter may arrive before it is known here. */
  private final CompletableFuture<DapClient> connected = new CompletableFuture<>();

  /** Completes just before the execution has ended. */
  private final CompletableFuture<@Nullable Void> gone = new CompletableFuture<>();

  private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
  private final AtomicBoolean ending = new AtomicBoolean();
  private final Descendants descendants = new Descendants();
  private final AtomicBoolean exited = new AtomicBoolean();

  /** Whether the adapter has sent {@code initialized}; from then on it accepts other requests. */
  private volatile boolean ready;

  /** Whether the adapter has reported the end of the program. */
  private volatile boolean terminated;

  /** Whether the end of the session ends the program. */
  private volatile boolean kills;

  /**
   * The constant parts of all sessions.
   *
   * @param uri the endpoint of the adapter
   * @param terminals whether {@code runInTerminal} is served
   */
  record Setup(String uri, dev.repartee.Options options, boolean terminals) {}

  /**
   * The way to start a program.
   *
   * @param configuration the arguments of the request
   * @param attach whether the request is {@code attach}, and not {@code launch}
   */
  record Start(Json configuration, boolean attach) {}

  /** {@link #connect(Events)} follows. */
  Program(Setup setup, Start start, Output output, IntSupplier stops) {
    this.setup = setup;
    this.start = start;
    this.kills = !start.attach();
    this.execution = new Execution(stops);
    this.terminals = new Terminals(output);
  }

  /**
   * Starts an adapter, or connects to one. {@link #initialize} follows.
   *
   * @param stops returns the number of the next stop
   * @throws IOException if it cannot be started or reached
   */
  static Program connect(
      Setup setup, Start start, Output output, Breakpoints breakpoints, IntSupplier stops)
      throws IOException {
    Program program = new Program(setup, start, output, stops);
    program.connect(new Events(program, output, breakpoints));
    return program;
  }

  /** Events may end the program before this has returned. */
  void connect(Events events) throws IOException {
    DapClient client;
    try {
      client = DapClient.connect(setup.uri(), events, setup.options());
    } catch (IOException | RuntimeException e) {
      connected.completeExceptionally(e);
      throw e;
    }
    connected.complete(client);
    client
        .peer()
        .closed()
        .whenComplete((closed, cause) -> end(
            cause == null
                ? "it has closed the connection"
                : Text.shortened(String.valueOf(cause.getMessage()), Results.LONGEST_MESSAGE)));
  }

  private DapClient client() {
    return connected.join();
  }

  /**
   * Starts the program: the requests from {@code initialize} to {@code configurationDone}, with the
   * breakpoints.
   *
   * @throws ToolException if the adapter refuses, or does not answer in time
   */
  void initialize(Breakpoints breakpoints) {
    String request = start.attach() ? "attach" : "launch";
    try {
      String type = start.configuration().string("type");
      DapClient client = client();
      client.initialize(new InitializeRequestArguments(type == null ? "repartee" : type)
          .withClientID("repartee")
          .withClientName("Repartee")
          .withLinesStartAt1(true)
          .withColumnsStartAt1(true)
          .withPathFormat(InitializePathFormat.PATH)
          .withSupportsVariableType(true)
          .withSupportsVariablePaging(true)
          .withSupportsRunInTerminalRequest(setup.terminals())
          .withSupportsStartDebuggingRequest(false));
      Configuration configuration = new Configuration(start.configuration());
      if (start.attach()) {
        client.attach(configuration, adapter -> configure(adapter, breakpoints));
      } else {
        client.launch(configuration, adapter -> configure(adapter, breakpoints));
      }
      note();
    } catch (IllegalStateException e) { // no event 'initialized'
      throw new ToolException(
          "The debug adapter did not start the program: " + e.getMessage() + ".");
    } catch (DisconnectedException e) {
      RuntimeException failure = failed(request, e);
      if (!terminated && !exited.get()) { // otherwise it has ended before the adapter answered
        throw failure;
      }
    } catch (RuntimeException e) {
      throw FAILURE.of(request, e);
    }
  }

  private void configure(DebugAdapter adapter, Breakpoints breakpoints) {
    ready = true; // before the breakpoints are read: later ones are sent by their calls
    for (Path file : breakpoints.files()) {
      SetBreakpointsArguments wanted = breakpoints.of(file);
      List<Breakpoint> answer;
      try {
        answer = adapter.setBreakpoints(wanted).breakpoints();
      } catch (RpcException e) { // the other files may have better ones
        Breakpoint refused = new Breakpoint(false).withMessage(text(e));
        List<?> lines = wanted.breakpoints();
        answer = java.util.Collections.nCopies(lines == null ? 0 : lines.size(), refused);
      }
      breakpoints.answered(wanted, file, answer);
    }
    if (Boolean.TRUE.equals(capabilities().supportsFunctionBreakpoints())
        && !breakpoints.wantedFunctions().isEmpty()) {
      breakpoints.functionsAnswered(
          adapter.setFunctionBreakpoints(breakpoints.functions()).breakpoints());
    }
    if (!Breakpoints.filters(capabilities()).isEmpty()) {
      adapter.setExceptionBreakpoints(breakpoints.exceptions(capabilities()));
    }
  }

  private static String text(RpcException failure) {
    return Text.shortened(DapErrors.text(failure), 2_000);
  }

  Start start() {
    return start;
  }

  /** Returns whether the adapter accepts requests; before that, its capabilities are unknown. */
  boolean isReady() {
    return ready;
  }

  Execution execution() {
    return execution;
  }

  /**
   * Returns the stop of the program.
   *
   * @throws ToolException if it runs, or has ended
   */
  Execution.Stop stop() {
    Execution.Stop stop = execution.status().stop();
    if (stop == null) {
      throw notStopped();
    }
    return stop;
  }

  private ToolException notStopped() {
    Execution.Status status = execution.status();
    return status.ended()
        ? Debugger.ended(status)
        : new ToolException("The program is running. It has to be stopped for this: call wait or"
            + " pause. Frames and variables of an earlier stop have expired.");
  }

  Capabilities capabilities() {
    return client().capabilities();
  }

  /**
   * Runs an action when the adapter, the program and its terminals have ended, before {@link
   * #execution} reports that end.
   */
  void whenGone(Runnable action) {
    gone.thenRun(action);
  }

  /** Completes when the adapter, the program and its terminals have ended. */
  CompletableFuture<@Nullable Void> over() {
    return over.copy();
  }

  /**
   * Sends a request and waits for the answer. Cancelling the call cancels the request.
   *
   * @throws ToolException if the adapter answers with an error, or not at all
   */
  <T extends @Nullable Object> T ask(
      McpCall call, String command, Function<AsyncDebugAdapter, CompletableFuture<T>> request) {
    try {
      return answer(call, request);
    } catch (RuntimeException e) {
      throw failed(command, e);
    }
  }

  /** Returns the failure of a request. After the loss of the adapter, waits for the end. */
  private RuntimeException failed(String command, RuntimeException failure) {
    if (failure instanceof DisconnectedException) {
      try {
        over().get(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS); // the next call finds the end
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException e) {
        // It is still being ended.
      }
    }
    return FAILURE.of(command, failure);
  }

  /**
   * Sends a request that resumes the program from a stop. Only an error of the adapter means that
   * it was not resumed: after a cancellation or a time-out, the program counts as running.
   *
   * @throws ToolException if another call has resumed the program, or as {@link #ask} does
   */
  <T extends @Nullable Object> void resume(
      McpCall call,
      Execution.Stop stop,
      String command,
      Function<AsyncDebugAdapter, CompletableFuture<T>> request) {
    if (!execution.resuming(stop)) {
      throw notStopped();
    }
    try {
      answer(call, request);
    } catch (RuntimeException e) {
      if (e instanceof RpcException || e instanceof LimitException) { // refused, or not sent
        execution.refused(stop);
      }
      throw failed(command, e);
    }
  }

  private <T extends @Nullable Object> T answer(
      McpCall call, Function<AsyncDebugAdapter, CompletableFuture<T>> request) {
    if (!ready) {
      throw new ToolException(
          "The program is still being started. Try again when it runs, or call terminate.");
    }
    CompletableFuture<T> answer = request.apply(client().async());
    call.cancellation().onCancel(() -> answer.cancel(true));
    try {
      T given = answer.join();
      note();
      return given;
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  // ---------------------------------------------------------------- events

  /**
   * Records the processes of the session, to end the remaining processes when the adapter has
   * ended. Called on events and answers, because an adapter that has crashed can no longer be
   * queried.
   */
  void note() {
    descendants.note(adapter());
  }

  /** Records the processes of the session after a pause, for frequent events. */
  void noteSoon() {
    descendants.noteSoon(adapter());
  }

  /**
   * Returns the adapter; null if the program continues after its end, or if it is not a process.
   */
  private @Nullable ProcessHandle adapter() {
    return kills && connected.isDone() && !connected.isCompletedExceptionally()
        ? client().peer().attributes().get(Channel.PROCESS)
        : null;
  }

  void exited(int code) {
    execution.exited(code);
    if (exited.compareAndSet(false, true)) {
      Clock.SYSTEM.schedule(EXIT_LIMIT, Threads.CALLS, this::terminated);
    }
  }

  /** Ends the session after the end of the program. */
  void terminated() {
    terminated = true;
    end(null);
  }

  RunInTerminalResponse runInTerminal(RunInTerminalRequestArguments request) {
    if (!setup.terminals()) {
      throw DapErrors.error(
          1,
          "this client starts no terminal, since that runs a command; choose another console, such"
              + " as internalConsole, or allow terminals at the start of the MCP server");
    }
    return new RunInTerminalResponse()
        .withProcessId((int) terminals.start(request).pid());
  }

  // ---------------------------------------------------------------- the end

  /** Sets whether the end of the session ends the program, and ends the session. */
  CompletableFuture<@Nullable Void> end(boolean killing) {
    kills = killing;
    end(null);
    return over();
  }

  /**
   * Ends the session on a separate thread, the first time it is called.
   *
   * @param failure the reason if the adapter has ended without notice, or null
   */
  void end(@Nullable String failure) {
    if (ending.compareAndSet(false, true)) {
      Threads.start("repartee-mcp-dap-end", () -> endNow(failure));
    }
  }

  private void endNow(@Nullable String failure) {
    try {
      DapClient client = client();
      note();
      try {
        disconnect(client);
      } finally {
        client.peer().close();
      }
      awaitClosed(client);
      terminals.close();
      if (kills) {
        descendants.end();
      }
    } catch (CompletionException e) {
      // The connection does not exist, and no caller has this program.
    } finally {
      gone.complete(null);
      execution.ended(failure == null ? null : lost(failure));
      over.complete(null);
    }
  }

  /** Returns the sentences for an adapter that has ended without notice. */
  private String lost(String reason) {
    String program = kills && descendants.hasSeen()
        ? "The debug adapter has ended, and the program with it: " + reason + "."
        : "The debug adapter has ended: " + reason + ". No process of it was found to be ended; a"
            + " program that it has left behind runs on.";
    return program + " Call launch or restart to start them again.";
  }

  private void disconnect(DapClient client) {
    DisconnectArguments how = new DisconnectArguments();
    if (Boolean.TRUE.equals(client.capabilities().supportTerminateDebuggee())) {
      how = how.withTerminateDebuggee(kills);
    }
    try {
      client
          .async()
          .disconnect(how)
          .orTimeout(DISCONNECT_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      // It has ended, or does not answer; the connection is closed in any case.
    }
  }

  private static void awaitClosed(DapClient client) {
    try {
      client
          .peer()
          .closed()
          .toCompletableFuture()
          .orTimeout(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    } catch (RuntimeException e) {
      // It has ended with a failure, or is cut off.
    }
  }

  /** Cuts the connection, so that every wait for the adapter ends. Does not wait. */
  void abort() {
    end(null);
    Threads.start("repartee-mcp-dap-abort", () -> client().peer().close(Duration.ZERO));
  }
}
