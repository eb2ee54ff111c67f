package dev.repartee.netty;

import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.server.EventStream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes the events of one response, on the event loop. The next batch follows when the socket has
 * accepted the one before. A client that does not read therefore causes no work on the event loop,
 * and the queue schedules no further task.
 */
final class EventWriter {
  /**
   * The nanoseconds without output after which a comment is sent. Proxies cut silent connections,
   * often after 30 s.
   */
  static final long SILENCE = TimeUnit.SECONDS.toNanos(15);

  private static final ByteBuf COMMENT =
      Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(EventStream.comment()).asReadOnly());

  private final HttpExchange exchange;
  private final EventStream events;
  private boolean headed;
  private long lastMoved;

  /** True while the socket has not accepted the last batch. */
  private boolean leaving;

  /** True if {@link #write} must run again after the last batch. */
  private boolean owed;

  /**
   * Creates the writer of an undecided response.
   *
   * @param now the time of the event loop, in nanoseconds
   */
  EventWriter(HttpExchange exchange, EventStream events, long now) {
    this.exchange = exchange;
    this.events = events;
    this.lastMoved = now;
  }

  /** Returns whether the response is a stream. */
  boolean isBegun() {
    return events.isBegun();
  }

  /**
   * Writes the next batch of queued events, unless the previous batch is still being sent.
   *
   * @return the future of the end of the response; null while more events may follow
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    boolean last = events.isComplete();
    writeHead(ctx);
    if (leaving) {
      owed = true;
      return null;
    }
    List<OutboundFrame> batch = new ArrayList<>();
    boolean emptied = events.next(batch);
    if (!batch.isEmpty()) {
      leaving = true;
      owed = !emptied;
      lastMoved = ctx.executor().ticker().nanoTime();
      ctx.write(new DefaultHttpContent(bytes(batch)))
          .addListener(written -> left(batch, written.isSuccess()));
    }
    return last && emptied ? ctx.write(LastHttpContent.EMPTY_LAST_CONTENT) : null;
  }

  private static ByteBuf bytes(List<OutboundFrame> batch) {
    ByteBuf[] parts = new ByteBuf[batch.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = Unpooled.wrappedBuffer(batch.get(i).array(), 0, batch.get(i).size());
    }
    return Unpooled.wrappedBuffer(parts);
  }

  /** Releases a batch that the socket has accepted, and requests that the next one is written. */
  private void left(List<OutboundFrame> batch, boolean success) {
    leaving = false;
    events.left(batch);
    if (owed && success) {
      owed = false;
      exchange.writeLater();
    }
  }

  private void writeHead(ChannelHandlerContext ctx) {
    if (!headed) {
      headed = true;
      ctx.write(exchange.headOfEvents());
    }
  }

  /** Returns the nanoseconds until a comment is due; zero or less if it is due now. */
  long untilComment(ChannelHandlerContext ctx) {
    return lastMoved + SILENCE - ctx.executor().ticker().nanoTime();
  }

  /**
   * Writes an empty comment, which clients ignore. Writes none while a batch is being sent: then
   * there is no silence, and comments would accumulate after the batch.
   */
  void breakSilence(ChannelHandlerContext ctx) {
    writeHead(ctx);
    if (!leaving) {
      ctx.write(new DefaultHttpContent(COMMENT.duplicate()));
    }
    lastMoved = ctx.executor().ticker().nanoTime();
  }
}
