package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A Prometheus server reads the metrics of the command, and runs the queries of the dashboard and
 * of the alert rules in docs/monitoring. Needs the Debian package {@code prometheus}.
 */
@Tag("ci")
@Timeout(300)
class PrometheusTest {
  private static final Path FILES = Path.of("../../docs/monitoring");
  private static final String METRICS = "http://127.0.0.1:0/metrics";

  /** The metrics of this toolkit and of its exporters. */
  private static final Pattern NAME =
      Pattern.compile("\\b(?:rpc_|mcp_|otel_sdk|repartee_(?:server|memory))[a-z_]+(?=[{ \\[)]|$)");

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final List<Child> SERVERS = new ArrayList<>();
  private static final List<String> TARGETS = new ArrayList<>();

  @TempDir
  static Path folder;

  private static HttpServer collector;
  private static Process prometheus;
  private static String api;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(has("prometheus") && has("promtool"), "Prometheus is not installed");
    collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/", exchange -> {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    collector.start();
    String backend = serve(
        "serve",
        "--listen",
        "tcp://127.0.0.1:0",
        "--otlp",
        "http://127.0.0.1:" + collector.getAddress().getPort());
    String bridge = serve("bridge", "--to", backend, "--listen", "tcp://127.0.0.1:0");
    String mcp =
        serve("mcp", "serve", "--class", "java.lang.StrictMath", "--listen", "tcp://127.0.0.1:0");
    try (Peer peer = Repartee.connect(bridge);
        Peer client = Repartee.connect(mcp)) {
      call(peer, "subtract", 42, 23);
      call(peer, "fail", 7, "no");
      call(peer, "missing");
      call(client, "ping");
    }
    startPrometheus();
  }

  private static boolean has(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
  }

  /** Starts a server with metrics and returns its endpoint. */
  private static String serve(String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--metrics", METRICS));
    Child child = Child.start(all.toArray(String[]::new));
    SERVERS.add(child);
    String uri = child.listening();
    TARGETS.add(child.errLine().substring("metrics at ".length()));
    return uri;
  }

  private static void call(Peer peer, String method, Object... params) throws Exception {
    try {
      peer.call(method, Json.class, params);
    } catch (RpcException e) {
      // A failed call has metrics, too.
    }
  }

  private static void startPrometheus() throws Exception {
    StringBuilder config = new StringBuilder("""
        global:
          scrape_interval: 500ms
          scrape_timeout: 500ms
        scrape_configs:
          - job_name: repartee
            static_configs:
              - targets:
        """);
    for (String target : TARGETS) {
      config.append("          - '").append(URI.create(target).getAuthority()).append("'\n");
    }
    Path file = Files.writeString(folder.resolve("prometheus.yml"), config);
    for (int attempt = 0; prometheus == null; attempt++) {
      int port;
      try (DeafPort free = new DeafPort()) {
        port = free.number();
      }
      Process started = new ProcessBuilder(
              "prometheus",
              "--config.file=" + file,
              "--storage.tsdb.path=" + folder.resolve("data"),
              "--web.listen-address=127.0.0.1:" + port)
          .redirectErrorStream(true)
          .redirectOutput(folder.resolve("log").toFile())
          .start();
      String server = "http://127.0.0.1:" + port;
      api = server + "/api/v1/query?query=";
      if (isReady(started, URI.create(server + "/-/ready"))) {
        prometheus = started;
      } else {
        started.destroyForcibly();
        assertThat(attempt).as(Files.readString(folder.resolve("log"))).isLessThan(3);
      }
    }
  }

  /**
   * Waits until Prometheus is ready; returns false if it has ended instead. The port opens before
   * the storage is ready, and queries are answered with 503 and a plain text until then.
   */
  private static boolean isReady(Process started, URI ready) throws Exception {
    while (started.isAlive()) {
      try {
        if (get(ready).statusCode() == 200) {
          return true;
        }
      } catch (IOException e) {
        // The port is not open yet.
      }
      if (started.waitFor(100, TimeUnit.MILLISECONDS)) {
        return false;
      }
    }
    return false;
  }

  private static HttpResponse<String> get(URI uri) throws Exception {
    return HTTP.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  @AfterAll
  static void stop() throws Exception {
    if (prometheus != null) {
      prometheus.destroyForcibly().waitFor();
    }
    SERVERS.forEach(Child::close);
    if (collector != null) {
      collector.stop(0);
    }
  }

  /** Returns the result of a query. */
  private static Json query(String text) throws Exception {
    URI uri = URI.create(api + URLEncoder.encode(text, UTF_8));
    String body = get(uri).body();
    Json answer = Json.parse(body);
    assertThat(answer.string("status")).as(text + "\n" + body).isEqualTo("success");
    return answer.get("data").get("result");
  }

  /** Requires data from a query, after some scrapes. */
  private static void requireData(String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (query(text).elements().isEmpty()) {
      assertThat(System.nanoTime()).as("no data: " + text).isLessThan(end);
      prometheus.waitFor(200, TimeUnit.MILLISECONDS);
    }
  }

  static List<String> panels() throws IOException {
    List<String> queries = new ArrayList<>();
    Json dashboard = Json.parse(Files.readString(FILES.resolve("grafana-dashboard.json")));
    for (Json panel : dashboard.get("panels").elements()) {
      Json targets = panel.get("targets");
      for (Json target : targets == null ? List.<Json>of() : targets.elements()) {
        queries.add(target.string("expr"));
      }
    }
    return queries;
  }

  @ParameterizedTest
  @MethodSource("panels")
  void eachPanelOfTheDashboardShowsData(String query) throws Exception {
    requireData(query
        .replace("$__rate_interval", "5m")
        .replace("$job", "repartee")
        .replace("$instance", ".*"));
  }

  static List<String> alerts() throws IOException {
    List<String> queries = new ArrayList<>();
    List<String> lines = Files.readAllLines(FILES.resolve("alert-rules.yml"));
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("        expr: ")) {
        String first = lines.get(i).strip().substring("expr: ".length());
        StringBuilder query = new StringBuilder(first.equals("|") ? "" : first);
        while (lines.get(i + 1).startsWith("          ")) {
          query.append(lines.get(++i).strip()).append(' ');
        }
        queries.add(query.toString());
      }
    }
    return queries;
  }

  @ParameterizedTest
  @MethodSource("alerts")
  void eachAlertReadsMetricsThatExist(String query) throws Exception {
    query(query);
    for (String name :
        new TreeSet<>(NAME.matcher(query).results().map(r -> r.group()).toList())) {
      requireData(name);
    }
  }

  @Test
  void theRulesAreValid() throws Exception {
    assertThat(promtool("", "check", "rules", FILES.resolve("alert-rules.yml").toString()))
        .contains("SUCCESS");
    assertThat(alerts()).hasSizeGreaterThan(5);
  }

  @Test
  void theNamesFollowTheConventionsOfPrometheus() throws Exception {
    for (String target : TARGETS) {
      String metrics = get(URI.create(target)).body();
      assertThat(promtool(metrics, "check", "metrics")).isEmpty();
    }
  }

  /** Runs promtool and returns its output. */
  private static String promtool(String in, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(words));
    Path out = Files.createTempFile(folder, "promtool", ".txt");
    Process process = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(out.toFile())
        .start();
    try (OutputStream stream = process.getOutputStream()) {
      stream.write(in.getBytes(UTF_8));
    }
    int exit = process.waitFor();
    assertThat(exit).as(Files.readString(out)).isZero();
    return Files.readString(out);
  }
}
