package dev.repartee.a2a;

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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An HTTP client for tests: sends exactly the given headers and bodies. */
public final class Http {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final URI uri;
  private final Map<String, String> headers = new LinkedHashMap<>(
      Map.of("Content-Type", "application/json", "Accept", "application/json, text/event-stream"));

  public Http(Server server) {
    this(URI.create(server.endpoint().toString()));
  }

  private Http(URI uri) {
    this.uri = uri;
  }

  /** Returns a copy with a header; null removes the header. */
  public Http with(String name, @Nullable String value) {
    Http copy = at("");
    copy.headers.remove(name);
    if (value != null) {
      copy.headers.put(name, value);
    }
    return copy;
  }

  /** Returns a copy for another path of the same server. */
  public Http at(String path) {
    Http copy = new Http(path.isEmpty() ? uri : uri.resolve(path));
    copy.headers.clear();
    copy.headers.putAll(headers);
    return copy;
  }

  public HttpResponse<String> post(String body) throws IOException, InterruptedException {
    return CLIENT.send(
        request().POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  public HttpResponse<String> get() throws IOException, InterruptedException {
    return CLIENT.send(request().GET().build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Calls a method. Returns the response of JSON-RPC, which must have the status 200. */
  public Json call(String method, String params) throws IOException, InterruptedException {
    HttpResponse<String> response = post(body(method, params));
    if (response.statusCode() != 200) {
      throw new IOException("HTTP status " + response.statusCode() + ": " + response.body());
    }
    return Json.parse(response.body());
  }

  /** Calls a method that succeeds. Returns the result. */
  public Json result(String method, String params) throws IOException, InterruptedException {
    Json response = call(method, params);
    Json result = response.get("result");
    if (result == null) {
      throw new IOException(response.toString());
    }
    return result;
  }

  /** Calls a method that fails. Returns the error. */
  public Json error(String method, String params) throws IOException, InterruptedException {
    Json response = call(method, params);
    Json error = response.get("error");
    if (error == null) {
      throw new IOException(response.toString());
    }
    return error;
  }

  /** Calls a method that is answered with a stream. */
  public Events open(String method, String params) throws IOException, InterruptedException {
    HttpRequest request = request()
        .POST(HttpRequest.BodyPublishers.ofString(body(method, params)))
        .build();
    return new Events(CLIENT.send(request, HttpResponse.BodyHandlers.ofInputStream()));
  }

  private static String body(String method, String params) {
    return """
        {"jsonrpc":"2.0","id":"r-1","method":"%s","params":%s}""".formatted(method, params);
  }

  private HttpRequest.Builder request() {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60));
    headers.forEach(request::header);
    return request;
  }

  /** A stream of events. Each event is a response of JSON-RPC. */
  public static final class Events implements AutoCloseable {
    private final HttpResponse<InputStream> response;
    private final BufferedReader lines;

    Events(HttpResponse<InputStream> response) {
      this.response = response;
      this.lines = new BufferedReader(new InputStreamReader(response.body(), UTF_8));
    }

    public String type() {
      return response.headers().firstValue("content-type").orElse("");
    }

    /** Returns the next response; null at the end. */
    public @Nullable Json next() throws IOException {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("data:")) {
          return Json.parse(line.substring(5));
        }
      }
      return null;
    }

    /** Returns the next result. */
    public Json result() throws IOException {
      Json next = next();
      Json result = next == null ? null : next.get("result");
      if (result == null) {
        throw new IOException("no result: " + next);
      }
      return result;
    }

    /** Returns the results up to the end. */
    public List<Json> rest() throws IOException {
      List<Json> rest = new ArrayList<>();
      for (Json next = next(); next != null; next = next()) {
        Json result = next.get("result");
        rest.add(result == null ? next : result);
      }
      return rest;
    }

    /** Closes the connection without notice to the server. */
    @Override
    public void close() throws IOException {
      response.body().close();
    }
  }
}
