package dev.repartee.dap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.*;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Drives real adapters with the typed client, from a breakpoint to the end of the program. */
@Tag("ci")
class RealAdapterTest {
  private static class Editor
      implements StoppedHandler, ExitedHandler, TerminatedHandler, OutputHandler {
    final BlockingQueue<StoppedEvent> stops = new LinkedBlockingQueue<>();
    final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    final CompletableFuture<Void> terminated = new CompletableFuture<>();
    final StringBuffer output = new StringBuffer();

    @Override
    public void stopped(StoppedEvent event) {
      stops.add(event);
    }

    @Override
    public void exited(ExitedEvent event) {
      exitCode.complete(event.exitCode());
    }

    @Override
    public void terminated(TerminatedEvent event) {
      terminated.complete(null);
    }

    @Override
    public void output(OutputEvent event) {
      output.append(event.output());
    }
  }

  private final Editor editor = new Editor();

  private static SetBreakpointsArguments at(Path file, long line) {
    return new SetBreakpointsArguments(new Source().withPath(file.toString()))
        .withBreakpoints(List.of(new SourceBreakpoint(line)));
  }

  /** Stops in a function with the argument {@code n}, looks around, steps and goes on. */
  private void debug(DapClient client, Configuration configuration, Path file, long line)
      throws Exception {
    DebugAdapter adapter = client.adapter();
    client.launch(
        configuration,
        configured ->
            assertThat(configured.setBreakpoints(at(file, line)).breakpoints()).hasSize(1));

    StoppedEvent stop = editor.stops.poll(60, TimeUnit.SECONDS);
    assertThat(stop.reason()).isEqualTo(StoppedEventReason.BREAKPOINT);
    int thread = stop.threadId();
    assertThat(adapter.threads().threads())
        .extracting(dev.repartee.dap.types.Thread::id)
        .contains(thread);
    List<StackFrame> frames =
        adapter.stackTrace(new StackTraceArguments(thread).withLevels(20)).stackFrames();
    assertThat(frames.get(0).name()).startsWith("twice");
    assertThat(frames.get(0).line()).isEqualTo(line);
    int frame = frames.get(0).id();
    Scope locals = adapter.scopes(new ScopesArguments(frame)).scopes().get(0);
    assertThat(adapter
            .variables(new VariablesArguments(locals.variablesReference()))
            .variables())
        .filteredOn(each -> each.name().equals("n"))
        .extracting(Variable::value)
        .containsExactly("21");
    assertThat(
            adapter.evaluate(new EvaluateArguments("n + 1").withFrameId(frame)).result())
        .contains("22");

    adapter.next(new NextArguments(thread));
    stop = editor.stops.poll(60, TimeUnit.SECONDS);
    assertThat(stop.reason()).isEqualTo(StoppedEventReason.STEP);
    adapter.continue_(new ContinueArguments(thread));

    assertThat(editor.exitCode.get(60, TimeUnit.SECONDS)).isEqualTo(3);
    editor.terminated.get(60, TimeUnit.SECONDS);
  }

  @Test
  void debugpyIsDrivenFromABreakpointToTheEnd(@TempDir Path folder) throws Exception {
    Path python = RealAdapters.python();
    Path file = Files.writeString(folder.resolve("main.py"), """
        import sys

        def twice(n):
            result = 2 * n
            return result

        print("twice", twice(21))
        sys.exit(3)
        """);

    try (DapClient client = DapClient.connect(RealAdapters.debugpy(), editor)) {
      client.initialize(new InitializeRequestArguments("python"));
      assertThat(client.capabilities().supportsConfigurationDoneRequest()).isTrue();
      debug(
          client,
          Configuration.of(Map.of(
              "program",
              file.toString(),
              "console",
              "internalConsole",
              "cwd",
              folder.toString(),
              "python",
              List.of(python.toString()))),
          file,
          4);
    }

    assertThat(editor.output).contains("twice 42");
  }

  @ParameterizedTest
  @MethodSource("dev.repartee.dap.RealAdapters#lldb")
  void lldbIsDrivenFromABreakpointToTheEnd(String lldb, @TempDir Path folder) throws Exception {
    assumeThat(lldb).as("lldb is not installed").isNotEqualTo("none");
    Path file = Files.writeString(folder.resolve("main.c"), """
        int twice(int n) {
          int result = 2 * n;
          return result;
        }

        int main() {
          return twice(21) == 42 ? 3 : 4;
        }
        """);
    Process compiler = new ProcessBuilder("cc", "-g", "-O0", "-o", "main", "main.c")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .start();
    assertThat(compiler.waitFor()).isZero();

    try (DapClient client = DapClient.connect("exec:" + Json.of(List.of(lldb)), editor)) {
      client.initialize(new InitializeRequestArguments("lldb"));
      debug(
          client,
          Configuration.of(Map.of("program", folder.resolve("main").toString())),
          file.toRealPath(),
          2);
    }
  }
}
