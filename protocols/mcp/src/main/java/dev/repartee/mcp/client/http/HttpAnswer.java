package dev.repartee.mcp.client.http;

import dev.repartee.framing.SseReader;
import dev.repartee.limits.LimitException;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one answer: an event stream, or a whole body of bounded size. If the sink does
 * not accept an event or body, it is kept here and reading pauses.
 *
 * <p>The monitor guards all fields that are not volatile, and is held while the sink is called.
 * {@link #cancel} does not acquire it, since code that the sink calls may cancel other answers.
 */
final class HttpAnswer implements SseReader.Sink {
  private record Event(String type, byte[] data) {}

  private final HttpSink sink;
  private final HttpHead head;
  private final int limit;
  private final Runnable readOn;
  private final Runnable stop;
  private final @Nullable SseReader events;
  private final ByteArrayOutputStream whole = new ByteArrayOutputStream(0);
  private final Deque<Event> waiting = new ArrayDeque<>(0);
  private volatile boolean over;
  private boolean complete;
  private @Nullable Throwable cause;

  /**
   * @param limit the maximum size of the body or of an event, in bytes
   * @param readOn continues reading after {@link #content} has returned false
   * @param stop ends the request
   */
  HttpAnswer(HttpSink sink, HttpHead head, int limit, Runnable readOn, Runnable stop) {
    this.sink = sink;
    this.head = head;
    this.limit = limit;
    this.readOn = readOn;
    this.stop = stop;
    this.events = head.isStream() ? new SseReader(this, limit) : null;
  }

  /** Reads a piece of the body. Returns false if reading has to pause until {@code readOn} runs. */
  synchronized boolean content(byte[] bytes, int from, int to) {
    if (over) {
      return true;
    }
    try {
      read(bytes, from, to);
    } catch (LimitException e) {
      stop.run();
      complete(e);
      return true;
    }
    drain();
    return waiting.isEmpty();
  }

  private void read(byte[] bytes, int from, int to) {
    if (events != null) {
      events.read(bytes, from, to);
      sink.position(events.lastId());
    } else if (whole.size() + (long) to - from >= limit) {
      throw new LimitException("frameBytes", limit);
    } else {
      whole.write(bytes, from, to - from);
    }
  }

  @Override
  public void event(String type, String id, byte[] data, int from, int to) {
    waiting.add(new Event(type, Arrays.copyOfRange(data, from, to)));
  }

  @Override
  public void retry(Duration time) {
    sink.retry(time);
  }

  /** Offers the events or the body again that the sink did not accept. */
  synchronized void resume() {
    boolean wasWaiting = !waiting.isEmpty();
    drain();
    if (wasWaiting && waiting.isEmpty()) {
      readOn.run();
    }
  }

  private void drain() {
    while (!over && !waiting.isEmpty()) {
      Event next = waiting.element();
      if (!sink.event(next.type, next.data)) {
        return;
      }
      waiting.poll();
    }
    if (complete && !over && end()) {
      over = true;
    }
  }

  /**
   * Reports the end to the sink after the waiting events; {@code why} is null for an orderly end.
   */
  synchronized void complete(@Nullable Throwable why) {
    complete = true;
    cause = why;
    drain();
  }

  /** Reports the end. Returns false if the sink does not accept the body now. */
  private boolean end() {
    Throwable why = cause;
    if (events != null) {
      sink.ended(why);
    } else if (why == null) {
      return sink.body(head, whole.toByteArray());
    } else {
      sink.failed(HttpRequests.failure(why));
    }
    return true;
  }

  /** Stops reading without a report to the sink. */
  void cancel() {
    over = true;
  }
}
