package dev.repartee.mcp;

import dev.repartee.HttpReply;
import dev.repartee.Outlet;
import dev.repartee.Output;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the requests of one POST in a session are answered with: JSON, or once something is told before
 * that a stream of events, which the client may lose and come back to. Thread-safe.
 */
final class SessionReply implements Outlet, Resumable {
  private final HttpSession session;
  private final HttpReply reply;

  private final int frameBytes;

  /** What to do where the answer is an error. */
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
  public Output open() {
    return new Output().limit(frameBytes);
  }

  @Override
  public void discard(Output frame) {}

  @Override
  public void breakOff(Throwable cause) {
    if (!reply.answer(500, Map.of(), new byte[0])) {
      end();
    }
  }

  @Override
  public void commit(Output frame) {
    if (frame.isInitiated()) {
      tell(frame.toBytes());
    } else {
      answer(frame);
    }
  }

  private synchronized void answer(Output frame) {
    Map<String, String> headers = new HashMap<>(session.headers());
    headers.put("content-type", "application/json");
    byte[] message = frame.toBytes();
    if (stream == null && reply.answer(200, headers, message)) {
      over = true;
    } else {
      tell(message);
      end();
    }
    if (frame.error() != null) {
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
   * Begins the stream of a call that is silent for long: its client is told where to come back to, since
   * a long silence is when connections are lost.
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
      known.attach(reply, session.headers(), 0L, session.primes());
    }
    return known;
  }

  /** Nothing more is to be said. */
  synchronized void end() {
    if (over) {
      return;
    }
    over = true;
    if (stream == null) {
      // A call that was cancelled has no answer, but its request must have one.
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
  public synchronized void letGo(Duration retry) {
    if (!over && session.primes() && reply.takesEvents()) {
      stream().letGo(retry);
    }
  }

  @Override
  public boolean streams() {
    return reply.takesEvents();
  }

  /** A connection that is lost keeps nobody waiting: what is said is kept. */
  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    try {
      return reply.awaitRoom(time, unit);
    } catch (dev.repartee.DisconnectedException e) {
      return true;
    }
  }
}
