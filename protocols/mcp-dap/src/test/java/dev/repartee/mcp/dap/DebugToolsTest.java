package dev.repartee.mcp.dap;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallFuture;
import dev.repartee.ClockOptions;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.dap.DapErrors;
import dev.repartee.dap.DapServer;
import dev.repartee.dap.types.*;
import dev.repartee.internal.FakeClock;
import dev.repartee.json.Json;
import dev.repartee.mcp.workspace.Workspace;
import dev.repartee.testkit.fault.FaultProxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A debug adapter of the test, driven by an MCP client of the test. */
@Timeout(120)
class DebugToolsTest extends DebugSession {
  private final FakeClock clock = new FakeClock();

  private Options onClock() {
    return ClockOptions.with(clock, DapServer.options())
        .limits(limits -> limits.callTimeout(Duration.ofSeconds(4)))
        .build();
  }

  // ---------------------------------------------------------------- the way through a program

  @Test
  void aLaunchSetsTheBreakpointsAndReportsTheFirstStop() throws Exception {
    Json kept = call(
        "set_breakpoints",
        "{'file':'a.txt','breakpoints':[{'line':4,'condition':'n > 1'},{'line':9}]}");
    assertThat(text(kept))
        .isEqualTo("a.txt:4: breakpoint kept for the next launch\n"
            + "a.txt:9: breakpoint kept for the next launch");
    Json stopped = call(
        "launch",
        "{'program':'a.txt','args':['x'],'env':{'A':'b'},'stopOnEntry':false,'timeout':30,"
            + "'configuration':{'type':'python','cwd':'/'}}");
    assertThat(text(stopped)).isEqualTo("""
            a.txt:4: breakpoint verified at line 5 (the debug adapter does not announce conditions)
            a.txt:9: breakpoint verified
            Stopped (breakpoint) in work (a.txt:5), thread 7
                   2 | code 2
                   3 | code 3
                   4 | code 4
            ->     5 | code 5
                   6 | code 6
                   7 | code 7
                   8 | code 8

            Output:
            line 5
            """);
    assertThat(structured(stopped).get("state")).isEqualTo(Json.of("stopped"));
    assertThat(structured(stopped).get("output")).isEqualTo(Json.of("line 5\n"));
    assertThat(script.seen.poll()).isEqualTo("initialize false");
    List<String> order = new java.util.ArrayList<>();
    script.seen.drainTo(order);
    assertThat(order)
        .filteredOn(seen -> seen.startsWith("launch"))
        .containsExactly("launch " + Json.parse("""
            {"type":"python","cwd":"/","request":"launch","program":"%s","args":["x"],\
            "stopOnEntry":false,"env":{"A":"b"}}""".formatted(folder.resolve("a.txt"))));
    assertThat(order.stream()
            .filter(seen -> !seen.startsWith("launch"))
            .map(seen -> seen.split(" ")[0]))
        .containsExactly("setBreakpoints", "setExceptionBreakpoints", "configurationDone");
    assertThat(order).anyMatch(seen -> seen.contains("{\"filters\":[\"uncaught\"]}"));
  }

  @Test
  void aProgramIsSteppedToItsEnd() throws Exception {
    launched();
    Json stepped = structured(call("step_over", "{'timeout':30}"));
    assertThat(stepped.get("reason")).isEqualTo(Json.of("step"));
    assertThat(stepped.get("frame").get("line")).isEqualTo(Json.of(4));
    assertThat(stepped.get("output")).isEqualTo(Json.of("line 4\n"));
    assertThat(structured(call("continue", "{'timeout':30}")).get("frame").get("line"))
        .isEqualTo(Json.of(7));
    Json ended = call("continue", "{'timeout':30}");
    assertThat(text(ended))
        .isEqualTo("The program has ended with exit code 3.\n\nOutput:\nthe end\n");
    assertThat(structured(ended)).isEqualTo(Json.parse("""
        {"state":"ended","exitCode":3,"output":"the end\\n"}"""));
    assertThat(error(call("continue", "{}")))
        .isEqualTo(
            "The program has ended with exit code 3. Call launch or restart to run it again.");
    awaitSeen("disconnect");
    awaitSeen("closed");
  }

