package dev.repartee.mcp.http;

import dev.repartee.transport.Attribute;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The response to one POST in a session. It is JSON, or an SSE stream if a message precedes the
 * answer. The client can resume the stream.
 *
 * <p>Thread-safe. The lock of this object guards the state: nothing sent (no stream), streaming (a
 * stream), over. The lock of the {@link ResumableStream} may be acquired while it is held, never
 * the reverse.
 */
final class SessionReply implements FrameSink, Resumable {
  /** The attribute of a call in a session that contains the response for its messages. */
  static final Attribute<SessionReply> REPLY = Attribute.named("MCP session reply");

  private final HttpSession session;
  private final HttpReply reply;

  private final int frameBytes;

  /** Runs if the answer is an error. */
  private final Runnable refused;

  private @Nullable ResumableStream stream; // guarded by this
  private boolean over; // guarded by this

  SessionReply(HttpSession session, HttpReply reply, int frameBytes, Runnable refused) {
    this.session = session;
    this.reply = reply;
    this.frameBytes = frameBytes;
    this.refused = refused;
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(frameBytes);
  }

  @Override
  public void abort(Throwable cause) {
    if (!reply.answer(500, Map.of(), new byte[0])) {
      end();
    }
  }

  @Override
  public void commit(OutboundFrame frame) {
    if (frame.isInitiated()) {
      tell(frame.toBytes());
    } else {
      answer(frame);
    }
  }

  private synchronized void answer(OutboundFrame frame) {
    Map<String, String> headers = new HashMap<>(session.headers());
    headers.put("content-type", "application/json");
    byte[] message = frame.toBytes();
    if (stream == null && reply.answer(200, headers, message)) {
      over = true;
    } else {
      tell(message);
      end();
    }
    if (frame.errorCode().isPresent()) {
      refused.run();
    }
  }

  /** Sends a message before the answer. */
  synchronized void tell(byte[] message) {
    if (!over) {
      stream().send(message);
    }
  }

  /**
   * Starts the stream of a call that has not sent a message for a long time. The client then has an
   * event id for resuming: connections are often lost while they are idle.
   */
  synchronized void breakSilence() {
    if (!over) {
      stream();
    }
  }

  private ResumableStream stream() {
    ResumableStream known = stream;
    if (known == null) {
      known = session.newStream();
      stream = known;
      known.attach(reply, session.headers(), 0L, session.session().takesEmptyEvents());
    }
    return known;
  }

  /** Ends the response. No more messages follow. */
  synchronized void end() {
    if (over) {
      return;
    }
    over = true;
    if (stream == null) {
      // A cancelled call is not answered, but the POST must be.
      if (reply.stream(session.headers())) {
        reply.end();
      } else {
        reply.answer(202, session.headers(), new byte[0]);
      }
    } else {
      stream.end();
    }
  }

  @Override
  public synchronized void closeSseStream(Duration retry) {
    if (!over && session.session().takesEmptyEvents() && reply.takesEvents()) {
      stream().closeSseStream(retry);
    }
  }

  @Override
  public boolean streams() {
    return reply.takesEvents();
  }

  /** Does not wait for a lost connection: the stream keeps the messages. */
  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    try {
      return reply.awaitRoom(time, unit);
    } catch (DisconnectedException e) {
      return true;
    }
  }
}
