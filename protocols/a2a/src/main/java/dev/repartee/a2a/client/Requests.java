package dev.repartee.a2a.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.HttpException;
import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.a2a.types.AgentInterface;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.FieldException;
import dev.repartee.a2a.wire.Operation;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.internal.ThreadContext;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.message.Id;
import dev.repartee.message.JsonRpc;
import dev.repartee.message.Message;
import dev.repartee.message.Request;
import dev.repartee.message.Response;
import dev.repartee.trace.Direction;
import dev.repartee.trace.Trace;
import dev.repartee.transport.ChannelInfo;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends JSON-RPC requests in one version of A2A to one address. Thread-safe. */
final class Requests {
  private static final String STREAM = "text/event-stream";

  /** The maximum number of characters of an answer that an error message quotes. */
  private static final int MOST_QUOTED = 200;

  private final HttpCalls http;
  private final AgentInterface at;
  private final URI uri;
  private final A2aJson codec;
  private final List<String> extensions;
  private final Trace.@Nullable Connection traced;
  private final AtomicLong ids = new AtomicLong();

  /**
   * Creates a sender of requests.
   *
   * @param extensions the URIs of the extensions that the client uses
   */
  Requests(
      HttpCalls http,
      AgentInterface at,
      ProtocolVersion version,
      List<String> extensions,
      @Nullable Trace trace) {
    this.http = http;
    this.at = at;
    this.uri = URI.create(at.url());
    this.codec = A2aJson.lenient(version);
    this.extensions = extensions;
    this.traced = trace == null
        ? null
        : trace.connection(new ChannelInfo(
            uri.getScheme(),
            uri.getPort() < 0 ? uri.getHost() : uri.getHost() + ":" + uri.getPort(),
            "message"));
  }

  private void record(Direction direction, byte[] message) {
    if (traced != null) {
      traced.message(direction, message);
    }
  }

  /** Ends the trace of the messages. */
  void close() {
    if (traced != null) {
      traced.close();
    }
  }

  AgentInterface at() {
    return at;
  }

  A2aJson codec() {
    return codec;
  }

  HttpCalls http() {
    return http;
  }

  private Map<String, String> headers(String accept) {
    Map<String, String> headers = new HashMap<>(ThreadContext.current().fields());
    headers.put("Accept", accept);
    boolean isNew = codec.version() == ProtocolVersion.V1_0;
    if (isNew) {
      headers.put("A2A-Version", codec.version().number());
    }
    if (!extensions.isEmpty()) {
      headers.put(isNew ? "A2A-Extensions" : "X-A2A-Extensions", String.join(",", extensions));
    }
    return headers;
  }

  private String method(Operation operation) {
    String method = codec.version() == ProtocolVersion.V0_3 && operation == Operation.LIST_TASKS
        ? null
        : operation.method(codec.version());
    if (method == null) {
      throw new UnsupportedOperationException(
          "version 0.3 of the protocol cannot list tasks over JSON-RPC");
    }
    return method;
  }

  private HttpCalls.Answer post(String method, Json params, String accept) {
    byte[] frame = JsonRpc.write(new Request(Id.of(ids.incrementAndGet()), method, params));
    record(Direction.OUT, frame);
    HttpCalls.Answer answer = http.post(uri, frame, headers(accept));
    if (answer.status() != 200) {
      throw refused(answer);
    }
    return answer;
  }

  private HttpException refused(HttpCalls.Answer answer) {
    byte[] body = http.whole(uri, answer.body());
    record(Direction.IN, body);
    String text = new String(body, UTF_8);
    String quoted = text.substring(0, Math.min(text.length(), MOST_QUOTED))
        .replaceAll("[\\s\\p{Cc}]+", " ")
        .strip();
    return answer.refusal("the agent at " + uri + " answered with the HTTP status "
        + answer.status() + (quoted.isEmpty() ? "" : ": " + quoted));
  }

  /** Calls a method and reads its result. */
  <T> T call(Operation operation, Json params, Function<Json, T> reader) {
    String method = method(operation);
    HttpCalls.Answer answer = post(method, params, "application/json");
    return read(reader, result(method, http.whole(uri, answer.body())));
  }

  /** Opens a stream. If the agent answers with an error instead, throws it. */
  Body open(Operation operation, Json params) {
    String method = method(operation);
    HttpCalls.Answer answer = post(method, params, STREAM);
    if (answer.type().equals(STREAM)) {
      return answer.body();
    }
    result(method, http.whole(uri, answer.body()));
    throw new ProtocolException("the agent at " + uri + " answered '" + method
        + "' with one result in place of a stream of events");
  }

  /** Returns the result in a response. */
  Json result(String method, byte[] frame) {
    record(Direction.IN, frame);
    List<Message> messages;
    try {
      messages = JsonRpc.read(frame);
    } catch (JsonException e) {
      throw new ProtocolException(
          "the agent at " + uri + " has sent a text that is not JSON: " + e.getMessage());
    }
    if (messages.size() != 1 || !(messages.get(0) instanceof Response response)) {
      throw new ProtocolException(
          "the agent at " + uri + " has sent a message that is not a response of JSON-RPC");
    }
    if (response.error() != null) {
      throw new RemoteRpcException(method, uri.toString(), response.error());
    }
    return response.result() == null ? Json.NULL : response.result();
  }

  /** Reads a result. A result of another form is a violation of the protocol. */
  <T> T read(Function<Json, T> reader, Json result) {
    try {
      return reader.apply(result);
    } catch (FieldException e) {
      throw new ProtocolException("the agent at " + uri + " has sent an invalid result: "
          + e.field() + " " + e.description());
    }
  }
}
