package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Server;
import dev.repartee.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An HTTP client for tests: sends exactly the given headers and bodies. */
final class Http {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final URI uri;
  private final Map<String, String> headers = new LinkedHashMap<>(
      Map.of("Content-Type", "application/json", "Accept", "application/json, text/event-stream"));

  Http(Server server) {
    this(URI.create(server.endpoint().toString()));
  }

  Http(URI uri) {
    this.uri = uri;
  }

  /** Returns a copy with a header; null removes the header. */
  Http with(String name, @Nullable String value) {
    Http copy = new Http(uri);
    copy.headers.putAll(headers);
    copy.headers.remove(name);
    if (value != null) {
      copy.headers.put(name, value);
    }
    return copy;
  }

  /** Returns a copy for another path of the same server. */
  Http at(String path) {
    Http copy = new Http(uri.resolve(path));
    copy.headers.putAll(headers);
    return copy;
  }

  /**
   * Returns a copy for requests of 2026-07-28, with all required headers except {@code Mcp-Name}.
   */
  Http stateless(String method) {
    return with("MCP-Protocol-Version", "2026-07-28").with("Mcp-Method", method);
  }

  HttpResponse<String> post(String body) throws IOException, InterruptedException {
    return CLIENT.send(
        request().POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a POST without waiting for the response. */
  CompletableFuture<HttpResponse<String>> later(String body) {
    return CLIENT.sendAsync(
        request().POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> send(String method) throws IOException, InterruptedException {
    return CLIENT.send(
        request().method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** Sends a POST that may be answered with an SSE stream. */
  Events open(String body) throws IOException, InterruptedException {
    return events(request().POST(HttpRequest.BodyPublishers.ofString(body)).build());
  }

  /** Opens an SSE stream by GET. */
  Events listen() throws IOException, InterruptedException {
    return events(with("Accept", "text/event-stream").request().GET().build());
  }

  private static Events events(HttpRequest request) throws IOException, InterruptedException {
    return new Events(CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream()));
  }

  private HttpRequest.Builder request() {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30));
    headers.forEach(request::header);
    return request;
  }

  static Json json(HttpResponse<String> response) {
    return Json.parse(response.body());
  }

  /** An SSE event: its fields by name. */
  record Event(Map<String, String> fields) {
    Json json() {
      return Json.parse(String.valueOf(fields.get("data")));
    }
  }

  /** An SSE stream, read event by event. */
  static final class Events implements AutoCloseable {
    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    Events(HttpResponse<InputStream> response) {
      this.response = response;
      this.lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
    }

    int status() {
      return response.statusCode();
    }

    String type() {
      return response.headers().firstValue("content-type").orElse("");
    }

    /** Returns the next event; null at the end. */
    @Nullable Event next() throws IOException {
      Map<String, String> fields = new LinkedHashMap<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.isEmpty()) {
          if (!fields.isEmpty()) {
            return new Event(fields);
          }
        } else if (!line.startsWith(":")) {
          int colon = line.indexOf(':');
          fields.put(line.substring(0, colon), line.substring(colon + 1).stripLeading());
        }
      }
      return null;
    }

    /** Closes the connection without notice to the server. */
    @Override
    public void close() throws IOException {
      response.body().close();
    }
  }
}