  @Test
  void aProgramThatEndsBeforeTheAnswerToItsLaunchHasEnded() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    start(builder -> builder.options(DapServer.options()
        .limits(limits -> limits.closeTimeout(Duration.ofMillis(100)))
        .build()));
    script.answers.put("launch", (params, adapter) -> over.await(30, TimeUnit.SECONDS));

    Json ended = call("launch", "{'program':'a.txt','timeout':30}");

    assertThat(text(ended)).startsWith("The program has ended with exit code 3.");
    over.countDown();
  }

  @Test
  void aProgramHasEndedIfItsAdapterEndsAfterItsExitAndBeforeTheAnswerToItsLaunch()
      throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    script.loops = true;
    try (FaultProxy proxy = FaultProxy.to(adapters.endpoint())) {
      start(proxy.endpoint().bare().toString(), builder -> builder);
      script.answers.put("launch", (params, adapter) -> {
        adapter.session.client().exited(new ExitedEvent(3));
        inTerminal(adapter, "true"); // its answer shows that the event was handled
        proxy.cut(); // a close of the adapter's peer would refuse the configuration with an error
        return over.await(30, TimeUnit.SECONDS);
      });
      assertThat(text(call("launch", "{'program':'a.txt','timeout':30}")))
          .startsWith("The program has ended with exit code 3.");
    } finally {
      over.countDown();
    }
  }

  @Test
  void theStackTheVariablesAndExpressionsAreShown() throws Exception {
    launched();
    assertThat(text(call("stack_trace", "{}"))).isEqualTo("[f1.1000] work (a.txt:3)");
    assertThat(text(call("threads", "{}"))).isEqualTo("7: main (the stop is here)");
    assertThat(text(call("variables", "{}")))
        .isEqualTo("Locals:\n  n = 21 (int)\n  items = [1, 2] [v1.100]\n"
            + "Registers [v1.60]: not read, since that is expensive; name the scope to read it");
    assertThat(text(call("variables", "{'scope':'registers'}")))
        .isEqualTo("Registers:\n  0 = 1\n  1 = 2");
    assertThat(text(call("variables", "{'path':['items','1']}"))).isEqualTo("1 = 2");
    assertThat(text(call("variables", "{'path':['items']}"))).isEqualTo("items:\n  0 = 1\n  1 = 2");
    assertThat(text(call("variables", "{'reference':'v1.100'}"))).contains("  1 = 2");
    assertThat(error(call("variables", "{'path':['missing']}"))).contains("no variable 'missing'");
    assertThat(error(call("variables", "{'path':['items','9']}"))).contains("There is no '9'");
    assertThat(error(call("variables", "{'scope':'Globals'}"))).contains("Locals, Registers");
    assertThat(text(call("evaluate", "{'expression':'2 * n','frame':'f1.1000'}")))
        .isEqualTo("42 (int)");
    assertThat(awaitSeen("evaluate"))
        .contains("\"expression\":\"2 * n\"", "\"frameId\":1000", "\"context\":\"watch\"");
    assertThat(text(call("set_variable", "{'name':'n','value':'5'}"))).isEqualTo("5");
    assertThat(awaitSeen("setVariable"))
        .isEqualTo("setVariable {\"variablesReference\":50,\"name\":\"n\",\"value\":\"5\"}");
  }

  @Test
  void breakpointsChangeWhileTheProgramIsDebugged() throws Exception {
    launched();
    assertThat(text(call("set_breakpoints", "{'file':'a.txt','breakpoints':[{'line':8}]}")))
        .isEqualTo("a.txt:8: breakpoint verified at line 9");
    FakeAdapter adapter = script.adapters.take();
    adapter
        .session
        .client()
        .breakpoint(new BreakpointEvent(
            BreakpointEventReason.CHANGED,
            new Breakpoint(false).withId(9).withMessage("the module is unloaded")));
    adapter.print("told");
    String output = "";
    while (!output.contains("told")) { // sent behind the event
      output += text(call("output", "{}"));
    }
    assertThat(text(call("set_function_breakpoints", "{'breakpoints':[{'name':'work'}]}")))
        .isEqualTo("work: breakpoint unverified (no such function)");
    assertThat(text(call("set_exception_breakpoints", "{'filters':[{'filter':'raised'}]}")))
        .contains("raised: Raised (on)", "uncaught: Uncaught (off)");
    assertThat(error(call("set_exception_breakpoints", "{'filters':[{'filter':'x'}]}")))
        .contains("no filter 'x'", "raised, uncaught");
    assertThat(text(call("restart", "{'timeout':30}")))
        .contains(
            "a.txt:8: breakpoint verified at line 9", "Stopped (breakpoint) in work (a.txt:9)");
    assertThat(awaitSeen("setBreakpoints")).contains("\"line\":3");
    awaitSeen("disconnect");
    awaitSeen("setFunctionBreakpoints");
    assertThat(awaitSeen("setExceptionBreakpoints")).contains("raised");
    assertThat(text(call("set_breakpoints", "{'file':'a.txt','breakpoints':[]}")))
        .isEqualTo("'a.txt' has no breakpoints.");
  }

  @Test
  void anAdapterGetsNoRequestBeforeItIsInitialized() throws Exception {
    CompletableFuture<Void> over = new CompletableFuture<>();
    script.beforeInitialized = () -> over.orTimeout(30, TimeUnit.SECONDS).join();
    CallFuture<Json> launch = send(client, "launch", "{'program':'a.txt','timeout':30}");
    awaitSeen("initialize");
    assertThat(error(call("threads", "{}"))).contains("still being started");
    assertThat(error(call("pause", "{'timeout':0}"))).contains("still being started");
    assertThat(text(call("set_breakpoints", "{'file':'a.txt','breakpoints':[{'line':5}]}")))
        .isEqualTo("a.txt:5: breakpoint kept for the next launch");
    call("set_function_breakpoints", "{'breakpoints':[{'name':'work'}]}");
    call("set_exception_breakpoints", "{'filters':[]}");
    assertThat(script.seen.poll()).isNull();
    over.complete(null);
    assertThat(text(launch.await())).contains("Stopped (breakpoint) in work (a.txt:5)");
    awaitSeen("setFunctionBreakpoints");
    assertThat(text(call("threads", "{}"))).contains("main");
  }

  @Test
  void aRunningProgramIsWaitedForAndPaused() throws Exception {
    script.loops = true;
    Json running = call("launch", "{'program':'a.txt','timeout':0}");
    assertThat(text(running)).contains("still runs after 0");
    assertThat(structured(running).get("state")).isEqualTo(Json.of("running"));
    assertThat(error(call("variables", "{}"))).contains("The program is running");
    assertThat(error(call("step_in", "{}"))).contains("The program is running");
    CallFuture<Json> waiting = send(client, "wait", "{'timeout':60}");
    Json paused = call("pause", "{'timeout':30}");
    assertThat(structured(paused).get("reason")).isEqualTo(Json.of("pause"));
    assertThat(structured(waiting.await()).get("state")).isEqualTo(Json.of("stopped"));
  }

  @Test
  void aWaitThatIsCancelledEnds() throws Exception {
    script.loops = true;
    call("launch", "{'program':'a.txt','timeout':0}");
    CallFuture<Json> waiting = send(client, "wait", "{'timeout':600}");
    waiting.cancel(true);
    assertThat(structured(call("wait", "{'timeout':0}")).get("state"))
        .isEqualTo(Json.of("running"));
  }

  @Test
  void referencesExpireWhenTheProgramRuns() throws Exception {
    Json first = launched();
    String frame = frame(first);
    call("step_over", "{'timeout':30}");
    assertThat(error(call("variables", "{'frame':'" + frame + "'}")))
        .contains("'f1.1000' has expired");
    assertThat(error(call("variables", "{'reference':'v1.100'}"))).contains("has expired");
    assertThat(error(call("evaluate", "{'expression':'n','frame':'1000'}")))
        .contains("'1000' is no reference of a frame");
    assertThat(error(call("variables", "{'reference':'v2.9999999999'}"))).contains("too large");
    call("restart", "{'timeout':30}");
    assertThat(error(call("variables", "{'reference':'v2.100'}"))).contains("has expired");
  }

  @Test
  void aContinueThatTheAdapterRefusesLeavesAStopWithANewNumber() throws Exception {
    launched();
    script.answers.put("continue", (params, adapter) -> {
      throw DapErrors.error(1, "not now");
    });
    assertThat(error(call("continue", "{}"))).contains("not now");
    assertThat(error(call("variables", "{'frame':'f1.1000'}"))).contains("has expired");
    assertThat(text(call("stack_trace", "{}"))).isEqualTo("[f2.1000] work (a.txt:3)");
  }

  @Test
  void ofTwoCallsThatContinueFromAStopOneIsSent() throws Exception {
    launched();
    script.loops = true;
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    script.answers.put("continue", (params, adapter) -> {
      asked.countDown();
      over.await(30, TimeUnit.SECONDS);
      return new ContinueResponse();
    });
    CallFuture<Json> first = send(client, "continue", "{'timeout':0}");
    asked.await();
    assertThat(error(call("continue", "{'timeout':0}"))).contains("The program is running");
    over.countDown();
    assertThat(structured(first.await()).get("state")).isEqualTo(Json.of("running"));
  }

  @Test
  void onlyTheRequestThatHasLeftAStopRestoresIt() {
    java.util.concurrent.atomic.AtomicInteger numbers =
        new java.util.concurrent.atomic.AtomicInteger();
    Execution execution = new Execution(numbers::incrementAndGet);
    execution.stopped(new StoppedEvent(StoppedEventReason.STEP).withThreadId(7));
    Execution.Stop first = execution.status().stop();
    assertThat(execution.resuming(first)).isTrue();
    assertThat(execution.resuming(first)).isFalse();
    execution.stopped(new StoppedEvent(StoppedEventReason.STEP).withThreadId(7));
    assertThat(execution.resuming(execution.status().stop())).isTrue();
    execution.refused(first);
    assertThat(execution.status().stop()).isNull();
    execution.continued(7, true);
    execution.refused(new Execution.Stop(2, first.event()));
    assertThat(execution.status().stop()).isNull();
  }

  @Test
  void aContinueThatIsCancelledCountsAsRunning() throws Exception {
    launched();
    script.loops = true;
    CountDownLatch over = new CountDownLatch(1);
    script.answers.put("continue", (params, adapter) -> {
      over.await(30, TimeUnit.SECONDS);
      return new ContinueResponse();
    });
    CallFuture<Json> call = send(client, "continue", "{'timeout':30}");
    awaitSeen("continue");
    call.cancel(true);
    assertThat(structured(call("wait", "{'timeout':0}")).get("state"))
        .isEqualTo(Json.of("running"));
    over.countDown();
    assertThat(error(call("variables", "{'frame':'f1.1000'}"))).contains("The program is running");
  }

  @Test
  void aTerminateThatIsCancelledEndsTheAdapterAllTheSame() throws Exception {
    script.capabilities = script.capabilities.withSupportsTerminateRequest(true);
    launched();
    CountDownLatch over = new CountDownLatch(1);
    script.answers.put("terminate", (params, adapter) -> {
      over.await(30, TimeUnit.SECONDS);
      return Json.NULL;
    });
    CallFuture<Json> call = send(client, "terminate", "{}");
    awaitSeen("terminate");
    call.cancel(true);
    over.countDown();
    awaitSeen("disconnect");
    awaitSeen("closed");
  }

  @Test
  void anAttachedProgramRunsOnAfterTheSession() throws Exception {
    script.loops = true;
    call("attach", "{'processId':12,'timeout':0,'configuration':{'host':'x'}}");
    assertThat(awaitSeen("attach")).contains("\"pid\":12", "\"processId\":12", "\"host\":\"x\"");
    assertThat(text(call("disconnect", "{}"))).contains("has left the program");
    assertThat(awaitSeen("disconnect")).contains("\"terminateDebuggee\":false");
    call("attach", "{'processId':12,'timeout':0}");
    assertThat(text(call("terminate", "{}"))).contains("The program was ended");
    assertThat(awaitSeen("disconnect")).contains("\"terminateDebuggee\":true");
  }

  // ---------------------------------------------------------------- bounds

  @Test
  void variablesValuesAndOutputAreBounded() throws Exception {
    script.locals = IntStream.range(0, 5_000)
        .mapToObj(i -> new Variable("v" + i, "x".repeat(i == 0 ? 100_000 : 1), 0))
        .toList();
    launched();
    Json page = structured(call("variables", "{'limit':1000,'scope':'Locals'}"))
        .get("scopes")
        .at(0);
    assertThat(page.get("variables").elements()).hasSize(1_000);
    assertThat(page.get("variables").at(0).get("value").as(String.class)).hasSize(1_003);
    assertThat(page.get("more")).isEqualTo(Json.TRUE);
    assertThat(text(call("variables", "{'start':4998,'scope':'Locals'}")))
        .isEqualTo("Locals:\n  v4998 = x\n  v4999 = x");

    FakeAdapter adapter = script.adapters.take();
    for (int i = 0; i < 30; i++) {
      adapter.print("y".repeat(10_000));
    }
    adapter.print("last");
    StringBuilder read = new StringBuilder();
    long dropped = 0;
    while (!read.toString().endsWith("last")) {
      Json output = structured(call("output", "{}"));
      read.append(output.get("output").as(String.class));
      assertThat(output.get("output").as(String.class).length()).isLessThanOrEqualTo(20_000);
      dropped +=
          output.get("outputDropped") == null ? 0 : output.get("outputDropped").as(Long.class);
    }
    assertThat(read.length() + dropped).isEqualTo(300_004);
  }

  @Test
  void variablesAreReadInPartsAlsoFromAnAdapterThatSendsAll() throws Exception {
    launched();
    for (int many : new int[] {1, 2, 10, 11, 12, 21}) {
      script.locals =
          IntStream.range(0, many).mapToObj(i -> new Variable("v" + i, "x", 0)).toList();
      for (int start = 0; start <= many; start++) {
        script.pages = false;
        String all = text(call("variables", "{'scope':'Locals','limit':10,'start':" + start + "}"));
        assertThat(all)
            .isEqualTo(IntStream.range(start, Math.min(many, start + 10))
                    .mapToObj(i -> "\n  v" + i + " = x")
                    .collect(Collectors.joining("", start < many ? "Locals:" : "Locals: none", ""))
                + (start + 10 < many ? "\n  ... there are more; raise 'start' or 'limit'" : ""));
        script.pages = true;
        assertThat(text(call("variables", "{'scope':'Locals','limit':10,'start':" + start + "}")))
            .as("start " + start + " of " + many)
            .isEqualTo(all);
      }
    }
  }

  @Test
  void theTextsOfBreakpointsAreBounded() throws Exception {
    assertThat(error(call(
            "set_breakpoints",
            "{'file':'a.txt','breakpoints':[{'line':1,'condition':'" + "n".repeat(10_001)
                + "'}]}")))
        .contains("Invalid arguments");
    String most = "n".repeat(10_000);
    String many = IntStream.rangeClosed(1, 26)
        .mapToObj(line -> "{'line':" + line + ",'condition':'" + most + "'}")
        .collect(Collectors.joining(","));
    call("set_breakpoints", "{'file':'a.txt','breakpoints':[" + many + "]}");
    assertThat(error(call("set_function_breakpoints", "{'breakpoints':[{'name':'" + most + "'}]}")))
        .contains("at most 262144 characters");
    assertThat(error(call(
            "set_exception_breakpoints",
            "{'filters':[{'filter':'x','condition':'" + most + "'}]}")))
        .contains("at most 262144 characters");
    Files.writeString(folder.resolve("b.txt"), "code");
    assertThat(error(call(
            "set_breakpoints",
            "{'file':'b.txt','breakpoints':[{'line':1,'logMessage':'" + most + "'}]}")))
        .contains("at most 262144 characters");
    call("set_breakpoints", "{'file':'a.txt','breakpoints':[]}");
    assertThat(text(call("set_function_breakpoints", "{'breakpoints':[{'name':'work'}]}")))
        .isEqualTo("work: breakpoint kept for the next launch");
  }

  @Test
  void theMessagesOfBreakpointsAreCutWhenTheyAreKept() {
    Breakpoints breakpoints = new Breakpoints();
    Path file = folder.resolve("a.txt");
    breakpoints.want(file, List.of(new SourceBreakpoint(1)));
    String message = "m".repeat(5_000);
    breakpoints.answered(
        breakpoints.of(file), file, List.of(new Breakpoint(false).withId(1).withMessage(message)));
    assertThat(breakpoints.lines(file).get(0).answer().message()).hasSize(503);
    breakpoints.changed(new Breakpoint(true).withId(1).withMessage(message));
    assertThat(breakpoints.lines(file).get(0).answer().message()).hasSize(503);
    assertThat(breakpoints.lines(file).get(0).answer().verified()).isTrue();
  }

  @Test
  void theNamesOfAnAdapterAreCut() throws Exception {
    String large = "n".repeat(100_000);
    script.scope = large;
    script.locals = List.of(new Variable(large, large, 100).withType(large));
    script.capabilities = script.capabilities.withExceptionBreakpointFilters(
        List.of(new ExceptionBreakpointsFilter(large, large)));
    Json stopped = launched();
    assertThat(stopped.toString()).hasSizeLessThan(5_000);
    assertThat(call("variables", "{}").toString()).hasSizeLessThan(10_000);
    assertThat(call("set_exception_breakpoints", "{'filters':[]}").toString())
        .hasSizeLessThan(5_000);
    assertThat(call("variables", "{'path':['" + large + "']}").toString()).hasSizeLessThan(10_000);
    assertThat(new Views(new Workspace(folder, 1)).shown("/" + large)).hasSize(1_003);
  }

  @Test
  void theOutputKeepsItsLastCharacters() {
    Output output = new Output();
    output.add("a".repeat(Output.MAX));
    output.add("b".repeat(Output.MAX));
    assertThat(output.take(3)).isEqualTo(new Output.Part("bbb", Output.MAX, Output.MAX - 3));
    output.add("c".repeat(3 * Output.MAX));
    Output.Part part = output.take(1);
    assertThat(part.text()).isEqualTo("c");
    assertThat(part.left()).isEqualTo(Output.MAX - 1);
  }

  @Test
  void eachClientHasAProgramOfItsOwnUpToAMaximum() throws Exception {
    start(builder -> builder.maxPrograms(2));
    launched();
    assertThat(error(call("launch", "{'program':'a.txt'}"))).contains("debugged already");
    try (Peer other = connect();
        Peer third = connect()) {
      assertThat(text(send(other, "launch", "{'program':'a.txt','timeout':30}").await()))
          .startsWith("The program has ended"); // the program does not have breakpoints
      assertThat(error(send(third, "variables", "{}").await())).contains("No program");
      script.loops = true;
      Json again = send(other, "launch", "{'program':'a.txt','timeout':0}").await();
      assertThat(structured(again).get("state")).isEqualTo(Json.of("running"));
      assertThat(error(send(third, "launch", "{'program':'a.txt'}").await()))
          .contains("Too many programs");
    }
    assertThat(structured(call("wait", "{}")).get("state")).isEqualTo(Json.of("stopped"));
  }

  // ---------------------------------------------------------------- faults

  @Test
  void wrongPathsAreExplained() throws Exception {
    assertThat(error(call("set_breakpoints", "{'file':'b.txt','breakpoints':[{'line':1}]}")))
        .contains("There is no file 'b.txt'");
    assertThat(error(call("set_breakpoints", "{'file':'../x','breakpoints':[{'line':1}]}")))
        .contains("outside of the workspace");
    assertThat(error(call("launch", "{'program':'no/such'}"))).contains("There is no 'no/such'");
    assertThat(error(call("launch", "{'program':'a.txt','cwd':'no/such'}")))
        .contains("There is no 'no/such'");
    assertThat(error(call("restart", "{}"))).contains("Nothing was started yet");
    assertThat(error(call("continue", "{}"))).contains("No program is being debugged");
    assertThat(error(call("set_breakpoints", "{'file':'a.txt','breakpoints':[{'line':0}]}")))
        .contains("Invalid arguments");
  }

  @Test
  void theTextOfARefusedLaunchIsShownAndTheAdapterEnds() throws Exception {
    script.answers.put("launch", (params, adapter) -> {
      throw DapErrors.error(12, "no debug symbols");
    });
    assertThat(error(call("launch", "{'program':'a.txt'}")))
        .isEqualTo("The debug adapter answered 'launch' with an error: no debug symbols (12)");
    awaitSeen("closed");
    script.answers.clear();
    assertThat(text(launched())).contains("Stopped (breakpoint)");
  }

  @Test
  void aFileThatTheAdapterRefusesDoesNotKeepTheProgramFromStarting() throws Exception {
    script.answers.put("setBreakpoints", (params, adapter) -> {
      throw DapErrors.error(1, "not here");
    });
    Json ended = launched();
    assertThat(text(ended)).startsWith("a.txt:3: breakpoint unverified (not here)\n");
  }

  @Test
  void anAdapterThatEndsIsReportedAndStartedAgain() throws Exception {
    try (FaultProxy proxy = FaultProxy.to(adapters.endpoint())) {
      start(proxy.endpoint().bare().toString(), builder -> builder);
      launched();
      script.loops = true;
      CallFuture<Json> running = send(client, "continue", "{'timeout':60}");
      awaitSeen("continue");
      proxy.cut();
      assertThat(error(running.await())).contains("debug adapter", "ended");
      String again = error(call("variables", "{}"));
      assertThat(again).contains("The debug adapter has ended");
      script.loops = false;
      assertThat(text(call("restart", "{'timeout':30}"))).contains("Stopped (breakpoint)");
    }
  }

  @Test
  void anAdapterThatEndsTheProgramBeforeItsConnectionIsKnownIsClosed() throws Exception {
    Output output = new Output();
    Program program = new Program(
        new Program.Setup(
            adapters.endpoint().bare().toString(), DapServer.options().build(), false),
        new Program.Start(Json.EMPTY_OBJECT, false),
        output,
        () -> 1);
    Events events = new Events(program, output, new Breakpoints());
    events.terminated(new TerminatedEvent());
    program.connect(events);
    program.over().get(30, TimeUnit.SECONDS);
    awaitSeen("closed");
  }

  @Test
  void anAdapterThatDoesNotAnswerIsReportedAndCanBeEnded() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    start(builder -> builder.options(onClock()));
    script.answers.put("evaluate", (params, adapter) -> over.await(60, TimeUnit.SECONDS));
    launched();
    CallFuture<Json> late = send(client, "evaluate", "{'expression':'n'}");
    awaitSeen("evaluate");
    clock.advance(Duration.ofSeconds(4));
    assertThat(error(late.await())).contains("The debug adapter did not answer", "call terminate");
    assertThat(text(call("threads", "{}"))).contains("main");
    over.countDown();
    assertThat(text(call("terminate", "{}"))).contains("The program was ended");
  }

  /** Waits for a call, while the time limit of each request to the adapter passes. */
  private void awaitOnClock(CallFuture<?> call) {
    while (!call.isDone()) {
      clock.advance(Duration.ofSeconds(4));
    }
  }

  @Test
  void anAdapterWithoutInitializedEndsTheLaunch() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      start("tcp://127.0.0.1:" + silent.getLocalPort(), builder -> builder.options(onClock()));
      CallFuture<Json> launch = send(client, "launch", "{'program':'a.txt'}");
      try (Socket adapter = silent.accept()) {
        assertThat(adapter.getInputStream().read()).isPositive();
        awaitOnClock(launch);
        assertThat(error(launch.await())).contains("did not answer");
      }
    }
  }

  @Test
  void anAdapterThatAnswersGarbageEndsTheLaunch() throws Exception {
    try (ServerSocket garbage = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      start("tcp://127.0.0.1:" + garbage.getLocalPort(), builder -> builder.options(onClock()));
      CallFuture<Json> launch = send(client, "launch", "{'program':'a.txt'}");
      try (Socket adapter = garbage.accept()) {
        assertThat(adapter.getInputStream().read()).isPositive();
        adapter.getOutputStream().write("garbage\r\n\r\n".getBytes(US_ASCII));
        awaitOnClock(launch); // it may ignore the garbage until its time limit
        assertThat(error(launch.await())).contains("debug adapter");
        adapter.getInputStream().readAllBytes(); // returns at the end of the connection
      }
    }
  }

  @Test
  void anAdapterThatDoesNotListenIsReported() throws Exception {
    try (Socket bound = new Socket()) { // keeps the port, without listening
      bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      start("tcp://127.0.0.1:" + bound.getLocalPort(), builder -> builder);
      assertThat(error(call("launch", "{'program':'a.txt'}")))
          .contains("The debug adapter cannot be started");
    }
  }

  @Test
  void anAdapterThatIsMissingIsReported() throws Exception {
    start("exec:/no/such/adapter", builder -> builder);
    assertThat(error(call("launch", "{'program':'a.txt'}")))
        .contains("cannot be started", "/no/such/adapter");
  }

  // ---------------------------------------------------------------- reverse requests

  @Test
  void anotherSessionIsRefusedWithANotice() throws Exception {
    launched();
    FakeAdapter adapter = script.adapters.take();
    CompletableFuture<?> asked = adapter
        .session
        .async()
        .startDebugging(new StartDebuggingRequestArguments(
            Configuration.of(java.util.Map.of()), StartDebuggingRequest.LAUNCH))
        .handle((done, failure) -> failure.getMessage());
    assertThat(asked.get(30, TimeUnit.SECONDS).toString()).contains("one process at a time");
    assertThat(text(call("output", "{}"))).contains("asked for a session for another process");
  }

  private static String inTerminal(FakeAdapter adapter, String... command) throws Exception {
    return adapter
        .session
        .async()
        .runInTerminal(new RunInTerminalRequestArguments("", List.of(command))
            .withEnv(Collections.singletonMap("WORD", "hello")))
        .handle((started, failure) ->
            failure == null ? String.valueOf(started.processId()) : failure.getMessage())
        .get(30, TimeUnit.SECONDS);
  }

  @Test
  void aTerminalIsRefusedUnlessItIsAllowed() throws Exception {
    launched();
    assertThat(inTerminal(script.adapters.take(), "true")).contains("starts no terminal");
  }

  @Test
  void aTerminalIsAChildProcessThatEndsWithTheProgram() throws Exception {
    start(builder -> builder.terminals(true));
    launched();
    assertThat(awaitSeen("initialize")).isEqualTo("initialize true");
    FakeAdapter adapter = script.adapters.take();
    ProcessHandle process = ProcessHandle.of(
            Long.parseLong(inTerminal(adapter, "sh", "-c", "echo $WORD; exec sleep 600")))
        .orElseThrow();
    StringBuilder output = new StringBuilder();
    while (!output.toString().contains("hello")) {
      output.append(text(call("output", "{}")));
    }
    for (int i = 1; i < Terminals.MOST; i++) {
      inTerminal(adapter, "true");
    }
    assertThat(inTerminal(adapter, "true")).contains("at most 4 terminals");
    call("terminate", "{}");
    process.onExit().get(30, TimeUnit.SECONDS);
    call("launch", "{'program':'a.txt','timeout':0}");
    script.adapters.take();
  }

  // ---------------------------------------------------------------- the end of a client

  @Test
  void theAdapterEndsWithTheClient() throws Exception {
    launched();
    client.close();
    assertThat(awaitSeen("disconnect")).contains("\"terminateDebuggee\":true");
    awaitSeen("closed");
  }

  @Test
  void theAdapterEndsWithTheServer() throws Exception {
    launched();
    tools.close();
    awaitSeen("disconnect");
    assertThat(error(call("launch", "{'program':'a.txt'}"))).contains("The session has ended");
  }

  @Test
  void theToolsSayThatTheyRunCode() throws Exception {
    List<Json> listed = client
        .request("tools/list")
        .params(Json.EMPTY_OBJECT)
        .call(Json.class)
        .get("tools")
        .elements();
    assertThat(listed).hasSize(DebugTools.names().size());
    LinkedBlockingQueue<String> readOnly = new LinkedBlockingQueue<>();
    for (Json tool : listed) {
      Json hints = tool.get("annotations");
      assertThat(tool.get("title")).isNotNull();
      if (Json.TRUE.equals(hints.get("readOnlyHint"))) {
        readOnly.add(tool.get("name").as(String.class));
      } else if (!tool.get("name").equals(Json.of("pause"))) {
        assertThat(hints.get("destructiveHint")).as(tool.toString()).isEqualTo(Json.TRUE);
      }
    }
    assertThat(readOnly)
        .containsExactlyInAnyOrder("wait", "stack_trace", "variables", "threads", "output");
  }
}
