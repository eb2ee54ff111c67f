package dev.repartee.benchmarks.peers;

import static dev.repartee.benchmarks.load.WireFormat.CONTENT_LENGTH;
import static dev.repartee.benchmarks.load.WireFormat.HTTP;
import static dev.repartee.benchmarks.load.WireFormat.HTTP_BATCH;
import static dev.repartee.benchmarks.load.WireFormat.HTTP_BEARER;
import static dev.repartee.benchmarks.load.WireFormat.HTTP_JWT;
import static dev.repartee.benchmarks.load.WireFormat.LINES;
import static dev.repartee.benchmarks.load.WireFormat.WEBSOCKET;
import static dev.repartee.benchmarks.load.Workload.PUSH;
import static dev.repartee.benchmarks.load.Workload.SLEEP;

import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Contestant.Plays;
import dev.repartee.benchmarks.load.Contestant.Serving;
import dev.repartee.benchmarks.load.Driver;
import dev.repartee.benchmarks.load.LoadGenerator;
import dev.repartee.benchmarks.load.VirtualThreads;
import dev.repartee.benchmarks.load.WireFormat;
import dev.repartee.benchmarks.load.Workload;
import io.opentelemetry.api.OpenTelemetry;
import java.util.List;
import java.util.stream.Stream;

/** The list of contestants. */
public final class Contestants {
  private static final String TCP = "tcp://127.0.0.1:0";
  private static final String WEB = "http://127.0.0.1:0/";
  private static final String LOW = "#latency=low";

  private static final Plays SUBTRACT = (workload, shape) -> workload == Workload.SUBTRACT;
  private static final Plays SINGLE =
      (workload, shape) -> workload == Workload.SUBTRACT && shape.inFlight() == 1;
  private static final Plays BOUND = (workload, shape) -> !workload.isRaw() && workload != SLEEP;

  private Contestants() {}

  /** Returns the raw echoes, then Repartee, then its peers. */
  public static List<Contestant> all() {
    return Stream.of(raw(), servers(), pairs(), peers()).flatMap(List::stream).toList();
  }

