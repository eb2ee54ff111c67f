package dev.repartee.mcp.client.http;

import dev.repartee.internal.Clock;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An event stream of a session, opened with GET. It carries the messages that belong to no request,
 * or the rest of the answer to a POST. If it ends while it is needed, it is opened again after a
 * pause. One thread at a time calls the methods of the sink; the other methods are thread-safe.
 */
final class SessionStream implements HttpSink {
  /*
   * Implementation note.
   *
   *   PAUSED <--> OPEN
   *      \          \
   *       +----------+--> OVER
   *
   *   PAUSED  not opened yet, or waiting for the time to open it again
   *   OPEN    the GET is under way, or its answer is being read
   *   OVER    cancelled, or the server has no such stream
   *
   * The stream of a POST is needed while the POST is CONTINUED; the POST cancels it. A step that
   * starts a timer or a request checks the state again afterwards and ends the timer or request if
   * the stream is over. The thread that cancelled the stream could not have seen it.
   *
   * The monitor guards the state. No other method is called while it is held.
   */
  private enum State {
    PAUSED,
    OPEN,
    OVER
  }

  /** The maximum number of consecutive reconnections of a stream without an event. */
  private static final int RECONNECTIONS = 5;

  /**
   * The maximum number of consecutive refusals of a stream without a POST. Limited because the
   * authorization may ask the user to log in after each of them.
   */
  private static final int REFUSALS = 3;

  private final StreamableHttpChannel channel;
  private final HttpRequests requests;
  private final @Nullable MessagePost post;
  private final EventPosition position;
  private volatile HttpRequests.@Nullable Exchange exchange;
  private final CompletableFuture<@Nullable Void> answered = new CompletableFuture<>();
  private volatile Clock.@Nullable Timer pause;
  private volatile State state = State.PAUSED; // written under the monitor
  private int attempts;
  private int refusals;

  /** Creates the stream of the messages that belong to no request. */
  SessionStream(StreamableHttpChannel channel) {
    this(channel, null, new EventPosition(channel::violation));
  }

  /**
   * Creates the stream that continues the answer to a POST, or if null, the stream of the messages
   * that belong to no request.
   *
   * @param position the position at which the answer broke off
   */
  SessionStream(StreamableHttpChannel channel, @Nullable MessagePost post, EventPosition position) {
    this.channel = channel;
    this.requests = channel.requests;
    this.post = post;
    this.position = position;
  }

  /** Enters a state; returns false if the stream is over. */
  private synchronized boolean enter(State next) {
    if (state == State.OVER) {
      return false;
    }
    state = next;
    return true;
  }

  private boolean isOver() {
    return state == State.OVER;
  }

  /** Returns a future that completes when the first attempt was answered or has failed. */
  CompletableFuture<@Nullable Void> answered() {
    return answered;
  }

  /** Opens this stream after the time that the server has requested. */
  void openLater() {
    if (!enter(State.PAUSED)) {
      return;
    }
    Clock.Timer timer = HttpThreads.after(position.pause(attempts), this::open);
    pause = timer;
    if (isOver()) {
      timer.cancel(); // it holds the message of the call, and the pause may be long
    }
  }

  void open() {
    if (!enter(State.OPEN)) {
      return;
    }
    Headers own = post == null ? Headers.NONE : post.message().headers();
    Map<String, String> headers = new LinkedHashMap<>(own.fields());
    headers.put("Accept", "text/event-stream");
    channel.addSession(headers, channel.session());
    if (!position.id().isEmpty()) {
      headers.put("Last-Event-ID", position.id());
    }
    HttpRequests.Exchange sent = requests.send("GET", headers, requests.timeout(), this);
    exchange = sent;
    if (isOver()) {
      sent.cancel();
    }
  }

  @Override
  public void head(HttpHead head) {
    refusals = 0;
    answered.complete(null);
  }

  @Override
  public boolean isEndless() {
    return true;
  }

  @Override
  public void position(String lastId) {
    position.id(lastId);
  }

  @Override
  public void retry(Duration time) {
    position.retry(time);
  }

  @Override
  public boolean event(String type, byte[] data) {
    attempts = 0;
    return data.length == 0 || !type.equals("message") || deliver(data);
  }

  /** A stream without a POST may carry the response to any request of the session. */
  private boolean deliver(byte[] message) {
    return post == null ? channel.deliver(message) : post.deliver(message);
  }

  @Override
  public void ended(@Nullable Throwable cause) {
    again("the event stream ended without the answer");
  }

  @Override
  public boolean body(HttpHead head, byte[] body) {
    if (post != null) {
      // Does not report a lost session: then the call would be sent again, but the server may have
      // run it.
      post.fail(new DisconnectedException(
          requests.uri() + " broke the answer to '" + post.method()
              + "' off and does not continue it: HTTP status " + head.status(),
          null));
    } else if (head.status() >= 500) {
      again("HTTP status " + head.status());
    } else {
      cancel(); // the server has no such stream
      if (head.status() == 404) {
        channel.streamUnknown();
      }
    }
    return true;
  }

  @Override
  public void refused() {
    refusals++;
  }

  @Override
  public void failed(RuntimeException cause) {
    if (post != null || refusals < REFUSALS) {
      again(String.valueOf(cause.getMessage()));
    } else {
      channel.violation(requests.uri() + " refuses the stream of messages; changes are no"
          + " longer reported: " + cause.getMessage());
      cancel();
    }
  }

  private void again(String why) {
    answered.complete(null);
    if (channel.isClosed()) {
      cancel();
    } else if (++attempts > RECONNECTIONS && post != null) {
      post.fail(new DisconnectedException(
          requests.uri() + " broke the answer to '" + post.method() + "' off: " + why, null));
    } else {
      openLater();
    }
  }

  void resume() {
    HttpRequests.Exchange reading = exchange;
    if (reading != null) {
      reading.resume();
    }
  }

  void cancel() {
    enter(State.OVER);
    answered.complete(null);
    Clock.Timer timer = pause;
    if (timer != null) {
      timer.cancel();
    }
    HttpRequests.Exchange reading = exchange;
    if (reading != null) {
      reading.cancel();
    }
  }
}
