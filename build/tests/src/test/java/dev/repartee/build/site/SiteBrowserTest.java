package dev.repartee.build.site;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.repartee.json.Json;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Opens the {@link Site} in a real browser: below a path of a server, and from the file system. */
@Tag("ci")
@EnabledIf(value = "isInstalled", disabledReason = "neither Chromium nor Chrome is on the PATH")
class SiteBrowserTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));

  /** Finds faults of accessibility. Npm has installed it in the folder of the property. */
  private static final Path AXE =
      Path.of(System.getProperty("repartee.axe", ""), "node_modules/axe-core/axe.min.js");

  private static final String FOLDER = "/some/folder/";
  private static final int PATIENCE_SECONDS = 180;
  private static final Map<String, String> TYPES = Map.of(
      "html", "text/html; charset=utf-8",
      "js", "text/javascript; charset=utf-8",
      "css", "text/css",
      "svg", "image/svg+xml",
      "png", "image/png");

  @TempDir
  static Path folder;

  private static Path site;
  private static Set<String> files;

  /**
   * The observations of {@code check.html}.
   *
   * @param faults serious and critical faults of accessibility, in light and dark
   * @param wide pages that scroll sideways at a width of 400 pixels
   * @param search the results of a search, best first
   * @param searchNothing the text after a search without results
   * @param theme the colours of the page before the switch is pressed, after, and after again
   * @param copyButtons the number of copy buttons on a page with code
   * @param notFound the links of a page that does not exist, two folders below the site
   */
  record Seen(
      List<String> faults,
      List<String> wide,
      List<String> search,
      String searchNothing,
      List<String> theme,
      int copyButtons,
      List<String> notFound) {}

  static boolean isInstalled() {
    return browser().isPresent();
  }

  private static Optional<Path> browser() {
    String[] folders = System.getenv().getOrDefault("PATH", "").split(File.pathSeparator);
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> Stream.of(folders).map(each -> Path.of(each, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  @BeforeAll
  static void render() throws IOException {
    site = folder.resolve("site");
    files = Site.render(ROOT, site);
  }

  @Test
  void thePagesCanBeUsedBelowAPathOfAServer() throws Exception {
    assumeTrue(Files.exists(AXE), "-Drepartee.axe names no folder with axe-core of npm");
    CompletableFuture<String> report = new CompletableFuture<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(FOLDER, SiteBrowserTest::page);
    server.createContext("/check.html", exchange -> answer(exchange, 200, "html", check()));
    server.createContext(
        "/axe.min.js", exchange -> answer(exchange, 200, "js", Files.readAllBytes(AXE)));
    server.createContext("/seen", exchange -> {
      report.complete(new String(exchange.getRequestBody().readAllBytes(), UTF_8));
      answer(exchange, 200, "html", new byte[] {' '});
    });
    server.start();
    String origin = "http://127.0.0.1:" + server.getAddress().getPort();
    Process process = start(origin + "/check.html");
    try {
      String text = report.get(PATIENCE_SECONDS, SECONDS);
      Seen seen = Json.parse(text).as(Seen.class);
      assertThat(seen.faults()).as(text).isEmpty();
      assertThat(seen.wide()).isEmpty();
      assertThat(seen.search()).first().isEqualTo(origin + FOLDER + "docs/reconnect.html");
      assertThat(seen.searchNothing()).startsWith("Nothing found");
      assertThat(seen.theme().get(0))
          .isEqualTo(seen.theme().get(2))
          .isNotEqualTo(seen.theme().get(1));
      assertThat(seen.copyButtons()).isPositive();
      assertThat(seen.notFound())
          .contains(origin + FOLDER + "index.html", origin + FOLDER + "docs/index.html");
    } finally {
      end(process);
      server.stop(0);
    }
  }

  @Test
  void thePagesCanBeSearchedFromTheFileSystem() throws Exception {
    Path page = site.resolve("docs/http.html");
    Process process =
        start("--virtual-time-budget=10000", "--dump-dom", page.toUri() + "?q=reconnect");
    try {
      String seen = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(seen)
          .contains("<a href=\"" + site.resolve("docs/reconnect.html").toUri() + "\"><strong>");
    } finally {
      end(process);
    }
  }

  /** Answers with a file of the site, or with the page for addresses that lead nowhere. */
  private static void page(HttpExchange exchange) throws IOException {
    String name = exchange.getRequestURI().getPath().substring(FOLDER.length());
    boolean exists = files.contains(name);
    String file = exists ? name : "404.html";
    String type = file.substring(file.lastIndexOf('.') + 1);
    answer(exchange, exists ? 200 : 404, type, Files.readAllBytes(site.resolve(file)));
  }

  private static byte[] check() throws IOException {
    List<String> pages = files.stream().filter(file -> file.endsWith(".html")).toList();
    return Site.resource("check.html")
        .replace("CASE", Json.of(List.of(FOLDER, pages)).toString())
        .getBytes(UTF_8);
  }

  private static void answer(HttpExchange exchange, int status, String type, byte[] body)
      throws IOException {
    exchange.getResponseHeaders().set("Content-Type", TYPES.getOrDefault(type, "text/plain"));
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Starts the browser without a window. */
  private static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(
        browser().orElseThrow().toString(),
        "--headless=new",
        "--no-sandbox", // otherwise it refuses to run as root
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-breakpad",
        "--disable-extensions",
        "--disable-background-networking",
        "--no-first-run",
        "--no-proxy-server",
        "--user-data-dir=" + Files.createTempDirectory(folder, "profile")));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command)
        .redirectError(Files.createTempFile(folder, "browser", ".log").toFile());
    builder.environment().put("TMPDIR", folder.toString());
    return builder.start();
  }

  /** Ends the browser, and then its child processes, which it would replace. */
  private static void end(Process process) throws Exception {
    List<ProcessHandle> all = new ArrayList<>(List.of(process.toHandle()));
    all.addAll(process.descendants().toList());
    all.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle each : all) {
      each.onExit().get(PATIENCE_SECONDS, SECONDS);
    }
  }
}
