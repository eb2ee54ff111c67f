package dev.repartee.mcp.client.http;

import dev.repartee.framing.SseReader;
import dev.repartee.limits.LimitException;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of one answer: an event stream, or a whole body of bounded size. While the sink
 * takes no event, nothing more is read. The monitor guards all fields that are not volatile, and is
 * held while the sink is called; {@link #cancel} does not take it, since code that the sink calls
 * may cancel other answers.
 */
final class HttpAnswer implements BodySubscriber<Boolean>, SseReader.Sink {
  private record Event(String type, byte[] data) {}

  private final HttpSink sink;
  private final int limit;
  private final @Nullable SseReader events;
  private final ByteArrayOutputStream whole = new ByteArrayOutputStream(0);
  private final Deque<Event> waiting = new ArrayDeque<>();
  private final CompletableFuture<Boolean> body = new CompletableFuture<>();
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean over;
  private boolean complete;
  private @Nullable Throwable cause;

  /**
   * @param isStream whether the body is an event stream
   * @param limit the maximum size of the body or of an event, in bytes
   */
  HttpAnswer(HttpSink sink, boolean isStream, int limit) {
    this.sink = sink;
    this.limit = limit;
    this.events = isStream ? new SseReader(this, limit) : null;
  }

  /** Completes with true when the sink got everything. */
  @Override
  public CompletionStage<Boolean> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (over) {
      given.cancel();
    } else {
      given.request(1);
    }
  }

  @Override
  public synchronized void onNext(List<ByteBuffer> parts) {
    if (over) {
      return;
    }
    try {
      parts.forEach(this::read);
    } catch (LimitException e) {
      stop();
      end(e);
      return;
    }
    drain();
  }

  private void read(ByteBuffer part) {
    byte[] bytes = new byte[part.remaining()];
    part.get(bytes);
    if (events != null) {
      events.read(bytes, 0, bytes.length);
      sink.position(events.lastId());
    } else if (whole.size() + bytes.length >= limit) {
      throw new LimitException("frameBytes", limit);
    } else {
      whole.writeBytes(bytes);
    }
  }

  @Override
  public void event(String type, String id, byte[] data, int from, int to) {
    waiting.add(new Event(type, java.util.Arrays.copyOfRange(data, from, to)));
  }

  @Override
  public void retry(Duration time) {
    sink.retry(time);
  }

  /** Offers the waiting events to the sink again. */
  synchronized void resume() {
    if (!waiting.isEmpty()) {
      drain();
    }
  }

  private void drain() {
    Flow.Subscription reading = subscription;
    while (!over && !waiting.isEmpty()) {
      Event next = waiting.element();
      if (!sink.event(next.type, next.data)) {
        return;
      }
      waiting.poll();
    }
    if (complete) {
      end(cause);
    } else if (reading != null && !over) {
      reading.request(1);
    }
  }

  @Override
  public synchronized void onError(Throwable failure) {
    complete = true;
    cause = failure;
    drain();
  }

  @Override
  public synchronized void onComplete() {
    complete = true;
    drain();
  }

  private void end(@Nullable Throwable why) {
    if (over) {
      return;
    }
    over = true;
    if (events != null) {
      sink.ended(why);
    } else if (why == null) {
      sink.body(whole.toByteArray());
    } else {
      sink.failed(HttpRequests.failure(why));
    }
    body.complete(true);
  }

  private void stop() {
    Flow.Subscription reading = subscription;
    if (reading != null) {
      reading.cancel();
    }
  }

  /** Stops reading without a report to the sink. */
  void cancel() {
    over = true;
    stop();
    body.complete(false);
  }
}
