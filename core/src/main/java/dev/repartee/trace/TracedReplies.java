package dev.repartee.trace;

import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A sink that records the replies to a frame which has arrived without a connection. */
final class TracedReplies implements Trace.Replies {
  private final FrameSink sink;
  private final Trace trace;
  private final long number;
  private final AtomicBoolean ended = new AtomicBoolean();

  TracedReplies(FrameSink sink, Trace trace, long number) {
    this.sink = sink;
    this.trace = trace;
    this.number = number;
  }

  /** Returns the number of the exchange in the trace. */
  long number() {
    return number;
  }

  @Override
  public OutboundFrame open() {
    return sink.open();
  }

  @Override
  public void commit(OutboundFrame frame) {
    record(frame);
    sink.commit(frame);
  }

  @Override
  public void gather(OutboundFrame frame) {
    record(frame);
    sink.gather(frame);
  }

  private void record(OutboundFrame frame) {
    trace.frame(number, Direction.OUT, frame.array(), frame.textStart(), frame.size());
  }

  @Override
  public void flush() {
    sink.flush();
  }

  @Override
  public void flushSoon() {
    sink.flushSoon();
  }

  @Override
  public void discard(OutboundFrame frame) {
    sink.discard(frame);
  }

  @Override
  public void abort(Throwable cause) {
    ended(cause);
    sink.abort(cause);
  }

  @Override
  public boolean streams() {
    return sink.streams();
  }

  @Override
  public boolean takesAnswers() {
    return sink.takesAnswers();
  }

  @Override
  public void onRoom(Runnable action) {
    sink.onRoom(action);
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return sink.awaitRoom(time, unit);
  }

  @Override
  public void end() {
    ended(null);
  }

  private void ended(@Nullable Throwable cause) {
    if (!ended.getAndSet(true)) {
      trace.closed(number, cause);
    }
  }
}
