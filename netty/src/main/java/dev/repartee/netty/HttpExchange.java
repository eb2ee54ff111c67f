package dev.repartee.netty;

import dev.repartee.Outlet;
import dev.repartee.Output;
import dev.repartee.Responder;
import org.jspecify.annotations.Nullable;

/**
 * One request that came in, until its answer has left. Whoever serves it may be any thread; what it
 * says is seen by the event loop once {@link #isSaid}.
 */
final class HttpExchange implements Outlet {
  private final HttpConnection connection;
  private final int frameBytes;

  /** Whether the connection goes on after the answer; of the event loop. */
  boolean keepAlive;

  /** What else the answer's header depends on. */
  final boolean oldVersion;

  final @Nullable String origin;

  /** How much the request counts towards what may be in flight. */
  final int size;

  private @Nullable Refusal refusal;
  private @Nullable Output reply;
  private Responder.@Nullable Exchanged exchanged;
  private volatile boolean said;

  HttpExchange(
      HttpConnection connection,
      int frameBytes,
      boolean keepAlive,
      boolean oldVersion,
      @Nullable String origin,
      int size) {
    this.connection = connection;
    this.frameBytes = frameBytes;
    this.keepAlive = keepAlive;
    this.oldVersion = oldVersion;
    this.origin = origin;
    this.size = size;
  }

  /** Answers with that instead of serving. */
  void refuse(Refusal why) {
    refusal = why;
    said = true;
  }

  /** This is what serves it. */
  void servedBy(Responder.Exchanged serving) {
    exchanged = serving;
    serving.whenDone(this::done);
  }

  @Override
  public Output open() {
    return new Output().limit(frameBytes - 1);
  }

  @Override
  public void commit(Output frame) {
    reply = frame;
    say();
  }

  @Override
  public void discard(Output frame) {}

  private void done() {
    if (!said) {
      say();
    }
  }

  private void say() {
    said = true;
    connection.said();
  }

  /** Whether all is known that the answer needs. */
  boolean isSaid() {
    return said;
  }

  @Nullable Refusal refusal() {
    return refusal;
  }

  /** The frame to answer with; null where there is none. */
  @Nullable Output reply() {
    return reply;
  }

  /** Nobody waits for the answer any more. */
  void abandon() {
    Responder.Exchanged serving = exchanged;
    if (serving != null) {
      serving.abandon();
    }
  }
}
