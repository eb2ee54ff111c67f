package dev.repartee.transport.http.server;

import dev.repartee.limits.LimitException;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server-sent events that may be the response to one request. The response becomes a stream
 * with its first event, or with the first comment that breaks a long silence. Until then it may
 * still be sent as a whole. Any thread adds events; the server writes them in batches, one at a
 * time. The events of a client that does not read therefore stay in the queue. Thread-safe.
 */
public final class EventStream {
  /** The size in bytes from which a batch accepts no further event. */
  private static final int BATCH = 32 << 10;

  /** The form of the response. It changes once, from {@code UNDECIDED} to one of the others. */
  private enum Form {
    UNDECIDED,
    EVENTS,
    WHOLE
  }

  private final int max;
  private final FrameQueue<OutboundFrame> events;
  private Form form = Form.UNDECIDED; // guarded by this

  /** True after the last event was added. */
  private volatile boolean complete;

  /** The action for room in the queue; null if nobody waits for it. */
  private volatile @Nullable Runnable room;

  /**
   * Creates an undecided response.
   *
   * @param max the number of bytes of queued events from which senders of progress must wait
   */
  EventStream(int max) {
    this.max = max;
    this.events = FrameQueue.served(max, "the client");
  }

  /** Returns an empty comment, which clients ignore. */
  public static byte[] comment() {
    OutboundFrame out = new OutboundFrame(Integer.MAX_VALUE);
    new SseWriter(out).comment("").end();
    return out.toBytes();
  }

  // ---------------------------------------------------------------- the exchange

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

  /**
   * Adds an event with a message.
   *
   * @return whether the server must be notified
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
   * @return whether the server must be notified
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

  /** Closes the queue and drops its events, because the client has disconnected. */
  void close() {
    events.abort(null);
  }

  /** Waits until the queue has room; see {@link dev.repartee.transport.FrameSink#awaitRoom}. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return events.awaitRoom(time, unit);
  }

  /** Sets the action for room; see {@link dev.repartee.transport.FrameSink#onRoom}. */
  void onRoom(Runnable action) {
    room = action;
  }

  // ---------------------------------------------------------------- the server

  /** Returns whether the response is a stream. */
  public synchronized boolean isBegun() {
    return form == Form.EVENTS;
  }

  /**
   * Returns whether no further event will be added. The server must read it before it empties the
   * queue: then the queue holds all events.
   */
  public boolean isComplete() {
    return complete;
  }

  /**
   * Moves the next events to write into a batch.
   *
   * @return true if the queue is empty; then the next event notifies the server
   */
  public boolean next(List<OutboundFrame> batch) {
    return events.next(BATCH, batch);
  }

  /** Releases a batch that the client's connection has accepted, or will never accept. */
  public void left(List<OutboundFrame> batch) {
    boolean roomAgain = events.left(batch);
    Runnable waiting = room;
    if (roomAgain && waiting != null) {
      waiting.run();
    }
  }
}
