package dev.repartee.examples.traces;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Editors use the server on the trace of the README: diagnostics arrive, a hover shows the request
 * of a response, the definition jumps to it, symbols are listed, and an edit removes a diagnostic.
 * The scripts in {@code src/test/resources} act as a user.
 */
@Timeout(120)
@Tag("ci")
@DisabledOnOs(OS.WINDOWS)
class EditorsTest {
  private static final String PARAMS =
      "the member 'params' is a string, but has to be an array or an object";
  private static final String UNKNOWN =
      "no request with the id \"4\" came before from the other side of this connection";
  private static final String HOVER =
      "hover: **response** to `sum`, id `1`, out, connection 1, at 1.377 ms ```json 7 ```"
          + " **request** `sum`, 0.173 ms before, line 3 ```json [ 1, 2, 4 ] ```";

  @TempDir
  Path folder;

  private List<String> run(String... command) throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(path -> Files.isExecutable(Path.of(path, command[0]))),
        command[0] + " is not installed; .ci/run installs it");
    Path trace = Files.copy(Path.of("calls.jsonl"), folder.resolve("calls.jsonl"));
    Path output = folder.resolve("output");
    Path errors = folder.resolve("errors");
    ProcessBuilder builder = new ProcessBuilder(command)
        .redirectInput(new File("/dev/null"))
        .redirectOutput(output.toFile())
        .redirectError(errors.toFile());
    builder.environment().put("SERVER", script());
    builder.environment().put("TRACE", trace.toString());
    Process editor = builder.start();
    try {
      assertThat(editor.waitFor(100, TimeUnit.SECONDS)).isTrue();
    } finally {
      editor.destroyForcibly();
    }
    String said = Files.readString(errors, UTF_8);
    assumeTrue(
        !said.contains("such file or directory\" \"eglot\""),
        "eglot is not installed; .ci/run installs it");
    assertThat(editor.exitValue()).as(said).isZero();
    return Files.readAllLines(output, UTF_8);
  }

  /** Returns a script that starts the server of this build; {@code ./server} might build another. */
  private String script() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String command = "exec '" + java + "' -cp '" + System.getProperty("java.class.path") + "' "
        + Main.class.getName() + "\n";
    Path script = Files.writeString(folder.resolve("server"), "#!/bin/sh\n" + command);
    assertThat(script.toFile().setExecutable(true)).isTrue();
    return script.toString();
  }

  @Test
  void neovimUsesTheServer() throws Exception {
    List<String> said = run(
        "nvim",
        "--headless",
        "-u",
        "NONE",
        "-n",
        "-i",
        "NONE",
        "-c",
        "luafile src/test/resources/neovim.lua");

    assertThat(said)
        .containsExactly(
            "diagnostic: 7:91-98 1 " + PARAMS,
            "diagnostic: 11:86-89 1 " + UNKNOWN,
            "diagnostic: 12:89-90 4 no response before the connection closes in line 13",
            HOVER,
            "definition: 3:76",
            "symbol: sum 0.173 ms",
            "symbol: report error -32800: Call cancelled (8.013 ms)",
            "symbol: sum error -32600: Invalid Request (0.020 ms)",
            "symbol: wait no response",
            "mended: 1",
            "end: of the server");
  }

  @Test
  void emacsWithEglotUsesTheServer() throws Exception {
    List<String> said = run("emacs", "-q", "--batch", "-l", "src/test/resources/emacs.el");

    assertThat(said)
        .containsExactly(
            "diagnostic: 7: \"1,2,4\" json-rpc: " + PARAMS,
            "diagnostic: 11: \"4\" json-rpc: " + UNKNOWN,
            "diagnostic: 12: 5 json-rpc: no response before the connection closes in line 13",
            HOVER,
            "definition: 3:76",
            "symbol: sum",
            "symbol: report",
            "symbol: sum",
            "symbol: wait",
            "mended: 1",
            "end: of the server");
  }
}
