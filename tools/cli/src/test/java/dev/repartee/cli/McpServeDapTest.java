package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.dap.RealAdapters;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code repartee mcp serve --as dap}: real debug adapters, driven by an MCP client. */
@Tag("ci")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class McpServeDapTest {
  @TempDir
  Path folder;

  @BeforeEach
  void resolve() throws IOException {
    folder = folder.toRealPath();
  }

  private static Json at(Json json, String... names) {
    Json value = json;
    for (String name : names) {
      value = Objects.requireNonNull(value.get(name), () -> "no '" + name + "' in " + json);
    }
    return value;
  }

  private static Json call(Peer client, String tool, String arguments) {
    return client
        .request("tools/call")
        .params(Json.parse(
            "{\"name\":\"" + tool + "\",\"arguments\":" + arguments.replace('\'', '"') + "}"))
        .call(Json.class);
  }

  private static String text(Json result) {
    return at(at(result, "content").elements().get(0), "text").as(String.class);
  }

  private Child serve(String adapter) throws Exception {
    return serve(adapter, "tcp://127.0.0.1:0");
  }

  private Child serve(String adapter, String endpoint) throws Exception {
    return Child.start(
        "mcp",
        "serve",
        adapter,
        "--as",
        "dap",
        "--workspace",
        folder.toString(),
        "--listen",
        endpoint);
  }

  private static Peer connect(Child server) throws Exception {
    Peer client = Repartee.connect(server.listening());
    client.request("initialize").params(Json.parse("""
        {"protocolVersion":"2025-11-25","capabilities":{},\
        "clientInfo":{"name":"test","version":"1"}}""")).call(Json.class);
    client.request("notifications/initialized").params(Json.EMPTY_OBJECT).sendNotification();
    return client;
  }

  /** Waits until the command has no child processes. */
  private static void awaitChildless(Child server) throws Exception {
    for (ProcessHandle each : server.process().descendants().toList()) {
      each.onExit().get(60, TimeUnit.SECONDS);
    }
    assertThat(server.process().descendants()).isEmpty();
  }

  /**
   * Debugs a program with a function {@code twice} of the argument {@code n}, which is called with
   * 21, and that exits with 3.
   *
   * @param line the line of the first statement of the function
   */
  private void debug(Child server, Peer client, String program, String file, int line)
      throws Exception {
    assertThat(text(call(
            client,
            "set_breakpoints",
            "{'file':'" + file + "','breakpoints':[{'line':" + line + "}]}")))
        .isEqualTo(file + ":" + line + ": breakpoint kept for the next launch");
    Json stopped = call(client, "launch", "{'program':'" + program + "','timeout':50}");
    assertThat(text(stopped))
        .contains("Stopped (breakpoint) in twice", " (" + file + ":" + line + "), thread ", "->");
    assertThat(at(stopped, "structuredContent", "frame", "line")).isEqualTo(Json.of(line));
    assertThat(text(call(client, "stack_trace", "{}"))).contains("twice", "main");
    assertThat(text(call(client, "variables", "{'path':['n']}"))).isEqualTo("n = 21 (int)");
    assertThat(text(call(client, "evaluate", "{'expression':'n + 1'}"))).contains("22");
    Json stepped = call(client, "step_over", "{'timeout':50}");
    assertThat(text(stepped)).contains("Stopped (step)");
    assertThat(at(stepped, "structuredContent", "frame", "line")).isEqualTo(Json.of(line + 1));
    assertThat(text(call(client, "variables", "{'path':['result']}")))
        .isEqualTo("result = 42 (int)");
    assertThat(text(call(client, "set_variable", "{'name':'result','value':'43'}")))
        .contains("43");
    Json ended = call(client, "continue", "{'timeout':50}");
    assertThat(text(ended)).contains("The program has ended with exit code 3.", "twice 43");
    awaitChildless(server);

    call(client, "restart", "{'timeout':50}");
    assertThat(server.process().descendants()).isNotEmpty();
    client.close();
    awaitChildless(server);
  }

  @Test
  void debugpyIsDrivenByAnMcpClient() throws Exception {
    String debugpy = RealAdapters.debugpy();
    Files.writeString(folder.resolve("main.py"), """
        import os, subprocess, sys

        def twice(n):
            result = 2 * n
            return result

        def main():
            print("twice", twice(21), flush=True)
            subprocess.run([sys.executable, "-c", "print('a child')"], check=True)
            os._exit(3)

        main()
        """);
    try (Child server = serve(debugpy);
        Peer client = connect(server)) {
      debug(server, client, "main.py", "main.py", 4);
    }
  }

  @Test
  void aProgramIsLaunchedOverHttpByTheCommand() throws Exception {
    String debugpy = RealAdapters.debugpy();
    Files.writeString(folder.resolve("main.py"), "print('begun', flush=True)\n");
    try (Child server = serve(debugpy, "http://127.0.0.1:0/mcp")) {
      Outcome outcome =
          Captured.run("", "mcp", "call", server.listening(), "launch", "program=main.py");
      assertThat(outcome.exit()).as(outcome.err()).isEqualTo(Exit.OK);
      assertThat(outcome.out()).contains("The program has ended with exit code 0.", "begun");
      awaitChildless(server);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.repartee.dap.RealAdapters#lldb")
  void lldbIsDrivenByAnMcpClient(String lldb) throws Exception {
    assumeThat(lldb).as("lldb is not installed").isNotEqualTo("none");
    Files.writeString(folder.resolve("main.c"), """
        #include <stdio.h>
        int twice(int n) {
          int result = 2 * n;
          return result;
        }

        int main() {
          printf("twice %d\\n", twice(21));
          return 3;
        }
        """);
    Process compiler = new ProcessBuilder("cc", "-g", "-O0", "-o", "main", "main.c")
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .start();
    assertThat(compiler.waitFor()).isZero();
    try (Child server = serve("exec:" + Json.of(List.of(lldb)));
        Peer client = connect(server)) {
      Json wrong = call(client, "launch", "{'program':'main.c','timeout':50}");
      assertThat(wrong.get("isError")).isEqualTo(Json.TRUE);
      debug(server, client, "main", "main.c", 3);
    }
  }

  @Test
  void aKilledAdapterIsReportedAndLeavesNoProgram() throws Exception {
    String debugpy = RealAdapters.debugpy();
    Files.writeString(folder.resolve("loop.py"), """
        import time
        print("begun", flush=True)
        while True:
            time.sleep(0.1)
        """);
    try (Child server = serve(debugpy);
        Peer client = connect(server)) {
      String seen = text(call(client, "launch", "{'program':'loop.py','timeout':0}"));
      while (!seen.contains("begun")) {
        seen = text(call(client, "output", "{}"));
      }
      assertThat(text(call(client, "pause", "{'timeout':50}"))).contains("loop.py");
      ProcessHandle adapter = server.process().children().findAny().orElseThrow();
      List<ProcessHandle> all = server.process().descendants().toList();
      assertThat(all).hasSizeGreaterThan(1);
      adapter.destroyForcibly();
      assertThat(text(call(client, "continue", "{'timeout':50}"))).contains("debug adapter");
      for (ProcessHandle each : all) {
        each.onExit().get(60, TimeUnit.SECONDS);
      }
      assertThat(text(call(client, "restart", "{'timeout':0}"))).contains("still runs");
      all = server.process().descendants().toList();
      server.terminate();
      for (ProcessHandle each : all) {
        each.onExit().get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void aConfigurationHasToBeAnObject() throws Exception {
    Path text = Files.writeString(folder.resolve("launch.json"), "[]");
    Outcome outcome = Captured.run(
        "",
        "mcp",
        "serve",
        "exec:x",
        "--as",
        "dap",
        "--configuration",
        text.toString(),
        "--listen",
        "tcp://127.0.0.1:0");
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(Exit.USAGE);
    assertThat(outcome.err()).contains("is not a JSON object; --configuration needs one");
  }
}
