package dev.repartee.mcp.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.repartee.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server with scripted answers. */
final class ScriptedServer implements AutoCloseable {
  static final String DISCOVERED = """
      {"resultType":"complete","supportedVersions":["2026-07-28"],\
      "capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}""";
  static final String INITIALIZED = """
      {"protocolVersion":"2025-11-25","capabilities":{"tools":{}},\
      "serverInfo":{"name":"scripted","version":"1"}}""";

  /** A received request. */
  record Heard(HttpExchange http, Json message) {
    String method() {
      Json method = message.get("method");
      return method == null ? "" : method.as(String.class);
    }

    Json id() {
      Json id = message.get("id");
      return id == null ? Json.NULL : id;
    }

    String header(String name) {
      return http.getRequestHeaders().getFirst(name);
    }

    void answer(int status, String type, String body) throws IOException {
      byte[] bytes = body.getBytes(UTF_8);
      if (!type.isEmpty()) {
        http.getResponseHeaders().set("Content-Type", type);
      }
      http.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      http.getResponseBody().write(bytes);
      http.close();
    }

    void result(String result) throws IOException {
      answer(200, "application/json", """
          {"jsonrpc":"2.0","id":%s,"result":%s}""".formatted(id(), result));
    }

    void error(int status, String error) throws IOException {
      answer(status, "application/json", """
          {"jsonrpc":"2.0","id":%s,"error":%s}""".formatted(id(), error));
    }
  }

  /** Answers a request. */
  interface Script {
    void answer(Heard heard) throws Exception;
  }

  final List<Heard> heard = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private ScriptedServer(Script script) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", http -> {
      byte[] body = http.getRequestBody().readAllBytes();
      Heard request = new Heard(http, body.length == 0 ? Json.EMPTY_OBJECT : Json.parse(body));
      heard.add(request);
      try {
        script.answer(request);
      } catch (Exception e) {
        http.close();
      }
    });
    server.start();
    Connector.forget(uri()); // an earlier server may have used the port
  }

  /** Starts a server. */
  static ScriptedServer of(Script script) throws IOException {
    return new ScriptedServer(script);
  }

  /**
   * Starts a server of the stateless revision. The script answers all requests except the first.
   */
  static ScriptedServer stateless(Script script) throws IOException {
    return of(request -> {
      if (request.method().equals("server/discover")) {
        request.result(DISCOVERED);
      } else {
        script.answer(request);
      }
    });
  }

  /** Starts a server with sessions. The script answers all requests except the handshake. */
  static ScriptedServer withSession(Script script) throws IOException {
    return of(request -> {
      switch (request.method()) {
        case "server/discover" -> request.answer(400, "text/plain", "no session");
        case "initialize" -> {
          request.http().getResponseHeaders().set("Mcp-Session-Id", "s1");
          request.result(INITIALIZED);
        }
        case "notifications/initialized" -> request.answer(202, "", "");
        default -> script.answer(request);
      }
    });
  }

  String uri() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/mcp";
  }

  /** Returns the number of requests of a method. */
  long count(String method) {
    return heard.stream().filter(request -> request.method().equals(method)).count();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
