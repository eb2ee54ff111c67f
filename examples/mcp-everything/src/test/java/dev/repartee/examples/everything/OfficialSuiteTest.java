package dev.repartee.examples.everything;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the official conformance suite against the example, its server and its client. The system property {@code
 * repartee.mcp.suite} names the folder in which the suite is installed, with Node.js 22 or newer:
 *
 * <pre>{@code npm install --prefix FOLDER node@24 @modelcontextprotocol/conformance@0.2.0-alpha.12}</pre>
 */
@EnabledIf(
    value = "isInstalled",
    disabledReason = "-Drepartee.mcp.suite names no folder that has the suite")
@Tag("ci")
class OfficialSuiteTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("repartee.mcp.suite", ""), "node_modules");
  private static final Path NODE = FOLDER.resolve("node/bin/node");
  private static final Path SUITE =
      FOLDER.resolve("@modelcontextprotocol/conformance/dist/index.js");

  /** The line that the suite prints for each scenario at the end. */
  private static final Pattern SCENARIO =
      Pattern.compile("(?m)^[✓✗] \\S+: \\d+ passed, \\d+ failed$");

  private static final Pattern FAILED = Pattern.compile("(?m)^✗ (\\S+): ");

  static boolean isInstalled() {
    return Files.isExecutable(NODE) && Files.exists(SUITE);
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(300)
  void everyScenarioPasses(Era era) throws Exception {
    try (Server server = Everything.server(null).listen("http://127.0.0.1:0/mcp")) {
      Process suite =
          run("server", "--url", server.endpoint().toString(), "--requirements", era.revision);
      String said = said(suite);
      int status = suite.waitFor();
      String summary = summary(said, era);

      assertThat(status).as(said).isZero();
      assertThat(SCENARIO.matcher(summary).results().count()).as(said).isGreaterThanOrEqualTo(30);
      assertThat(summary).as(said).doesNotContain("✗"); // not even in scenarios that do not count
    }
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(300)
  void everyScenarioOfAClientPasses(Era era) throws Exception {
    String said = said(runClient("--requirements", era.revision));
    String summary = summary(said, era);

    assertThat(SCENARIO.matcher(summary).results().count()).as(said).isGreaterThanOrEqualTo(20);
    // The suite starts some 25 JVMs at the same time. On a busy machine a client may be so late
    // that its server has closed an idle connection. Therefore a scenario that has failed runs
    // again, alone.
    List<String> failed = FAILED
        .matcher(summary)
        .results()
        .map(found -> found.group(1))
        .distinct()
        .toList();
    for (String scenario : failed) {
      Process alone = runClient("--scenario", scenario, "--spec-version", era.revision);
      String saidAlone = said(alone);
      assertThat(alone.waitFor()).as(said + saidAlone).isZero();
    }
  }

  private static Process runClient(String... arguments) throws IOException {
    Path client = Path.of(System.getProperty("repartee.root"), "examples/mcp-everything/client");
    List<String> all =
        new ArrayList<>(List.of("client", "--command", client.toString(), "--timeout", "120000"));
    all.addAll(List.of(arguments));
    return run(all.toArray(String[]::new));
  }

  private static String said(Process suite) throws IOException {
    return new String(suite.getInputStream().readAllBytes(), UTF_8);
  }

  private static String summary(String said, Era era) {
    String summary = said.substring(Math.max(0, said.indexOf("SUMMARY ===")));
    System.out.println(era.revision + "\n" + summary);
    return summary;
  }

  private static Process run(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(NODE.toString(), SUITE.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    // A JVM for each scenario lives for a second; the second compiler would cost a third of it.
    builder.environment().put("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    return builder.start();
  }
}
