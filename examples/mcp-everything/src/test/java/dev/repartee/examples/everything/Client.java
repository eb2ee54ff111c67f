package dev.repartee.examples.everything;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client over HTTP that speaks one revision, answers the questions of the server, and checks
 * every message of the server against the schema of that revision.
 */
final class Client implements AutoCloseable {
  private static final String META = "io.modelcontextprotocol/";
  private static final String EVENTS = "text/event-stream";
  private static final int MAX_ROUNDS = 5;

  /**
   * The member of the params that the header Mcp-Name repeats, for methods where it is not the
   * name.
   */
  private static final Map<String, String> NAMES = Map.of(
      "resources/read", "uri",
      "tasks/get", "taskId",
      "tasks/update", "taskId",
      "tasks/cancel", "taskId");

  private static final ExecutorService READERS = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "reader");
    thread.setDaemon(true);
    return thread;
  });
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /**
   * The result of a call.
   *
   * @param status the HTTP status of the last response
   * @param message the response message
   * @param before the notifications before it
   * @param asked the requests of the server in the meantime: objects with a method and params
   * @param rounds the number of requests that this client sent for the call
   */
  record Reply(int status, Json message, List<Json> before, List<Json> asked, int rounds) {
    Json result() {
      return Objects.requireNonNull(message.get("result"), message::toString);
    }

    Json error() {
      return Objects.requireNonNull(message.get("error"), message::toString);
    }

    int code() {
      return Objects.requireNonNull(error().get("code")).as(int.class);
    }

    /** Returns the text of the first content block of a tool result. */
    String text() {
      return at(result(), "content", 0, "text").as(String.class);
    }
  }

  final Era era;
  private final URI uri;
  private final Json capabilities;
  private final WireSchema schema;
  private final Map<String, Function<Json, Json>> answers = new LinkedHashMap<>();
  private final Map<String, String> headers;
  private final AtomicLong lastId = new AtomicLong();
  private @Nullable String session;
  private @Nullable String level;

  Client(Era era, URI uri, String capabilities) {
    this(era, uri, capabilities, Map.of());
  }

  /**
   * Creates a client.
   *
   * @param headers header fields of every request
   */
  Client(Era era, URI uri, String capabilities, Map<String, String> headers) {
    this.era = era;
    this.headers = headers;
    this.uri = uri;
    this.capabilities = Json.parse(capabilities);
    this.schema = WireSchema.of(era);
    if (era == Era.SESSIONS) {
      Reply reply = call(
          "initialize",
          Map.of(
              "protocolVersion", era.revision,
              "capabilities", this.capabilities,
              "clientInfo", Map.of("name", "test", "version", "1")));
      reply.result();
      notify("notifications/initialized", Map.of());
    }
  }

  /** Sets the answer to requests of a method, as a function of their params. */
  Client answering(String method, Function<Json, Json> answer) {
    answers.put(method, answer);
    return this;
  }

  /** Requests log messages from a level on. */
  Client logging(String level) {
    this.level = level;
    if (era == Era.SESSIONS) {
      call("logging/setLevel", Map.of("level", level)).result();
    }
    return this;
  }

  /** Returns the value at a path of names and indexes. */
  static Json at(@Nullable Json json, Object... path) {
    Json value = json;
    for (Object part : path) {
      value = value == null
          ? null
          : part instanceof Integer index ? value.at(index) : value.get((String) part);
    }
    return Objects.requireNonNull(value, () -> List.of(path) + " in " + json);
  }

  Reply tool(String name, String arguments) {
    return call("tools/call", Map.of("name", name, "arguments", Json.parse(arguments)));
  }

  /**
   * Calls a method, answers the questions of the server, and calls again if the revision works like
   * this.
   */
  Reply call(String method, Map<String, ?> params) {
    List<Json> before = new ArrayList<>();
    List<Json> asked = new ArrayList<>();
    Map<String, Object> all = new LinkedHashMap<>(params);
    for (int round = 1; ; round++) {
      Reply reply = once(method, all, before, asked);
      Json requests =
          reply.message.get("result") == null ? null : reply.result().get("inputRequests");
      if (requests == null || round == MAX_ROUNDS) {
        return new Reply(reply.status, reply.message, before, asked, round);
      }
      Map<String, Json> responses = new LinkedHashMap<>();
      requests.members().forEach((key, request) -> responses.put(key, answer(request, asked)));
      all.put("inputResponses", responses);
      all.put("requestState", reply.result().get("requestState"));
    }
  }

  /** Calls a method for one round only. */
  Reply once(String method, Map<String, ?> params) {
    return once(method, params, new ArrayList<>(), new ArrayList<>());
  }

  private Reply once(String method, Map<String, ?> params, List<Json> before, List<Json> asked) {
    try (Stream stream = open(method, params, lastId.incrementAndGet())) {
      Json answer = answer(method, stream, before, asked);
      if (answer != null) {
        return new Reply(stream.status, answer, before, asked, 1);
      }
      try (Stream again = listen(stream.lastEvent)) {
        answer = Objects.requireNonNull(answer(method, again, before, asked), "no answer again");
        return new Reply(again.status, answer, before, asked, 1);
      }
    }
  }

  /** Returns the response on a stream, or null if the stream ends before it. */
  private @Nullable Json answer(String method, Stream stream, List<Json> before, List<Json> asked) {
    for (Json message = stream.poll(method); message != null; message = stream.poll(method)) {
      if (message.get("method") == null) {
        return message;
      } else if (message.get("id") == null) {
        before.add(message);
      } else {
        post(Json.of(Map.of(
            "jsonrpc", "2.0",
            "id", at(message, "id"),
            "result", answer(message, asked))));
      }
    }
    return null;
  }

  private Json answer(Json request, List<Json> asked) {
    asked.add(request);
    String method = at(request, "method").as(String.class);
    Function<Json, Json> answer = answers.get(method);
    if (answer == null) {
      throw new AssertionError("the test has no answer to " + request);
    }
    Json params = request.get("params");
    return answer.apply(params == null ? Json.EMPTY_OBJECT : params);
  }

  /** Opens a request with an id; the caller reads the response. */
  Stream open(String method, Map<String, ?> params, long id) {
    Map<String, Object> all = new LinkedHashMap<>(params);
    if (era == Era.STATELESS) {
      Map<String, Object> meta = new LinkedHashMap<>();
      meta.put(META + "protocolVersion", era.revision);
      meta.put(META + "clientInfo", Map.of("name", "test", "version", "1"));
      meta.put(META + "clientCapabilities", capabilities);
      if (level != null) {
        meta.put(META + "logLevel", level);
      }
      if (params.get("_meta") instanceof Map<?, ?> more) {
        more.forEach((name, value) -> meta.put((String) name, value));
      }
      all.put("_meta", meta);
    }
    Map<String, Object> message = new LinkedHashMap<>();
    message.put("jsonrpc", "2.0");
    message.put("id", id);
    message.put("method", method);
    message.put("params", all);
    HttpRequest.Builder request =
        request(BodyPublishers.ofString(Json.of(message).toString()));
    if (era == Era.STATELESS) {
      request.header("Mcp-Method", method);
      Object name = params.get(NAMES.getOrDefault(method, "name"));
      if (name != null) {
        request.header("Mcp-Name", (String) name);
      }
    }
    return new Stream(send(request));
  }

  /** Opens the stream of messages that belong to no request, or resumes another stream. */
  Stream listen(@Nullable String lastEvent) {
    HttpRequest.Builder request =
        request(BodyPublishers.noBody()).method("GET", BodyPublishers.noBody());
    if (lastEvent != null) {
      request.header("Last-Event-ID", lastEvent);
    }
    return new Stream(send(request));
  }

  void notify(String method, Map<String, ?> params) {
    post(Json.of(Map.of("jsonrpc", "2.0", "method", method, "params", params)));
  }

  private void post(Json message) {
    HttpResponse<InputStream> response = send(request(BodyPublishers.ofString(message.toString())));
    if (response.statusCode() != 202) {
      throw new AssertionError(message + " was answered " + response.statusCode());
    }
  }

  private HttpRequest.Builder request(HttpRequest.BodyPublisher body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri)
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, " + EVENTS)
        .POST(body);
    if (era == Era.STATELESS || session != null) {
      request.header("MCP-Protocol-Version", era.revision);
    }
    if (session != null) {
      request.header("Mcp-Session-Id", session);
    }
    headers.forEach(request::header);
    return request;
  }

  private HttpResponse<InputStream> send(HttpRequest.Builder request) {
    try {
      HttpResponse<InputStream> response = HTTP.send(request.build(), BodyHandlers.ofInputStream());
      response.headers().firstValue("mcp-session-id").ifPresent(id -> session = id);
      return response;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    if (session != null) {
      send(request(BodyPublishers.noBody()).method("DELETE", BodyPublishers.noBody()));
    }
  }

  /** One server-sent event. */
  record Event(
      @Nullable String id, @Nullable String retry, @Nullable String data) {}

  /**
   * A response that is read as it arrives: one JSON message, or events until the server ends them.
   */
  final class Stream implements AutoCloseable {
    final int status;
    private final InputStream body;
    private final BufferedReader lines;
    private final boolean events;
    private boolean ended;

    @Nullable String lastEvent;

    private Stream(HttpResponse<InputStream> response) {
      this.status = response.statusCode();
      this.body = response.body();
      this.lines = new BufferedReader(new InputStreamReader(body, UTF_8));
      this.events = response.headers().firstValue("content-type").orElse("").startsWith(EVENTS);
    }

    /**
     * Returns the next message: the response to a call of {@code method}, or a message before it.
     */
    Json next(String method) {
      return Objects.requireNonNull(poll(method), () -> "nothing more came for " + method);
    }

    /** Returns the next message, or null at the end. */
    @Nullable Json poll(String method) {
      for (Event event = event(); event != null; event = event()) {
        if (event.data != null && !event.data.isEmpty()) {
          Json message = parse(event.data);
          schema.check(method, message);
          return message;
        }
      }
      return null;
    }

    private Json parse(String text) {
      try {
        return Json.parse(text);
      } catch (JsonException e) {
        throw new AssertionError("status " + status + " with a body that is not JSON: " + text, e);
      }
    }

    /** Returns the next event, or null at the end. */
    @Nullable Event event() {
      try {
        return events ? parsed() : whole();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private @Nullable Event whole() throws IOException {
      if (ended) {
        return null;
      }
      ended = true;
      return new Event(null, null, new String(body.readAllBytes(), UTF_8));
    }

    private @Nullable Event parsed() throws IOException {
      Map<String, String> fields = new LinkedHashMap<>();
      for (String line = line(); line != null; line = line()) {
        if (!line.isEmpty()) {
          int colon = line.indexOf(':');
          String before =
              fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
          assertThat(before).as("a message is on one line").isNull();
        } else if (fields.keySet().stream().anyMatch(name -> !name.isEmpty())) {
          lastEvent = fields.getOrDefault("id", lastEvent);
          return new Event(fields.get("id"), fields.get("retry"), fields.get("data"));
        } else {
          fields.clear(); // a comment
        }
      }
      return null;
    }

    /** Reads the next line. Another thread reads, because such a read cannot be interrupted. */
    private @Nullable String line() throws IOException {
      try {
        return READERS.submit(lines::readLine).get(60, TimeUnit.SECONDS);
      } catch (ExecutionException | TimeoutException e) {
        throw new IOException("nothing to read", e);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    /** Closes the stream, possibly before its end. */
    @Override
    public void close() {
      try {
        body.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
