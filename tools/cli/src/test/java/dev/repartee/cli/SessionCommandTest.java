package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code repartee session}. */
class SessionCommandTest {
  @TempDir
  Path temp;

  private static Server demo(String uri) throws Exception {
    return Repartee.listen(uri, Service.of(new Demo()));
  }

  @Test
  void eachLineIsACallOnTheSameConnection() throws Exception {
    try (Server server = demo("tcp://127.0.0.1:0")) {
      String uri = server.endpoint().toString();
      assertThat(Captured.run(
              "# a comment\n\nsubtract 42 23\nsubtract {\"minuend\":5,\"subtrahend\":3}\r\n"
                  + "  echo \"two words\"\necho [[1, 2]]\nnotify update 1 2\nsum\n"
                  + "countdown 1\nwhoami\nwhoami",
              "session",
              uri))
          .satisfies(outcome -> {
            assertThat(outcome.exit()).as(outcome.err()).isZero();
            List<String> lines = outcome.out().lines().toList();
            assertThat(lines.subList(0, 6))
                .containsExactly("19", "2", "\"two words\"", "[1, 2]", "0", "\"liftoff\"");
            assertThat(lines).hasSize(8);
            assertThat(lines.get(6)).isEqualTo(lines.get(7)); // the same port
            assertThat(outcome.err()).isEqualTo("progress: 1\n");
          });
    }
  }

  @Test
  void anErrorIsReportedAndTheSessionContinues() throws Exception {
    try (Server server = demo("mem:session-errors")) {
      Outcome outcome =
          Captured.run("fail 7 no\nsum 1 2\n", "session", server.endpoint().toString());
      assertThat(outcome).isEqualTo(new Outcome(1, "3\n", "{\"code\":7,\"message\":\"no\"}\n"));
    }
  }

  @Test
  void messagesOfThePeerAreShown() throws Exception {
    Service service = Service.builder()
        .method("go", call -> {
          call.peer().notify("log", "started");
          return call.peer().callAsync("name", Json.class).handle((name, error) -> "done");
        })
        .build();
    try (Server server = Repartee.listen("mem:session-peer", service)) {
      Outcome outcome = Captured.run("go\n", "session", server.endpoint().toString());
      assertThat(outcome.out()).isEqualTo("\"done\"\n");
      assertThat(outcome.err())
          .isEqualTo("notified: log [\"started\"]\n"
              + "called, and answered that there is no such method: name []\n");
    }
  }

  @Test
  void textThatTheServerPrintsIsReportedOnceBySessionAndCall() {
    String program = """
        echo Starting server; for id in 1 2; do read line; echo called; printf '{"jsonrpc":"2.0",\
        "result":%s,"id":%s}\\n' $id $id; done""";
    String uri = "exec:" + Json.of(List.of("sh", "-c", program));
    String report = "near 'Starting server'";
    assertThat(Captured.run("go\ngo\n", "session", uri)).satisfies(outcome -> {
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(outcome.out()).isEqualTo("1\n2\n");
      assertThat(outcome.err()).startsWith("repartee: exec:").contains(report).hasLineCount(1);
    });
    assertThat(Captured.run("", "call", uri, "go")).satisfies(outcome -> {
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(outcome.out()).isEqualTo("1\n");
      assertThat(outcome.err()).startsWith("repartee: exec:").contains(report).hasLineCount(1);
    });
  }

  @Test
  void callsOfThePeerGetTheAnswersOfTheCommandLine() throws Exception {
    Service service = Service.builder()
        .method(
            "go",
            call -> call.peer()
                .callAsync("name", Json.class)
                .thenCombine(
                    call.peer().callAsync("echo", Json.class, 7),
                    (name, echo) -> Json.of(List.of(name, echo))))
        .build();
    try (Server server = Repartee.listen("mem:session-answers", service)) {
      String uri = server.endpoint().toString();
      Outcome outcome = Captured.run(
          "go\n", "session", uri, "--answer", "name={\"a\":1}", "--answer", "echo=@params");
      assertThat(outcome.out()).isEqualTo("[{\"a\":1},[7]]\n");
      assertThat(outcome.err().lines())
          .containsExactlyInAnyOrder(
              "called, and answered: name []", "called, and answered: echo [7]");
      assertThat(Captured.run("", "session", uri, "--answer", "name").err())
          .contains("--answer takes METHOD=JSON");
    }
  }

  @Test
  void aMistakeInALineIsToldWithItsNumber() throws Exception {
    try (Server server = demo("mem:session-mistakes")) {
      String uri = server.endpoint().toString();
      Path file = Files.writeString(temp.resolve("calls.txt"), "sum 1\nsum [1,\n");
      Outcome outcome = Captured.run("", "session", uri, file.toString());
      assertThat(outcome.exit()).isEqualTo(2);
      assertThat(outcome.out()).isEqualTo("1\n");
      assertThat(outcome.err())
          .startsWith("repartee: line 2 of '" + file + "' has params that cannot be parsed: ");
      assertThat(Captured.run("""
          {"jsonrpc":"2.0"}
          """, "session", uri).err())
          .contains("line 1 of standard input starts with JSON", "repartee send");
    }
  }

  @Test
  void aCallThatTakesTooLongEndsTheSession() throws Exception {
    try (Server server = demo("mem:session-slow")) {
      Outcome outcome = Captured.run(
          "sleep 60000\nsum\n", "session", server.endpoint().toString(), "--timeout", "300ms");
      assertThat(outcome.exit()).isEqualTo(4);
      assertThat(outcome.out()).isEmpty();
      assertThat(outcome.err()).contains("no answer to 'sleep'");
    }
  }

  @Test
  void aLanguageServerIsUsedFromInitializeToExit() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/clangd")), "clangd is installed");
    Path code = Files.writeString(temp.resolve("a.c"), "int answer = 42;\nint x = answer;\n");
    Json text = Json.of(Files.readString(code));
    Path script = Files.writeString(
        temp.resolve("hover.txt"),
        "initialize {\"processId\":null,\"rootUri\":null,\"capabilities\":{}}\n"
            + "notify initialized {}\n"
            + "notify textDocument/didOpen {\"textDocument\":{\"uri\":\"" + code.toUri()
            + "\",\"languageId\":\"c\",\"version\":1,\"text\":" + text + "}}\n"
            + "textDocument/hover {\"textDocument\":{\"uri\":\"" + code.toUri()
            + "\"},\"position\":{\"line\":1,\"character\":10}}\n"
            + "shutdown\n"
            + "notify exit\n");
    Outcome outcome =
        Child.run("session", "exec:clangd --log=error#framing=content-length", script.toString());
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    List<String> results = outcome.out().lines().toList();
    assertThat(results).hasSize(3);
    assertThat(results.get(0)).contains("\"capabilities\"");
    assertThat(results.get(1)).contains("answer");
    assertThat(results.get(2)).isEqualTo("null");
  }
}
