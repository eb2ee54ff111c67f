package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs those shell commands of the help texts that end without a signal; {@code PagesTest} in
 * {@code build/tests} runs those of the pages. The endpoints in the commands are replaced by those
 * of one server, or of a server or an MCP server of {@code java.lang.Math}. The commands share
 * nothing else and therefore run concurrently.
 */
@Tag("any-jdk")
@DisabledOnOs(OS.WINDOWS)
@Execution(ExecutionMode.CONCURRENT)
class ExamplesTest {
  private static final Pattern TCP = Pattern.compile("(?<=tcp://)127\\.0\\.0\\.1:\\d+");
  private static final Pattern HTTP = Pattern.compile("(?<=(http|ws)://)127\\.0\\.0\\.1:\\d+/");

  private static final Pattern HTTPS = Pattern.compile("(?<=https://)127\\.0\\.0\\.1:\\d+/");

  /** Commands without output, because they send only notifications or no messages. */
  private static final Pattern SILENT =
      Pattern.compile("^repartee (notify|mcp serve|send (tcp|http|ws):)");

  private static final int PATIENCE_SECONDS = 60;

  @TempDir
  static Path folder;

  private static Child server;
  private static Child secure;
  private static Child mathematics;
  private static Child tools;
  private static String http;
  private static String https;
  private static String tcp;
  private static String old;
  private static String mathematical;
  private static String mcp;

  @BeforeAll
  static void serve() throws Exception {
    Path command = folder.resolve("repartee");
    Files.writeString(
        command,
        Child.command().stream()
            .map(word -> "'" + word + "'")
            .collect(joining(" ", "#!/bin/sh\nexec ", " \"$@\"\n")));
    assertThat(command.toFile().setExecutable(true)).isTrue();
    String socket = "unix:" + folder.resolve("app.sock");
    server = Child.start(
        "serve",
        "--listen",
        "http://127.0.0.1:0/",
        "--listen",
        "tcp://127.0.0.1:0",
        "--listen",
        "tcp://127.0.0.1:0#envelope=jsonrpc-1.0",
        "--listen",
        socket);
    http = server.listening().substring("http://".length());
    tcp = server.listening().substring("tcp://".length());
    old = server.listening().replaceAll("^tcp://|#.*", "");
    server.listening();
    Pem.make(folder.resolve("cert.pem"), folder.resolve("key.pem"));
    String identity = "#cert=" + folder.resolve("cert.pem") + "&key=" + folder.resolve("key.pem");
    secure = Child.start("serve", "--listen", "https://127.0.0.1:0/" + identity);
    https = secure.listening().replaceAll("^https://|#.*", "");
    mathematics =
        Child.start("serve", "--class", "java.lang.Math", "--listen", "http://127.0.0.1:0/");
    mathematical = mathematics.listening().substring("http://".length());
    tools = Child.start(
        "mcp", "serve", "--class", "java.lang.Math", "--listen", "http://127.0.0.1:0/mcp");
    mcp = tools.listening().replaceAll("^http://|mcp$", "");
    String request = """
        {"jsonrpc":"2.0","method":"sum","id":1}
        """;
    Files.writeString(folder.resolve("request.json"), request);
    Files.writeString(folder.resolve("headers.txt"), "Authorization: Bearer TOKEN\n");
    Files.writeString(folder.resolve("requests.jsonl"), request);
    Files.writeString(folder.resolve("params.json"), "[\"value\"]\n");
    Files.writeString(
        folder.resolve("hover.txt"),
        "initialize {\"processId\":null,\"rootUri\":null,\"capabilities\":{}}\nshutdown\n");
  }

  @AfterAll
  static void stop() {
    server.close();
    secure.close();
    mathematics.close();
    tools.close();
  }

  static List<String> examples() {
    StringBuilder shown = new StringBuilder(help("--help"));
    for (String command : List.of("call", "session", "notify", "batch", "send", "check", "serve")) {
      shown.append(help(command, "--help"));
    }
    shown.append(help("mcp", "--help"));
    for (String command : List.of("tools", "call", "serve")) {
      shown.append(help("mcp", command, "--help"));
    }
    return shown
        .toString()
        .replaceAll("(\\\\|(?<=\\|))\\R\\s*", " ")
        .lines()
        .map(line -> line.replaceFirst(" +# .*", "")
            .replaceFirst("\\./repartee ", "repartee ")
            .strip())
        .filter(line -> line.matches("(echo .*\\| )?repartee .*"))
        .distinct()
        .filter(
            line -> !line.contains("check --client")) // starts 47 processes; see ConformanceTest
        .filter(line -> !line.contains("eth_subscribe")) // calls a node of Ethereum
        .filter(line -> !line.contains("debugpy")) // starts a debugger
        .filter(line -> !line.matches(".*\\b(nats|amqp|ssh):.*")) // needs a broker, or a machine
        .filter(line -> line.matches(
            ".*repartee ((call|notify|batch|send|check (http|tcp):) .*|.*--help|serve --listen"
                + " stdio:|session \\S+ \\S+.txt|mcp (tools|call) http://127.0.0.1:8646/.*|mcp"
                + " serve (tcp:\\S+|--class java\\S+))"))
        .toList();
  }

  private static String help(String... words) {
    Captured captured = new Captured("");
    assertThat(Main.run(captured.stdio(), words)).isZero();
    return captured.out().replaceFirst("(?s).*Examples:", "");
  }

  @ParameterizedTest
  @MethodSource("examples")
  void anExampleDoesWhatItSays(String example) throws Exception {
    assumeTrue(!example.contains("exec:clangd") || isInstalled("clangd"), "clangd is missing");
    String there =
        example.contains(":8646/") ? mcp : example.contains("hypot") ? mathematical : http;
    String stream = example.contains("#envelope=jsonrpc-1.0") ? old : tcp;
    String line = HTTP.matcher(TCP.matcher(example).replaceAll(stream)).replaceAll(there);
    line = HTTPS.matcher(line).replaceAll(https);
    // A loaded machine may need more time than the page allows, and more than a second of silence.
    line = line.replaceAll("--timeout \\d+", "--timeout " + PATIENCE_SECONDS);
    line = line.replaceFirst("(?<=\\| repartee send )", "--silence 10s ");
    line = line.replaceFirst("^repartee check (?!.*--timeout)", "$0--timeout 60s ");
    Path err = Files.createTempFile(folder, "err", null);
    ProcessBuilder shell =
        new ProcessBuilder("sh", "-c", line).directory(folder.toFile()).redirectError(err.toFile());
    shell.environment().merge("PATH", folder.toString(), (path, ours) -> ours + ":" + path);
    Process process = shell.start();
    try {
      process.getOutputStream().close();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(example + ": " + Files.readString(err)).isZero();
      if (!SILENT.matcher(example).find()) {
        assertThat(out).as(example).isNotBlank();
      }
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void theHelpHasExamples() {
    assertThat(examples()).hasSizeGreaterThan(20);
  }

  /** Returns whether a program is in a folder of the PATH. */
  static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