  /** Returns the contestant of that name. */
  public static Contestant named(String name) {
    return all().stream()
        .filter(contestant -> contestant.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no contestant '" + name + "'"));
  }

  private static List<Contestant> raw() {
    String loop = "a raw echo on a JDK selector";
    return List.of(
        called(
            "raw-loop", loop, "raw-loop", LINES, (w, s) -> w != SLEEP, w -> RawLoop.tcp(w, false)),
        called(
            "raw-loop-spin",
            loop + ", polling for 50 us before it sleeps",
            "raw-loop-spin",
            LINES,
            SUBTRACT,
            w -> RawLoop.tcp(w, true)),
        called(
            "raw-netty",
            "a raw echo on Netty, with epoll if available",
            "raw-loop",
            LINES,
            (w, s) -> !w.isTyped() && w != SLEEP,
            RawNetty::lines),
        called(
                "raw-threads",
                "a raw echo on blocking virtual threads",
                "raw-loop",
                LINES,
                SUBTRACT,
                RawThreads::serve)
            .requiring(VirtualThreads::lacks),
        new Contestant(
                "raw-sleep",
                "sleeping virtual threads, started and joined, without a server",
                "raw-sleep",
                (w, s) -> w == SLEEP,
                RawSleep::noServer,
                new RawSleep())
            .requiring(VirtualThreads::lacks),
        called(
            "raw-loop-unix",
            loop + ", Unix socket",
            "raw-loop-unix",
            LINES,
            SUBTRACT,
            RawLoop::unix),
        called(
            "raw-http",
            "Netty's HTTP/1.1 with a constant body",
            "raw-http",
            HTTP,
            SINGLE,
            RawNetty::http),
        called(
            "raw-tomcat",
            "a servlet with a constant body on Tomcat 11, HTTP/1.1",
            "raw-tomcat",
            HTTP,
            SINGLE,
            TomcatServers::constant),
        called(
            "raw-ws",
            "Netty's WebSocket with a constant message",
            "raw-ws",
            WEBSOCKET,
            SUBTRACT,
            RawNetty::webSocket));
  }

  /** Returns servers of Repartee with their defaults. */
  private static List<Contestant> servers() {
    String inline = "TCP, lines, inline handler";
    return List.of(
        called("repartee", inline, "raw-loop", LINES, (w, s) -> w != SLEEP, inline(TCP)),
        called(
            "repartee-spin",
            inline + ", " + LOW,
            "raw-loop-spin",
            LINES,
            SUBTRACT,
            inline(TCP + LOW)),
        called(
            "repartee-lane",
            "TCP, lines, a handler that may block",
            "raw-loop",
            LINES,
            (w, s) -> w != PUSH, // concurrent calls would mix their notifications
            w -> ReparteePeers.serve(TCP, ReparteeMethods::concurrent, w)),
        called(
            "repartee-validated",
            inline + ", params and results checked against an OpenRPC document",
            "raw-loop",
            LINES,
            SUBTRACT,
            workload -> ReparteePeers.serveValidated()),
        called(
            "repartee-telemetry",
            inline + ", spans and metrics of OpenTelemetry's SDK, which exports nothing",
            "raw-loop",
            LINES,
            SUBTRACT,
            workload -> TelemetryPeers.serve("tcp://127.0.0.1:0", TelemetryPeers.sdk())),
        called(
            "repartee-telemetry-by-hand",
            inline + ", a layer that makes the same span and duration with OpenTelemetry's SDK",
            "raw-loop",
            LINES,
            SUBTRACT,
            workload -> TelemetryPeers.serveByHand(TelemetryPeers.sdk())),
        called(
            "repartee-telemetry-off",
            inline + ", instrumented, without an SDK",
            "raw-loop",
            LINES,
            SUBTRACT,
            workload -> TelemetryPeers.serve("tcp://127.0.0.1:0", OpenTelemetry.noop())),
        called(
            "repartee-unix",
            "Unix socket, lines",
            "raw-loop-unix",
            LINES,
            SUBTRACT,
            w -> ReparteePeers.serveUnix()),
        called("repartee-http", "HTTP/1.1", "raw-http", HTTP, SINGLE, inline(WEB)),
        called(
            "repartee-http-telemetry",
            "HTTP/1.1, spans and metrics of OpenTelemetry's SDK, which exports nothing",
            "raw-http",
            HTTP,
            SINGLE,
            w -> TelemetryPeers.serve(WEB, TelemetryPeers.sdk())),
        called(
            "repartee-http-bearer",
            "HTTP/1.1, each request with a static Bearer token",
            "raw-http",
            HTTP_BEARER,
            SINGLE,
            w -> ReparteePeers.serveBearer()),
        called(
            "repartee-http-jwt",
            "HTTP/1.1, each request with the same signed token (RS256)",
            "raw-http",
            HTTP_JWT,
            SINGLE,
            w -> ReparteePeers.serveJwt()),
        called(
            "repartee-tomcat",
            "its servlet on Tomcat 11, HTTP/1.1",
            "raw-tomcat",
            HTTP,
            SINGLE,
            w -> TomcatServers.repartee()),
        called(
            "repartee-batch",
            "HTTP/1.1, batches of 100, each counted as 100 calls",
            "raw-http",
            HTTP_BATCH,
            SINGLE,
            inline(WEB)),
        called("repartee-ws", "WebSocket", "raw-ws", WEBSOCKET, SUBTRACT, inline(WEB)));
  }

  private static Serving inline(String uri) {
    return workload -> ReparteePeers.serve(uri, ReparteeMethods::inline, workload);
  }

  /** Returns Repartee on both sides: the client uses futures or waiting threads. */
  private static List<Contestant> pairs() {
    return List.of(
        pair("repartee-pair", "futures", BOUND, ""),
        pair("repartee-pair-spin", "futures", SUBTRACT, LOW),
        new Contestant(
            "repartee-pair-tls",
            "Repartee on both sides, TLS 1.3, lines, inline handler, futures",
            "raw-loop",
            BOUND,
            w -> ReparteePeers.serveTls(ReparteeMethods::inline),
            new Driver((server, w) ->
                ReparteePeers.connect("tls://127.0.0.1:" + server.place(), w, false))),
        pair("repartee-wait", "waiting threads", SINGLE, ""),
        pair("repartee-wait-spin", "waiting threads", SINGLE, LOW));
  }

  private static Contestant pair(String name, String client, Plays plays, String options) {
    boolean waits = client.startsWith("waiting");
    return new Contestant(
        name,
        "Repartee on both sides, TCP, lines, inline handler, " + client
            + (options.isEmpty() ? "" : ", " + options),
        "raw-loop",
        plays,
        w -> ReparteePeers.serveEach(TCP + options, ReparteeMethods::inline),
        new Driver((server, w) ->
            ReparteePeers.connect("tcp://127.0.0.1:" + server.port() + options, w, waits)));
  }

  private static List<Contestant> peers() {
    String nodelay = ", with TCP_NODELAY";
    String defaults = ", with its defaults";
    String jsonrpc4j = "jsonrpc4j's stream server and client, blocking, Jackson 2";
    String helidon = "Helidon's JSON-RPC, HTTP/1.1, virtual threads";
    String node = "vscode-jsonrpc on Node.js, TCP, Content-Length";
    return List.of(
        new Contestant(
            "grpc-unary",
            "grpc-java on both sides, unary calls, protobuf, direct executors",
            "raw-loop",
            (w, s) -> w == Workload.SUBTRACT || w.isTyped(),
            w -> GrpcServer.listen(),
            new Driver(Grpc::unary)),
        new Contestant(
            "grpc-bidi",
            "grpc-java on both sides, one stream a connection, protobuf, direct executors",
            "raw-loop",
            BOUND,
            w -> GrpcServer.listen(),
            new Driver(Grpc::stream)),
        new Contestant(
            "lsp4j",
            "Eclipse LSP4J on both sides, futures, Gson",
            "raw-loop",
            BOUND,
            w -> Lsp4j.serve(),
            new Driver(Lsp4j::connect)),
        jsonrpc4j("jsonrpc4j", jsonrpc4j + defaults, SINGLE, false),
        jsonrpc4j(
            "jsonrpc4j-nodelay",
            jsonrpc4j + nodelay,
            (w, s) -> s.inFlight() == 1 && (w == Workload.SUBTRACT || w.isTyped()),
            true),
        called(
            "jsonrpc4j-jetty",
            "jsonrpc4j's servlet on Jetty 12.1, HTTP/1.1, Jackson 2",
            "raw-http",
            HTTP,
            SINGLE,
            w -> JsonRpc4j.serveOnJetty()),
        called(
            "jsonrpc4j-tomcat",
            "jsonrpc4j's servlet on Tomcat 11, HTTP/1.1, Jackson 2",
            "raw-tomcat",
            HTTP,
            SINGLE,
            w -> TomcatServers.jsonrpc4j()),
        called(
            "spring-tomcat",
            "a @RestController of Spring MVC with a constant body on Tomcat 11, HTTP/1.1",
            "raw-tomcat",
            HTTP,
            SINGLE,
            TomcatServers::controller),
        helidon("helidon", helidon + defaults, false),
        helidon("helidon-nodelay", helidon + nodelay, true),
        node("vscode-jsonrpc", node + defaults, SINGLE, false),
        node("vscode-jsonrpc-nodelay", node + nodelay, (w, s) -> !w.isRaw(), true));
  }

  private static Contestant jsonrpc4j(String name, String about, Plays plays, boolean noDelay) {
    return new Contestant(
        name,
        about,
        "raw-loop",
        plays,
        w -> JsonRpc4j.serve(noDelay),
        new Driver((server, w) -> JsonRpc4j.connect(server, w, noDelay)));
  }

  private static Contestant helidon(String name, String about, boolean noDelay) {
    return called(name, about, "raw-http", HTTP, SINGLE, w -> OtherServers.helidon(noDelay))
        .requiring(VirtualThreads::lacks);
  }

  private static Contestant node(String name, String about, Plays plays, boolean noDelay) {
    return called(name, about, "raw-loop", CONTENT_LENGTH, plays, w -> OtherServers.node(noDelay))
        .requiring(jdk -> OtherServers.lacksNode());
  }

  /** Returns a server that the load generator calls. */
  private static Contestant called(
      String name, String about, String limit, WireFormat wire, Plays plays, Serving server) {
    return new Contestant(name, about, limit, plays, server, new LoadGenerator(wire));
  }
}
