package dev.repartee.examples.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.dap.DapClient;
import dev.repartee.dap.DapErrors;
import dev.repartee.dap.DapServer;
import dev.repartee.dap.handlers.DebugAdapter;
import dev.repartee.dap.handlers.ExitedHandler;
import dev.repartee.dap.handlers.OutputHandler;
import dev.repartee.dap.handlers.StoppedHandler;
import dev.repartee.dap.handlers.TerminatedHandler;
import dev.repartee.dap.types.*;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScriptAdapterTest {
  private static class Editor
      implements StoppedHandler, OutputHandler, ExitedHandler, TerminatedHandler {
    final BlockingQueue<StoppedEvent> stops = new LinkedBlockingQueue<>();
    final StringBuffer output = new StringBuffer();
    final CompletableFuture<Void> printed = new CompletableFuture<>();
    final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    final CompletableFuture<Void> terminated = new CompletableFuture<>();

    @Override
    public void stopped(StoppedEvent event) {
      stops.add(event);
    }

    @Override
    public void output(OutputEvent event) {
      output.append(event.output());
      printed.complete(null);
    }

    @Override
    public void exited(ExitedEvent event) {
      exitCode.complete(event.exitCode());
    }

    @Override
    public void terminated(TerminatedEvent event) {
      terminated.complete(null);
    }
  }

  @TempDir
  private Path folder;

  private final Path area = Path.of("src/test/resources/area.script").toAbsolutePath();
  private final Editor editor = new Editor();
  private Server server;
  private DapClient client;
  private DebugAdapter adapter;

  @BeforeEach
  void connect() throws Exception {
    server = DapServer.listen(
        "tcp://127.0.0.1:0", ScriptAdapter::new, DapServer.options().build());
    client = DapClient.connect(server.endpoint().bare().toString(), editor);
    adapter = client.adapter();
    client.initialize(new InitializeRequestArguments("script"));
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static Configuration program(Path path) {
    return Configuration.of(Map.of("program", path.toString(), "type", "script"));
  }

  private List<Breakpoint> breakAt(DebugAdapter in, long... lines) {
    return in.setBreakpoints(new SetBreakpointsArguments(new Source().withPath(area.toString()))
            .withBreakpoints(
                Arrays.stream(lines).mapToObj(SourceBreakpoint::new).toList()))
        .breakpoints();
  }

  private StoppedEventReason stop() throws InterruptedException {
    return editor.stops.poll(60, TimeUnit.SECONDS).reason();
  }

  private List<StackFrame> stack() {
    return adapter.stackTrace(new StackTraceArguments(1)).stackFrames();
  }

  private String value(String expression) {
    return adapter
        .evaluate(new EvaluateArguments(expression).withFrameId(stack().get(0).id()))
        .result();
  }

  @Test
  void anExpressionHasABoundedNumberOfOperators() {
    String most = "1" + " + 1".repeat(1_000);

    assertThat(Expression.parse(most).value(name -> 0L)).isEqualTo(1_001L);
    assertThatThrownBy(() -> Expression.parse(most + " * 1"))
        .isInstanceOf(Script.Fault.class)
        .hasMessageContaining("more than 1000 operators");
  }

  @Test
  void aScriptThatOverflowsTheStackEnds() throws Exception {
    CompletableFuture<Integer> ended = new CompletableFuture<>();
    CompletableFuture<String> stopped = new CompletableFuture<>();
    Execution.Observer observer = new Execution.Observer() {
      @Override
      public void printed(String text) {
        if (text.equals("7")) {
          throw new StackOverflowError();
        }
      }

      @Override
      public void stopped(Execution.Reason reason, String text) {
        stopped.complete(text);
      }

      @Override
      public void ended(int exitCode) {
        ended.complete(exitCode);
      }
    };

    Execution execution = new Execution(Script.parse("print 7"), false, observer);
    execution.start();

    assertThat(stopped.get(60, TimeUnit.SECONDS)).contains("nested too deeply");
    execution.end();
    assertThat(ended.get(60, TimeUnit.SECONDS)).isOne();
  }

  @Test
  void aScriptRunsToItsEnd() throws Exception {
    client.launch(program(area), in -> {});

    assertThat(editor.exitCode.get(60, TimeUnit.SECONDS)).isZero();
    editor.terminated.get(60, TimeUnit.SECONDS);
    assertThat(editor.output).hasToString("area 6\narea 20\ntotal 26\n");
  }

  @Test
  void aScriptStopsAtABreakpointAndShowsItsStackAndVariables() throws Exception {
    client.launch(
        program(area),
        in -> assertThat(breakAt(in, 4, 100))
            .extracting(Breakpoint::verified, Breakpoint::line)
            .containsExactly(tuple(true, 5L), tuple(false, null)));

    assertThat(stop()).isEqualTo(StoppedEventReason.BREAKPOINT);
    assertThat(stack())
        .extracting(StackFrame::name, StackFrame::line)
        .containsExactly(tuple("area", 5L), tuple("main", 10L));
    int frame = stack().get(0).id();
    assertThat(adapter.scopes(new ScopesArguments(frame)).scopes())
        .extracting(Scope::name)
        .containsExactly("Locals", "Globals");
    assertThat(adapter.variables(new VariablesArguments(frame)).variables())
        .extracting(Variable::name, Variable::value)
        .containsExactly(tuple("width", "2"), tuple("height", "3"));
    adapter.setVariable(new SetVariableArguments(frame, "width", "height * 2"));
    assertThat(value("width * height")).isEqualTo("18");
    assertThatThrownBy(() -> value("nothing"))
        .hasMessageContaining("there is no variable 'nothing'");
    adapter.continue_(new ContinueArguments(1));
    assertThat(stop()).isEqualTo(StoppedEventReason.BREAKPOINT);
    assertThat(value("width")).isEqualTo("4");
    assertThat(editor.output).hasToString("area 18\n");
  }

  @Test
  void stepsGoInOverAndOut() throws Exception {
    client.launch(
        Configuration.of(Map.of("program", area.toString(), "stopOnEntry", true)), in -> {});

    assertThat(stop()).isEqualTo(StoppedEventReason.ENTRY);
    assertThat(stack().get(0).line()).isEqualTo(2);
    adapter.next(new NextArguments(1));
    assertThat(stop()).isEqualTo(StoppedEventReason.STEP);
    assertThat(stack().get(0).line()).isEqualTo(10);
    adapter.stepIn(new StepInArguments(1));
    stop();
    assertThat(stack()).hasSize(2);
    adapter.stepOut(new StepOutArguments(1));
    stop();
    assertThat(stack().get(0).line()).isEqualTo(11);
    adapter.next(new NextArguments(1)); // over the call
    stop();
    assertThat(stack().get(0).line()).isEqualTo(12);
    assertThat(editor.output).hasToString("area 6\narea 20\n");
  }

  @Test
  void aScriptThatRunsIsPausedAndTerminated() throws Exception {
    Path endless =
        Files.writeString(folder.resolve("endless"), "n = 1\nprint n\nwhile n\n n = n + 1\nend");
    client.launch(program(endless), in -> {});
    editor.printed.get(60, TimeUnit.SECONDS); // its thread may start late

    assertThatThrownBy(() -> stack())
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(DapErrors.isNotStopped(e)).isTrue());
    adapter.pause(new PauseArguments(1));
    assertThat(stop()).isEqualTo(StoppedEventReason.PAUSE);
    assertThat(Long.parseLong(value("n"))).isPositive();
    adapter.continue_(new ContinueArguments(1));
    adapter.terminate(new TerminateArguments());
    editor.terminated.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aFaultStopsTheScript() throws Exception {
    Path faulty = Files.writeString(folder.resolve("faulty"), "x = 1\nprint x / 0");
    client.launch(program(faulty), in -> {});

    StoppedEvent event = editor.stops.poll(60, TimeUnit.SECONDS);
    assertThat(event.reason()).isEqualTo(StoppedEventReason.EXCEPTION);
    assertThat(event.text()).isEqualTo("division by zero");
    adapter.continue_(new ContinueArguments(1));
    assertThat(editor.exitCode.get(60, TimeUnit.SECONDS)).isOne();
  }

  @Test
  void aScriptThatCannotRunIsRefusedWithItsLine() throws Exception {
    Path bad = Files.writeString(folder.resolve("bad"), "x = 1\ny = (2");
    assertThatThrownBy(() -> client.launch(program(bad), in -> {}))
        .isInstanceOfSatisfying(
            RpcException.class,
            e -> assertThat(DapErrors.text(e))
                .isEqualTo("cannot run " + bad + ": line 2: ')' is missing"));
  }

  @Test
  void theAdapterServesItsClientOverStandardInputAndOutput() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String process = "exec:"
        + Json.of(List.of(
            java,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName()));
    try (DapClient own = DapClient.connect(process, editor)) {
      own.initialize(new InitializeRequestArguments("script"));
      own.launch(program(area), in -> {});

      assertThat(editor.exitCode.get(60, TimeUnit.SECONDS)).isZero();
      editor.terminated.get(60, TimeUnit.SECONDS);
    }
    assertThat(editor.output).hasToString("area 6\narea 20\ntotal 26\n");
  }
}
