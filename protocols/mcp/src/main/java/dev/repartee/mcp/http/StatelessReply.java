package dev.repartee.mcp.http;

import dev.repartee.mcp.wire.Errors;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * The response to a request of 2026-07-28. It is JSON, or an SSE stream if a message precedes the
 * answer. Thread-safe.
 *
 * @param reply the HTTP response
 * @param status the HTTP status of errors without a specified status
 * @param frameBytes the maximum size of a message in bytes
 */
record StatelessReply(HttpReply reply, int status, int frameBytes) implements FrameSink {
  private static final Map<String, String> JSON = Map.of("content-type", "application/json");

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(frameBytes);
  }

  @Override
  public void commit(OutboundFrame frame) {
    byte[] message = frame.toBytes();
    if (!frame.isInitiated() && reply.answer(status(frame.errorCode()), JSON, message)) {
      return;
    }
    if (!reply.stream(Map.of())) {
      throw new DisconnectedException("the request was answered", null);
    }
    reply.send(HttpReply.Event.ofJson(message));
    if (!frame.isInitiated()) {
      reply.end();
    }
  }

  private int status(OptionalInt errorCode) {
    if (errorCode.isEmpty()) {
      return 200;
    }
    return switch (errorCode.getAsInt()) {
      case RpcError.METHOD_NOT_FOUND -> 404;
      case Errors.HEADER_MISMATCH,
          Errors.MISSING_CAPABILITY,
          Errors.UNSUPPORTED_VERSION,
          RpcError.PARSE_ERROR,
          RpcError.INVALID_REQUEST -> 400;
      default -> status;
    };
  }

  @Override
  public void abort(Throwable cause) {
    if (!reply.answer(500, Map.of(), new byte[0])) {
      reply.end();
    }
  }

  @Override
  public boolean streams() {
    return reply.takesEvents();
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return reply.awaitRoom(time, unit);
  }
}
