package dev.repartee.a2a.server;

import dev.repartee.json.Json;
import dev.repartee.json.JsonWriter;
import dev.repartee.message.Id;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The response to one request (section 9). It is JSON with the status 200, even for errors, or a
 * stream of server-sent events. Each event is a complete response of JSON-RPC. Thread-safe.
 */
final class StreamReply implements FrameSink {
  /** The attribute of a call that contains its response. */
  static final Attribute<StreamReply> KEY = Attribute.named("A2A reply");

  private static final Map<String, String> JSON = Map.of("content-type", "application/json");
  private static final Map<String, String> STREAM = Map.of("cache-control", "no-store");

  private final HttpReply reply;
  private final int frameBytes;

  /** Whether the result is sent as an event; an error before the first event is sent as JSON. */
  private volatile boolean streams;

  private volatile boolean started;

  StreamReply(HttpReply reply, int frameBytes) {
    this.reply = reply;
    this.frameBytes = frameBytes;
  }

  /** Returns whether the client accepts events. */
  boolean takesEvents() {
    return reply.takesEvents();
  }

  /** Makes the result of the call the last event of a stream. */
  void expectStream() {
    streams = true;
  }

  /**
   * Sends an event.
   *
   * @throws DisconnectedException if the client has disconnected, or the stream has ended
   */
  void event(Id id, Json result) {
    start();
    byte[] frame = new JsonWriter()
        .ascii("{\"jsonrpc\":\"2.0\",\"id\":")
        .json(id.json())
        .ascii(",\"result\":")
        .json(result)
        .put('}')
        .toBytes();
    reply.send(HttpReply.Event.ofJson(frame));
  }

  private void start() {
    started = true;
    if (!reply.stream(STREAM)) {
      throw new DisconnectedException("the request was answered", null);
    }
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(frameBytes);
  }

  @Override
  public void commit(OutboundFrame frame) {
    byte[] message = frame.toBytes();
    boolean event = started || streams && frame.errorCode().isEmpty();
    if (!event) {
      reply.answer(200, JSON, message);
      return;
    }
    start();
    reply.send(HttpReply.Event.ofJson(message));
    reply.end();
  }

  @Override
  public void abort(Throwable cause) {
    if (!reply.answer(500, Map.of(), new byte[0])) {
      reply.end();
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return reply.awaitRoom(time, unit);
  }
}
