package dev.repartee.conformance;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.transport.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Plays a script over HTTP. The first answer of the script is the reply. If the script has no
 * answer and no end, the reply never comes.
 */
final class HttpScriptServer implements ScriptedServer {
  private static final int MAX_CALL = 1 << 20;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
    Thread thread = new Thread(work, "conformance-http");
    thread.setDaemon(true);
    return thread;
  });
  private final String path;
  private volatile Script script = Script.of(Json.EMPTY_OBJECT);

  /** The script of the last call: only the first call of each script is checked. */
  private final AtomicReference<@Nullable Script> called = new AtomicReference<>();

  private volatile @Nullable String fault = "it made no call";

  HttpScriptServer(Endpoint endpoint) throws IOException {
    URI at = URI.create(endpoint.bare().toString());
    if (at.getHost() == null || at.getPort() < 0) {
      throw new IllegalArgumentException("'" + endpoint + "' is not http://HOST:PORT/");
    }
    path = at.getPath().isEmpty() ? "/" : at.getPath();
    server = HttpServer.create(new InetSocketAddress(at.getHost(), at.getPort()), 0);
    server.setExecutor(threads);
    server.createContext(path, this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Json call = parsed(exchange.getRequestBody().readNBytes(MAX_CALL));
      Script playing = script;
      if (called.getAndSet(playing) != playing) {
        fault = ScriptedServer.fault(call);
      }
      Json id = call == null ? null : call.get("id");
      List<byte[]> answers = Script.texts(playing.answers(), id == null ? Json.NULL : id);
      if (answers.isEmpty() && !playing.end()) {
        new Semaphore(0).acquire(); // until the server is closed
      }
      byte[] body = answers.isEmpty() ? new byte[0] : answers.get(0);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(playing.status(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static @Nullable Json parsed(byte[] text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return null;
    }
  }

  @Override
  public String uri() {
    InetSocketAddress at = server.getAddress();
    return "http://" + at.getAddress().getHostAddress() + ":" + at.getPort() + path;
  }

  @Override
  public void play(Json script) {
    this.fault = "it made no call";
    this.script = Script.of(script);
  }

  @Override
  public @Nullable String fault() {
    return fault;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
