package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Demo;
import dev.repartee.conformance.Check;
import dev.repartee.conformance.ClientCheck;
import dev.repartee.conformance.Outcome;
import dev.repartee.conformance.Report;
import dev.repartee.framing.Framing;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks that our servers and our client pass every applicable case of the corpus, and that
 * docs/conformance.md states these results. {@code -Drepartee.write=true} rewrites that page.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT) // most cases wait for silence or for the end of a connection
class ConformanceTest {
  private static final Path PAGE =
      Path.of(System.getProperty("repartee.root"), "docs/conformance.md");
  private static final String BEGIN = "<!-- From here on written by ConformanceTest. -->\n";

  @TempDir
  static Path folder;

  private final Map<String, Report> servers = new ConcurrentHashMap<>();
  private final Map<String, Report> clients = new ConcurrentHashMap<>();

  static Stream<String> endpoints() {
    List<String> all = new ArrayList<>();
    for (String transport : List.of("stdio", "tcp", "unix")) {
      for (Framing framing : Framing.values()) {
        if (framing != Framing.AUTO) {
          all.add(transport + " " + framing.label());
        }
      }
    }
    all.addAll(List.of("http", "ws", "mem"));
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("endpoints")
  void ourServerPassesEveryCase(String name) throws Exception {
    String[] words = name.split(" ");
    String framing = words.length == 1 ? "" : "#framing=" + words[1];
    Report report;
    if (words[0].equals("stdio")) {
      List<String> command = List.of(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-XX:TieredStopAtLevel=1",
          "-cp",
          System.getProperty("java.class.path"),
          "dev.repartee.cli.Main",
          "serve",
          "--listen",
          "stdio:" + framing);
      report = check("exec:" + Json.of(command) + framing);
    } else {
      String uri = switch (words[0]) {
        case "unix" -> "unix:" + folder.resolve(words[1] + ".sock");
        case "mem" -> "mem:conformance";
        case "tcp" -> "tcp://127.0.0.1:0";
        default -> "http://127.0.0.1:0/";
      };
      try (Server server = Repartee.listen(uri + framing, Service.of(new Demo()))) {
        String bound = server.endpoint().bare().toString();
        report =
            check((words[0].equals("ws") ? bound.replaceFirst("http", "ws") : bound) + framing);
      }
    }
    servers.put(name, report);
    assertThat(failed(report)).isEmpty();
  }

  private static Report check(String uri) throws Exception {
    // A server in a process may be late on a busy machine; no case waits for the limit.
    return Check.of(uri).timeout(Duration.ofSeconds(60)).run(verdict -> {});
  }

  static Stream<String> clientEndpoints() {
    return endpoints().filter(name -> name.matches("stdio lines|tcp .*|unix lines|http|ws"));
  }

  @ParameterizedTest
  @MethodSource("clientEndpoints")
  void ourClientPassesEveryCase(String name) throws Exception {
    String[] words = name.split(" ");
    String uri = switch (words[0]) {
      case "stdio" -> "stdio:";
      case "unix" -> "unix:" + folder.resolve("client.sock");
      case "tcp" -> "tcp://127.0.0.1:0#framing=" + words[1];
      default -> words[0] + "://127.0.0.1:0/";
    };
    Report report = ClientCheck.of("repartee", ConformanceTest::subtract)
        .listen(uri)
        .timeout(Duration.ofSeconds(60))
        .run(verdict -> {});
    clients.put(name, report);
    assertThat(failed(report)).isEmpty();
  }

  private static String subtract(String uri) throws IOException {
    // One case waits for this limit. For a child process it includes the start of its JVM.
    Duration timeout = Duration.ofSeconds(uri.startsWith("exec:") ? 15 : 5);
    Options options =
        Options.builder().limits(limits -> limits.callTimeout(timeout)).build();
    try (Peer peer = Repartee.connect(uri, options)) {
      return peer.call("subtract", Json.class, 42, 23).toString();
    }
  }

  private static List<String> failed(Report report) {
    return report.verdicts().stream()
        .filter(v -> v.outcome() == Outcome.FAILED)
        .map(v -> v.tested() + ": expected " + v.expected() + ", got " + v.got())
        .toList();
  }

  private static Map<String, Report> ordered(Stream<String> names, Map<String, Report> reports) {
    Map<String, Report> ordered = new LinkedHashMap<>();
    names.forEach(name -> ordered.put(name, reports.get(name)));
    return ordered;
  }

  @AfterAll
  void thePageStatesTheResults() throws Exception {
    if (servers.size() < endpoints().count()
        || clients.size() < clientEndpoints().count()) {
      return; // only some endpoints were selected
    }
    String page = Files.readString(PAGE);
    String kept = page.substring(0, page.indexOf(BEGIN) + BEGIN.length());
    String written = kept
        + ConformancePage.text(ordered(endpoints(), servers), ordered(clientEndpoints(), clients));
    if (Boolean.getBoolean("repartee.write")) {
      Files.writeString(PAGE, written);
    }
    assertThat(Files.readString(PAGE, UTF_8))
        .as("docs/conformance.md; -Drepartee.write=true writes it")
        .isEqualTo(written);
  }
}
