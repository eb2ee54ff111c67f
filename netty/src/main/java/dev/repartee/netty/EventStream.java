package dev.repartee.netty;

import dev.repartee.HttpReply;
import dev.repartee.LimitException;
import dev.repartee.Output;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one request as server-sent events, if it becomes that: the first event decides, or a
 * silence that has to be broken. Any thread adds events, the event loop writes them.
 */
final class EventStream {
  /** Proxies cut connections on which nothing moves, often after half a minute. */
  static final long SILENCE = TimeUnit.SECONDS.toNanos(15);

  private static final ByteBuf COMMENT = Unpooled.unreleasableBuffer(comment());

  private enum Form {
    UNDECIDED,
    EVENTS,
    WHOLE
  }

  private final int max;
  private final OutboundFrames events;
  private final Supplier<HttpResponse> head;
  private Form form = Form.UNDECIDED; // guarded by this
  private volatile boolean complete;

  // Of the event loop.
  private boolean headed;
  private long lastMoved;

  /**
   * @param max the bytes of events that may wait before progress waits for room
   * @param head makes the head of the answer
   * @param now the time of the event loop, in nanoseconds
   */
  EventStream(int max, Supplier<HttpResponse> head, long now) {
    this.max = max;
    this.events = OutboundFrames.served(max, "the client");
    this.head = head;
    this.lastMoved = now;
  }

  private static ByteBuf comment() {
    Output out = new Output();
    new SseWriter(out).comment("").end();
    return Unpooled.wrappedBuffer(out.toBytes()).asReadOnly();
  }

  // ---------------------------------------------------------------- any thread

  /** Whether the answer is this stream, which it becomes now unless that was decided. */
  synchronized boolean begin() {
    if (form == Form.UNDECIDED) {
      form = Form.EVENTS;
    }
    return form == Form.EVENTS;
  }

  /** Whether the answer comes as a whole instead, which is so from now on unless that was decided. */
  synchronized boolean decline() {
    if (form == Form.UNDECIDED) {
      form = Form.WHOLE;
    }
    return form == Form.WHOLE;
  }

  /** Whether the answer is this stream. */
  synchronized boolean isBegun() {
    return form == Form.EVENTS;
  }

  /**
   * Adds an event with that message.
   *
   * @return whether the event loop has to be told
   * @throws dev.repartee.LimitException if there is no room for it: the connection should end
   */
  boolean add(Output message) {
    Output event = new Output(message.size() + 16);
    new SseWriter(event).data(message.array(), 0, message.size()).end();
    return events.append(event);
  }

  /** The same for an event that is more than a message, of senders that need not wait for room. */
  boolean add(HttpReply.Event event) {
    if (events.isFlooded()) {
      throw new LimitException("outboundBytes", max);
    }
    byte[] data = event.data();
    Output out = new Output(data == null ? 64 : data.length + 64);
    SseWriter writer = new SseWriter(out);
    if (event.id() != null) {
      writer.id(event.id());
    }
    if (event.type() != null) {
      writer.event(event.type());
    }
    if (event.retry() != null) {
      writer.retry(event.retry());
    }
    if (data != null) {
      writer.data(data, 0, data.length);
    }
    writer.end();
    return events.append(out);
  }

  /** No further event follows. */
  void complete() {
    complete = true;
  }

  /** Nobody listens any more; on the event loop. */
  void shut() {
    events.shut(null);
    for (Output event = events.next(); event != null; event = events.next()) {
      events.left(event);
    }
  }

  /** Waits for room; see {@link dev.repartee.Outlet#awaitRoom}. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return events.awaitRoom(time, unit);
  }

  // ---------------------------------------------------------------- the event loop

  /**
   * Writes what has come.
   *
   * @return the end of the answer; null while more may follow
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    boolean last = complete; // asked first: all events are there if so
    writeHead(ctx);
    for (Output event = events.next(); event != null; event = events.next()) {
      Output leaving = event;
      ByteBuf bytes = Unpooled.wrappedBuffer(event.array(), 0, event.size());
      ctx.write(new DefaultHttpContent(bytes)).addListener(written -> events.left(leaving));
      lastMoved = ctx.executor().ticker().nanoTime();
    }
    return last ? ctx.write(LastHttpContent.EMPTY_LAST_CONTENT) : null;
  }

  private void writeHead(ChannelHandlerContext ctx) {
    if (!headed) {
      headed = true;
      ctx.write(head.get());
    }
  }

  /** The time until the silence has to be broken, in nanoseconds; not positive if it is now. */
  long untilComment(ChannelHandlerContext ctx) {
    return lastMoved + SILENCE - ctx.executor().ticker().nanoTime();
  }

  /** Writes something that says nothing. */
  void breakSilence(ChannelHandlerContext ctx) {
    writeHead(ctx);
    ctx.write(new DefaultHttpContent(COMMENT.duplicate()));
    lastMoved = ctx.executor().ticker().nanoTime();
  }
}
