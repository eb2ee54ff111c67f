package dev.repartee.netty;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A real browser, Chromium or Chrome, that opens one page of the test without a window. The page
 * reports its observations with {@code fetch("/seen", {method: "POST", body: ...})}.
 */
final class Browser implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 180;

  private final HttpServer pages;
  private final CompletableFuture<String> seen = new CompletableFuture<>();
  private volatile String page = "";

  Browser() throws IOException {
    pages = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    pages.createContext("/", exchange -> {
      boolean isReport = exchange.getRequestURI().getPath().equals("/seen");
      String report = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
      answer(exchange, isReport ? "" : page);
      if (isReport) {
        seen.complete(report);
      }
    });
    pages.start();
  }

  private static void answer(HttpExchange exchange, String html) throws IOException {
    byte[] body = html.getBytes(UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
    exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /** Returns the browser, if one is on the PATH. */
  static Optional<Path> executable() {
    List<String> folders =
        List.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
    return Stream.of("chromium", "chromium-browser", "google-chrome")
        .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns the origin of the page when it is opened under a name of this machine. */
  String origin(String host) {
    return "http://" + host + ":" + pages.getAddress().getPort();
  }

  /** Opens a page with a script under a host name, and returns the observations that it reports. */
  String open(String host, String script, Path folder) throws Exception {
    page = "<!DOCTYPE html><title>page</title><script type=\"module\">" + script + "</script>";
    Path log = folder.resolve("log");
    ProcessBuilder command = new ProcessBuilder(command(host, folder.resolve("profile")))
        .redirectErrorStream(true)
        .redirectOutput(log.toFile());
    command.environment().put("TMPDIR", folder.toString());
    Process process = command.start();
    try {
      return seen.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(
          "the browser reported nothing; its log: " + Files.readString(log), e);
    } finally {
      end(process);
    }
  }

  private List<String> command(String host, Path profile) {
    return List.of(
        executable().orElseThrow().toString(),
        "--headless=new",
        "--no-sandbox", // otherwise it refuses to run as root
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-breakpad",
        "--disable-extensions",
        "--disable-background-networking",
        "--disable-features=HttpsUpgrades,HttpsFirstBalancedMode",
        "--no-first-run",
        "--no-proxy-server",
        "--host-resolver-rules=MAP *.example 127.0.0.1",
        "--user-data-dir=" + profile,
        origin(host) + "/");
  }

  /**
   * Ends the browser with all its child processes, which would otherwise continue to write into the
   * profile. The browser is ended first, since it replaces a child process that has ended.
   */
  private static void end(Process process) throws Exception {
    List<ProcessHandle> all = new ArrayList<>(List.of(process.toHandle()));
    all.addAll(process.descendants().toList());
    all.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle each : all) {
      each.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Override
  public void close() {
    pages.stop(0);
  }
}
