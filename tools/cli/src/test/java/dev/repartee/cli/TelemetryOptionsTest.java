package dev.repartee.cli;

import static dev.repartee.Deadlines.Field.MEMBER;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.message.Dialect;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --metrics} and {@code --otlp} of serving commands. */
@Timeout(240)
class TelemetryOptionsTest {
  private static final String TCP = "tcp://127.0.0.1:0";
  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
  }

  private static HttpResponse<String> get(String uri) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(uri)));
  }

  private static String metrics(Child child) throws InterruptedException {
    String line = child.errLine();
    assertThat(line).startsWith("metrics at http://127.0.0.1:");
    return line.substring("metrics at ".length());
  }

  @Test
  void metricsAreServedAtTheirOwnEndpoint() throws Exception {
    try (Child server = Child.start("serve", "--listen", TCP, "--metrics", "http://127.0.0.1:0")) {
      String uri = server.listening();
      String metrics = metrics(server);
      assertThat(metrics).endsWith("/metrics");
      try (Peer peer = Repartee.connect(uri)) {
        peer.call("subtract", int.class, 42, 23);
        HttpResponse<String> response = get(metrics);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("content-type").orElse(""))
            .startsWith("text/plain; version=0.0.4");
        assertThat(response.body())
            .contains("rpc_server_call_duration_seconds_count{rpc_method=\"subtract\"")
            .contains("repartee_server_connections_open{repartee_endpoint=\"" + uri + "\"} 1")
            .contains("repartee_memory_used_bytes{")
            .contains("# HELP target_info ");
      }
      URI address = URI.create(metrics);
      assertThat(get(metrics + "s").statusCode()).isEqualTo(404);
      assertThat(send(HttpRequest.newBuilder(address).POST(BodyPublishers.ofString("{}")))
              .statusCode())
          .isEqualTo(405);
      HttpRequest.Builder openMetrics =
          HttpRequest.newBuilder(address).header("accept", "application/openmetrics-text");
      assertThat(send(openMetrics).body()).endsWith("# EOF\n");
      assertThat(headOfForeignHost(address)).contains(" 4").doesNotContain("rpc_server");
    }
  }

  /** Returns the response to a page of another host, as in an attack by DNS rebinding. */
  private static String headOfForeignHost(URI address) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.getPort())) {
      socket
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aBridgeMeasuresBothOfItsSides() throws Exception {
    try (Child server = Child.start("serve", "--listen", TCP);
        Child bridge = Child.start(
            "bridge",
            "--to",
            server.listening(),
            "--listen",
            TCP,
            "--metrics",
            "http://127.0.0.1:0/m");
        Peer peer = Repartee.connect(bridge.listening())) {
      String metrics = metrics(bridge);
      peer.call("subtract", int.class, 42, 23);
      assertThat(get(metrics).body())
          .contains("rpc_client_call_duration_seconds_count{rpc_method=\"subtract\"")
          .contains("rpc_server_call_duration_seconds_count{");
    }
  }

  @Test
  void aServedPlanMeasuresItsCallsToAgents(@TempDir Path folder) throws Exception {
    try (Child agent = Child.start("serve", "--listen", TCP)) {
      Path plan = Files.writeString(folder.resolve("plan.yaml"), """
          {"name":"plan","agents":{"a":"%s"},"steps":[{"agent":"a","skill":"subtract"}]}
          """.formatted(agent.listening()));
      try (Child server = Child.start(
          "agents",
          "serve",
          plan.toString(),
          "--as",
          "json-rpc",
          "--listen",
          TCP,
          "--metrics",
          "http://127.0.0.1:0")) {
        server.listening();
        assertThat(get(metrics(server)).body())
            .contains("rpc_client_call_duration_seconds_count{rpc_method=\"rpc.discover\"");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://0.0.0.0:0/metrics", "http://[::]:0", "https://192.0.2.1:0/#cert=c&key=k"})
  void anAddressThatOtherMachinesCanReachNeedsAnOption(String uri) {
    Outcome outcome = Captured.run("", "serve", "--listen", "stdio:", "--metrics", uri);
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains("other machines could read the metrics", "#hosts=NAME");
  }

  @ParameterizedTest
  @ValueSource(strings = {"9464", "tcp://127.0.0.1:0", "http:/metrics", "http://a:b@127.0.0.1:0/"})
  void metricsHaveAnEndpointOfHttp(String uri) {
    Outcome outcome = Captured.run("", "serve", "--listen", "stdio:", "--metrics", uri);
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .startsWith("repartee: --metrics: ")
        .contains("example: --metrics http://127.0.0.1:9464/metrics");
  }

  @Test
  void spansAndMetricsReachACollectorBeforeTheEnd() throws Exception {
    Map<String, String> received = new ConcurrentHashMap<>();
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/", exchange -> {
      byte[] body = exchange.getRequestBody().readAllBytes();
      received.merge(
          exchange.getRequestURI().getPath(),
          new String(body, StandardCharsets.ISO_8859_1),
          String::concat);
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    collector.start();
    String url = "http://127.0.0.1:" + collector.getAddress().getPort();
    List<String> command = Child.command("mcp", "serve", "--class", "java.lang.StrictMath");
    Map<String, String> environment =
        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", url, "OTEL_SERVICE_NAME", "calculator");
    try (Child server = Child.start("serve", "--listen", TCP, "--otlp", url);
        Child mcp = Child.start(command, environment)) {
      try (Peer peer = Repartee.connect(server.listening())) {
        peer.call("subtract", int.class, 42, 23);
      }
      server.terminate();
      assertThat(server.outcome().exit()).isZero();
      assertThat(received.get("/v1/traces")).contains("subtract", "repartee");
      assertThat(received.get("/v1/metrics"))
          .contains("rpc.server.call.duration", "repartee.server.connections.open");

      mcp.in().write("""
              {"jsonrpc":"2.0","id":1,"method":"tools/list"}
              """.getBytes(StandardCharsets.UTF_8));
      mcp.in().close();
      assertThat(mcp.outcome().exit()).isZero();
      assertThat(received.get("/v1/traces")).contains("calculator", "mcp.method.name");
    } finally {
      collector.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "ws://127.0.0.1:0/"})
  void factsOfCallsTravelInMembers(String listen) throws Exception {
    Service service = Service.builder()
        .method("facts", call -> call.member("traceparent") + " " + call.timeLeft())
        .build();
    Options reading = Options.builder()
        .dialect(Dialect.withMembers(Dialect.PLAIN, "traceparent"))
        .deadlines(rules -> rules.accept(MEMBER))
        .build();
    try (Server server = Repartee.listen(TCP, service, reading);
        Child bridge = Child.start(
            "bridge", "--to", server.endpoint().toString(), "--listen", listen, "--members")) {
      Map<String, String> context = Map.of("TRACEPARENT", PARENT);
      String direct = call(context, server.endpoint().toString(), "facts");
      assertThat(direct).contains(PARENT, "PT");
      String bridged = call(context, bridge.listening(), "facts");
      assertThat(bridged).as("without --otlp").startsWith("\"null PT");
    }
  }

  /** Returns the result of a call with a time limit of 90 seconds. */
  private static String call(Map<String, String> environment, String uri, String method)
      throws Exception {
    List<String> command = Child.command("call", "--members", "--timeout", "90s", uri, method);
    try (Child call = Child.start(command, environment)) {
      Outcome outcome = call.outcome();
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      return outcome.out().strip();
    }
  }

  @Test
  void oneTraceContinuesThroughStreamsThatHaveNoHeaders() throws Exception {
    BlockingQueue<String> traces = new LinkedBlockingQueue<>();
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/v1/traces", exchange -> {
      byte[] body = exchange.getRequestBody().readAllBytes();
      traces.add(new String(body, StandardCharsets.ISO_8859_1));
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    });
    collector.start();
    String url = "http://127.0.0.1:" + collector.getAddress().getPort();
    String backend = Child.execUri("serve", "--listen", "stdio:", "--members", "--otlp", url);
    try (Child bridge =
        Child.start("bridge", "--to", backend, "--listen", TCP, "--members", "--otlp", url)) {
      List<String> command =
          Child.command("call", "--members", bridge.listening(), "subtract", "42", "23");
      try (Child call = Child.start(command, Map.of("TRACEPARENT", PARENT))) {
        assertThat(call.outcome().out().strip()).isEqualTo("19");
      }
      bridge.terminate();
      String id =
          new String(HexFormat.of().parseHex(PARENT.substring(3, 35)), StandardCharsets.ISO_8859_1);
      int spans = 0;
      while (spans < 3) { // server and client of the bridge, server of the backend
        String body = traces.poll(90, SECONDS);
        assertThat(body).as("spans of the trace after %d", spans).isNotNull();
        spans += body.split(Pattern.quote(id), -1).length - 1;
      }
    } finally {
      collector.stop(0);
    }
  }

  /** Answers each export with the same bytes, or never. */
  private static void accept(ServerSocket collector, byte[] answer, int times, Queue<Socket> open) {
    try {
      while (true) {
        Socket socket = collector.accept();
        open.add(socket);
        Thread thread = new Thread(() -> answer(socket, answer, times));
        thread.setDaemon(true);
        thread.start();
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  private static void answer(Socket socket, byte[] answer, int times) {
    try (socket;
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream()) {
      in.read(new byte[100]);
      for (int i = 0; i < times; i++) {
        out.write(answer);
      }
      out.flush();
      if (times == 0) {
        in.transferTo(OutputStream.nullOutputStream());
      }
    } catch (IOException e) {
      // The exporter has closed the connection.
    }
  }

  /** Serves calls beside a collector that gives the same answer to each export. */
  private static void requireOneReport(String answer, int times) throws Exception {
    Queue<Socket> open = new ConcurrentLinkedQueue<>();
    try (ServerSocket collector = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      byte[] bytes = answer.getBytes(StandardCharsets.US_ASCII);
      Thread thread = new Thread(() -> accept(collector, bytes, times, open));
      thread.setDaemon(true);
      thread.start();
      requireOneReport(collector.getLocalPort());
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  /**
   * Serves 5,000 calls, more than the queue of spans holds, and until the collector at the port is
   * reported.
   */
  private static void requireOneReport(int port) throws Exception {
    List<String> command =
        Child.command("serve", "--listen", TCP, "--otlp", "http://127.0.0.1:" + port);
    Map<String, String> hurry = Map.of(
        "OTEL_EXPORTER_OTLP_TIMEOUT", "500",
        "OTEL_BSP_SCHEDULE_DELAY", "20",
        "OTEL_METRIC_EXPORT_INTERVAL", "100");
    try (Child server = Child.start(command, hurry)) {
      String first = server.errLine();
      boolean isReported = false;
      while (!first.startsWith("listening on ")) { // the first export may be earlier
        isReported |= first.contains("cannot export spans");
        first = server.errLine();
      }
      try (Peer peer = Repartee.connect(first.substring("listening on ".length()))) {
        for (int i = 0; i < 5000 || !isReported; i++) {
          assertThat(peer.call("subtract", int.class, i, 1)).isEqualTo(i - 1);
          isReported |= i % 500 == 499 && server.errLineSoon().contains("cannot export spans");
        }
      }
      server.terminate();
      Outcome outcome = server.outcome();
      assertThat(outcome.exit()).isZero();
      String err = outcome.err();
      assertThat(err.lines().filter(line -> line.contains("spans"))).as(err).hasSize(1);
      assertThat(err.lines().filter(line -> line.contains("cannot export metrics")))
          .as(err)
          .hasSizeLessThanOrEqualTo(1);
      assertThat(err).doesNotContain("\tat ", "io.opentelemetry", "again");
    }
  }

  @Test
  void aCollectorThatNeverAnswersDelaysNoCall() throws Exception {
    requireOneReport("", 0);
  }

  @Test
  void aCollectorThatAnswersGarbageDelaysNoCall() throws Exception {
    requireOneReport("220 smtp.example ESMTP\r\n", 1);
  }

  @Test
  void aCollectorThatAnswersWithoutEndFillsNoMemory() throws Exception {
    String head = "HTTP/1.1 500 No\r\ncontent-length: 9000000000\r\n\r\n";
    requireOneReport(head + "x".repeat(8000), 100_000);
  }

  @Test
  void aCollectorThatIsDownIsReportedOnce() throws Exception {
    try (DeafPort port = new DeafPort()) {
      requireOneReport(port.number());
    }
  }
}
