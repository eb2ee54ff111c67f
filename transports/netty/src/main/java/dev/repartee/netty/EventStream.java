package dev.repartee.netty;

import dev.repartee.limits.LimitException;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.server.SseWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The server-sent events that may be the response to one request. The response becomes a stream
 * with its first event, or with the first comment that breaks a long silence. Until then it may
 * still be sent as a whole. Any thread adds events; the event loop writes them.
 *
 * <p>The event loop writes queued events in batches. The next batch follows when the socket has
 * accepted the one before. The events of a client that does not read therefore stay in the queue.
 * They cause no work on the event loop, and the queue schedules no further task.
 */
final class EventStream {
  /**
   * The nanoseconds without output after which a comment is sent. Proxies cut silent connections,
   * often after 30 s.
   */
  static final long SILENCE = TimeUnit.SECONDS.toNanos(15);

  /** The size in bytes from which a batch accepts no further event. */
  private static final int BATCH = 32 << 10;

  private static final ByteBuf COMMENT = Unpooled.unreleasableBuffer(comment());

  /** The form of the response. It changes once, from {@code UNDECIDED} to one of the others. */
  private enum Form {
    UNDECIDED,
    EVENTS,
    WHOLE
  }

  private final int max;
  private final FrameQueue<OutboundFrame> events;
  private final Supplier<HttpResponse> head;
  private final Runnable next;
  private Form form = Form.UNDECIDED; // guarded by this

  /** True after the last event was added. */
  private volatile boolean complete;

  /** The action for room in the queue; null if nobody waits for it. */
  private volatile @Nullable Runnable room;

  // Used by the event loop only.
  private boolean headed;
  private long lastMoved;

  /** True while the socket has not accepted the last batch. */
  private boolean leaving;

  /** True if {@link #write} must run again after the last batch. */
  private boolean owed;

  /**
   * Creates an undecided response.
   *
   * @param max the number of bytes of queued events from which senders of progress must wait
   * @param head makes the response head
   * @param next schedules another {@link #write}
   * @param now the time of the event loop, in nanoseconds
   */
  EventStream(int max, Supplier<HttpResponse> head, Runnable next, long now) {
    this.max = max;
    this.events = FrameQueue.served(max, "the client");
    this.head = head;
    this.next = next;
    this.lastMoved = now;
  }

  private static ByteBuf comment() {
    OutboundFrame out = new OutboundFrame(Integer.MAX_VALUE);
    new SseWriter(out).comment("").end();
    return Unpooled.wrappedBuffer(out.toBytes()).asReadOnly();
  }

  // ---------------------------------------------------------------- any thread

  /**
   * Makes the response a stream if its form is undecided.
   *
   * @return whether the response is a stream
   */
  synchronized boolean begin() {
    if (form == Form.UNDECIDED) {
      form = Form.EVENTS;
    }
    return form == Form.EVENTS;
  }

  /**
   * Decides that the response is sent as a whole, if its form is undecided.
   *
   * @return whether the response is sent as a whole
   */
  synchronized boolean decline() {
    if (form == Form.UNDECIDED) {
      form = Form.WHOLE;
    }
    return form == Form.WHOLE;
  }

  /** Returns whether the response is a stream. */
  synchronized boolean isBegun() {
    return form == Form.EVENTS;
  }

  /**
   * Adds an event with a message.
   *
   * @return whether the event loop must be notified
   * @throws LimitException if the memory budget is exhausted; the connection should end
   */
  boolean add(OutboundFrame message) {
    OutboundFrame event = new OutboundFrame(Integer.MAX_VALUE, message.size() + 16);
    new SseWriter(event).data(message.array(), 0, message.size()).end();
    return events.append(event);
  }

  /**
   * Adds an event of an {@link dev.repartee.transport.http.HttpService}, which does not need to wait for
   * room.
   *
   * @return whether the event loop must be notified
   * @throws LimitException if the queue holds several times {@code outboundBytes}, or the memory
   *     budget is exhausted; the connection should end
   */
  boolean add(HttpReply.Event event) {
    if (events.isFlooded()) {
      throw new LimitException("outboundBytes", max);
    }
    byte[] data = event.data();
    OutboundFrame out = new OutboundFrame(Integer.MAX_VALUE, data == null ? 64 : data.length + 64);
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

  /** Declares that no further event follows. */
  void complete() {
    complete = true;
  }

  /**
   * Closes the queue and drops its events, because the client has disconnected. Runs on the event
   * loop.
   */
  void close() {
    events.close(null);
    List<OutboundFrame> dropped = new ArrayList<>();
    events.next(Long.MAX_VALUE, dropped);
    events.left(dropped);
  }

  /** Waits until the queue has room; see {@link dev.repartee.transport.FrameSink#awaitRoom}. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return events.awaitRoom(time, unit);
  }

  /** Sets the action for room; see {@link dev.repartee.transport.FrameSink#onRoom}. */
  void onRoom(Runnable action) {
    room = action;
  }

  // ---------------------------------------------------------------- the event loop

  /**
   * Writes the next batch of queued events, unless the previous batch is still being sent.
   *
   * @return the future of the end of the response; null while more events may follow
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    boolean last = complete; // read before the queue: if set, the queue holds all events
    writeHead(ctx);
    if (leaving) {
      owed = true;
      return null;
    }
    List<OutboundFrame> batch = new ArrayList<>();
    boolean emptied = events.next(BATCH, batch);
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
    boolean roomAgain = events.left(batch);
    leaving = false;
    Runnable waiting = room;
    if (roomAgain && waiting != null) {
      waiting.run();
    }
    if (owed && success) {
      owed = false;
      next.run();
    }
  }

  private void writeHead(ChannelHandlerContext ctx) {
    if (!headed) {
      headed = true;
      ctx.write(head.get());
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
