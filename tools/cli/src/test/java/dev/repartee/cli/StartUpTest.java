package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.terminal.Stdio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that a program starts loads only the classes it needs for its first response. */
@Timeout(60)
class StartUpTest {
  @TempDir
  Path temp;

  private List<String> loaded(String request, String... words) throws Exception {
    return loaded("\"result\"", request, words);
  }

  private List<String> loaded(String answer, String request, String[] words) throws Exception {
    Path log = temp.resolve("classes.log");
    // With an archive the JVM also loads classes that were only referenced during its creation.
    List<String> options = List.of("-Xshare:off", "-Xlog:class+load:file=" + log);
    try (Child child = Child.start(options, words)) {
      child.in().write(request.getBytes(UTF_8));
      child.in().close();
      assertThat(child.outcome().out()).contains(answer);
    }
    return Files.readAllLines(log);
  }

  private static boolean isOf(String line, String library) {
    return line.contains(" " + library + ".") || line.contains(" " + library + " ");
  }

  @Test
  void aServerOnStandardInputParsesNoCommandLineAndLoadsNoLibrary() throws Exception {
    String subtract = """
        {"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}
        """;
    assertThat(loaded(subtract, "serve", "--listen", "stdio:"))
        .isNotEmpty()
        .noneMatch(
            line -> isOf(line, "picocli") || isOf(line, "io.netty") || isOf(line, "tools.jackson"));
  }

  @Test
  void aServerWithoutTelemetryLoadsNoLibraryForIt() throws Exception {
    String subtract = """
        {"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}
        """;
    assertThat(loaded(subtract, "serve", "--listen", "stdio:", "--quota", "100/s"))
        .isNotEmpty()
        .noneMatch(line -> isOf(line, "io.opentelemetry")
            || isOf(line, "io.prometheus")
            || isOf(line, "java.net.http"));
  }

  @Test
  void anMcpServerOfAClassLoadsNeitherNettyNorJacksonNorCryptography() throws Exception {
    String ping = """
        {"jsonrpc":"2.0","id":1,"method":"ping"}
        """;
    assertThat(loaded(ping, "mcp", "serve", "--class", "java.lang.StrictMath"))
        .isNotEmpty()
        .noneMatch(line -> isOf(line, "io.netty")
            || isOf(line, "tools.jackson")
            || isOf(line, "java.security.SecureRandom")
            || isOf(line, "javax.crypto"));
  }

  @Test
  void anMcpClientWithoutALoginLoadsNoOAuth() throws Exception {
    String server = Child.execUri("mcp", "serve", "--class", "java.lang.StrictMath");
    assertThat(loaded("5\n", "", new String[] {"mcp", "call", server, "hypot", "arg0=3", "arg1=4"}))
        .isNotEmpty()
        .noneMatch(line -> isOf(line, "com.nimbusds") || isOf(line, "dev.repartee.mcp.oauth"));
  }

  @Test
  void aCallOverHttpLoadsNoSshAndNoXmpp() throws Exception {
    assertThat(loaded("", "", new String[] {"call", "http://127.0.0.1:1/", "ping"}))
        .isNotEmpty()
        .noneMatch(line -> isOf(line, "org.apache.sshd") || isOf(line, "org.jivesoftware"));
  }

  @Test
  void aCallOverHttpDoesNotStartTheFlightRecorder() throws Exception {
    Service service = Service.builder().method("color", call -> "green").build();
    try (Server server = Repartee.listen("http://127.0.0.1:0", service)) {
      String[] words = {"call", server.endpoint().toString(), "color"};
      assertThat(loaded("green", "", words))
          .anyMatch(line -> isOf(line, "io.netty.buffer"))
          .noneMatch(line -> isOf(line, "jdk.jfr.internal.MetadataRepository"));
    }
  }

  @Test
  void aMachineWithoutHardwareAddressesCausesNoWarning() throws Exception {
    try (Child allowed = withoutNetwork(List.of("true"))) {
      assumeTrue(allowed.outcome().exit() == 0, "no network namespace may be created here");
    }
    try (Child child = withoutNetwork(Child.command("call", "http://127.0.0.1:1/", "ping"))) {
      assertThat(child.outcome().err()).startsWith("repartee: cannot connect").hasLineCount(1);
    }
  }

  private static Child withoutNetwork(List<String> command) throws IOException {
    String script = "exec unshare --map-root-user --net"
        + " sh -c 'ip link set lo up && exec \"$@\"' sh \"$@\"";
    List<String> words = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    words.addAll(command);
    return Child.start(words, Map.of());
  }

  @Test
  void plainWordsAndOthersMeanTheSame() {
    Map<String, Boolean> plain = Map.of(
        "serve --listen stdio:", true,
        "serve --listen tcp://127.0.0.1:0 --listen stdio:", true,
        "serve", false,
        "serve --listen", false,
        "serve --listen --help", false,
        "serve --class java.lang.Math", false,
        "serve --listen stdio: --help", false,
        "call --listen stdio:", false);
    Stdio stdio = Stdio.ofProcess();
    plain.forEach(
        (words, expected) -> assertThat(ServeCommand.plain(stdio, words.split(" ")) != null)
            .as(words)
            .isEqualTo(expected));
  }
}
