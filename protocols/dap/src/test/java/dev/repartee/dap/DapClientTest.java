package dev.repartee.dap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.dap.handlers.*;
import dev.repartee.dap.types.*;
import dev.repartee.internal.Threads;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DapClientTest {
  private static final InitializeRequestArguments EDITOR = new InitializeRequestArguments("test")
      .withSupportsStartDebuggingRequest(true)
      .withSupportsRunInTerminalRequest(true);

  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

  /** An adapter for programs that start another session. */
  private class Parent
      implements DapSessionAware,
          InitializeHandler,
          LaunchHandler,
          SetBreakpointsHandler,
          ConfigurationDoneHandler,
          EvaluateHandler {
    DapSession session;

    @Override
    public void connect(DapSession session) {
      this.session = session;
      session
          .async()
          .startDebugging(new StartDebuggingRequestArguments(
              Configuration.of(Map.of()), StartDebuggingRequest.LAUNCH))
          .exceptionally(early -> {
            log.add(early.getMessage());
            return null;
          });
    }

    @Override
    public Capabilities initialize(InitializeRequestArguments client) {
      return new Capabilities().withSupportsConfigurationDoneRequest(true);
    }

    @Override
    public void launch(Configuration configuration) {
      String program = configuration.get("program").as(String.class);
      if (program.equals("missing")) {
        throw DapErrors.error(new Message(1, "no {file}").withVariables(Map.of("file", "missing")));
      }
      session.client().initialized();
      log.add("launch " + program);
      if (program.equals("parent")) {
        RunInTerminalResponse started =
            session.client().runInTerminal(new RunInTerminalRequestArguments("/", List.of("sh")));
        log.add("process " + started.processId());
        session
            .async()
            .startDebugging(new StartDebuggingRequestArguments(
                Configuration.of(Map.of("program", "child")), StartDebuggingRequest.LAUNCH))
            .whenComplete((done, failure) -> log.add("started"));
      }
    }

    @Override
    public SetBreakpointsResponse setBreakpoints(SetBreakpointsArguments arguments) {
      log.add("breakpoints");
      return new SetBreakpointsResponse(List.of(new Breakpoint(true).withLine(3)));
    }

    @Override
    public void configurationDone(ConfigurationDoneArguments arguments) {
      log.add("configured");
    }

    @Override
    public EvaluateResponse evaluate(EvaluateArguments arguments) {
      throw DapErrors.notStopped();
    }
  }

  private class Editor implements StartDebuggingHandler, RunInTerminalHandler {
    final CompletableFuture<DapClient> child = new CompletableFuture<>();
    DapClient client;

    @Override
    public void startDebugging(StartDebuggingRequestArguments request) {
      try {
        child.complete(client.startDebugging(request, new Editor(), adapter -> {}));
      } catch (IOException e) {
        throw DapErrors.error(1, "the adapter cannot be reached");
      }
    }

    @Override
    public RunInTerminalResponse runInTerminal(RunInTerminalRequestArguments request) {
      return new RunInTerminalResponse().withProcessId(42);
    }
  }

  private final Editor editor = new Editor();
  private Server server;
  private DapClient client;

  @BeforeEach
  void connect() throws Exception {
    server =
        DapServer.listen("tcp://127.0.0.1:0", Parent::new, DapServer.options().build());
    client = DapClient.connect(server.endpoint().bare().toString(), editor);
    editor.client = client;
  }

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  private static Configuration program(String name) {
    return Configuration.of(Map.of("program", name));
  }

  private void logged(String... lines) throws InterruptedException {
    for (String line : lines) {
      assertThat(log.poll(60, TimeUnit.SECONDS)).isEqualTo(line);
    }
  }

  @Test
  void aLaunchIsConfiguredBetweenTheEventAndItsAnswer() throws Exception {
    assertThat(client.initialize(EDITOR).supportsConfigurationDoneRequest()).isTrue();
    assertThat(client.capabilities().supportsCancelRequest()).isTrue();
    logged("'startDebugging' cannot be sent before the answer to 'initialize'; send it from a"
        + " later request");
    client.launch(program("single"), adapter -> {
      SetBreakpointsResponse set =
          adapter.setBreakpoints(new SetBreakpointsArguments(new Source().withPath("/a"))
              .withBreakpoints(List.of(new SourceBreakpoint(2))));
      assertThat(set.breakpoints()).containsExactly(new Breakpoint(true).withLine(3));
    });
    List<String> steps = new ArrayList<>(); // launch runs beside the configuration
    for (int i = 0; i < 3; i++) {
      steps.add(log.poll(60, TimeUnit.SECONDS));
    }
    assertThat(steps).contains("launch single").containsSubsequence("breakpoints", "configured");
  }

  @Test
  void anAdapterStartsTerminalsAndSessions() throws Exception {
    client.initialize(EDITOR);
    log.clear();
    client.launch(program("parent"), adapter -> {});
    try (DapClient child = editor.child.get(60, TimeUnit.SECONDS)) {
      assertThat(child.capabilities()).isEqualTo(client.capabilities());
      assertThat(child.peer()).isNotSameAs(client.peer());
      assertThat(log).contains("process 42", "launch child").doesNotContain("launch missing");
    }
  }

  @Test
  void aLaunchThatFailsShowsTheTextOfTheAdapter() {
    client.initialize(EDITOR);
    assertThatThrownBy(() -> client.launch(program("missing"), adapter -> {}))
        .isInstanceOfSatisfying(RpcException.class, e -> {
          assertThat(e.code()).isEqualTo(1);
          assertThat(DapErrors.text(e)).isEqualTo("no missing");
          assertThat(DapErrors.message(e).variables()).containsEntry("file", "missing");
        });
    assertThatThrownBy(() -> client.adapter().evaluate(new EvaluateArguments("x")))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(DapErrors.isNotStopped(e)).isTrue());
  }

  @Test
  void aLaunchEndsWhenTheAdapterDoes() throws Exception {
    client.initialize(EDITOR);
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    CompletableFuture.runAsync(
        () -> {
          try {
            client.launch(program("single"), adapter -> server.close(Duration.ZERO));
          } catch (RuntimeException e) {
            failure.complete(e);
          }
        },
        Threads.CALLS);
    assertThat(failure.get(60, TimeUnit.SECONDS))
        .isInstanceOfAny(
            DisconnectedException.class, RpcException.class, CancellationException.class);
  }

  @Test
  void aSessionThatIsNotInitializedStartsNoOther() {
    assertThatThrownBy(() -> client.startDebugging(
            new StartDebuggingRequestArguments(program("x"), StartDebuggingRequest.LAUNCH),
            editor,
            adapter -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("call initialize() first");
  }
}
