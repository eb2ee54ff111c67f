package dev.repartee.mcp.client.http;

import dev.repartee.transport.DisconnectedException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A stream of events of a session, which a GET opens: the one of messages without a request, or the
 * rest of the answer to a POST. It is opened again when it ends, while it is needed, always after a
 * pause. The methods of the sink are called by one thread at a time, the others by any.
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
   * starts a timer or a request looks at the state again afterwards and ends what it has started if
   * the stream is over, since the thread that cancels cannot see what is not started yet.
   *
   * The monitor guards the state, and nothing is called under it.
   */
  private enum State {
    PAUSED,
    OPEN,
    OVER
  }

  /** The maximum number of reconnections of one stream in a row without an event. */
  private static final int RECONNECTIONS = 5;

  /**
   * The maximum number of refusals in a row of a stream without a POST: after each of them the
   * authorization may ask the user to log in.
   */
  private static final int REFUSALS = 3;

  private final StreamableHttpChannel channel;
  private final HttpRequests requests;
  private final @Nullable MessagePost post;
  private final EventPosition position;
  private volatile HttpRequests.@Nullable Exchange exchange;
  private final CompletableFuture<@Nullable Void> answered = new CompletableFuture<>();
  private volatile @Nullable Future<?> pause;
  private volatile State state = State.PAUSED; // written under the monitor
  private int attempts;
  private int refusals;

  /** Creates the stream of messages without a request. */
  SessionStream(StreamableHttpChannel channel) {
    this(channel, null, new EventPosition(channel::violation));
  }

  /**
   * Creates the stream that continues the answer to a POST, unless that is null.
   *
   * @param position the place at which the answer broke off
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

  /**
   * Returns a future that ends when the server has answered the first attempt, or that has failed.
   */
  CompletableFuture<@Nullable Void> answered() {
    return answered;
  }

  /** Opens this stream after the time that the server has stated. */
  void openLater() {
    if (!enter(State.PAUSED)) {
      return;
    }
    Future<?> timer = HttpThreads.after(position.pause(attempts), this::open);
    pause = timer;
    if (isOver()) {
      timer.cancel(false); // the server chooses the pause, and this holds the message of the call
    }
  }

  void open() {
    if (!enter(State.OPEN)) {
      return;
    }
    Map<String, String> headers = new LinkedHashMap<>();
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

  /** A stream without a POST may have the response to any request of the session. */
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
      // Not a lost session, which would have the call sent again: the server may have run it.
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
      channel.violation(requests.uri() + " refuses the stream of messages, so changes are not"
          + " reported any more: " + cause.getMessage());
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
    Future<?> timer = pause;
    if (timer != null) {
      timer.cancel(false);
    }
    HttpRequests.Exchange reading = exchange;
    if (reading != null) {
      reading.cancel();
    }
  }
}
