package dev.repartee.mcp.client.http;

import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.RpcError;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.UnsafeJson;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The POST of one message over Streamable HTTP, and the stream that continues its answer. The methods
 * of the sink are called by one thread at a time, the others by any.
 */
final class MessagePost implements HttpSink, PostQueue.Post {
  /** The pattern of a session id: visible ASCII characters; none for a server without sessions. */
  private static final String SESSION = "[\\x21-\\x7E]*";

  private final StreamableHttpChannel channel;
  private final HttpRequests requests;
  private final OutgoingMessage outgoing;
  private final EventPosition position;
  private @Nullable String method;
  private @Nullable Json id;
  private volatile HttpRequests.@Nullable Exchange exchange;
  private volatile @Nullable SessionStream resumed;
  private volatile @Nullable Future<?> ending;
  private @Nullable String usedSession;
  private int status;
  private Map<String, List<String>> headers = Map.of();
  private @Nullable ProtocolException broken;
  private boolean over; // guarded by this

  /** A message that the receiver did not take. */
  private final AtomicReference<byte @Nullable []> parked = new AtomicReference<>();

  MessagePost(StreamableHttpChannel channel, OutgoingMessage outgoing) {
    this.channel = channel;
    this.requests = channel.requests();
    this.outgoing = outgoing;
    this.position = new EventPosition(channel::violation);
  }

  @Override
  public OutgoingMessage message() {
    return outgoing;
  }

  /** Returns the method of the message; null for an answer or a batch. */
  @Nullable String method() {
    return method;
  }

  @Override
  public void send() {
    OutboundFrame text = outgoing.text();
    int from = text.textStart();
    Json json = UnsafeJson.copy(text.array(), from, text.size());
    Json name = json.get("method");
    method = name == null ? null : name.as(String.class);
    id = json.get("id");
    boolean begins = "initialize".equals(method);
    usedSession = begins ? null : channel.session();
    channel.entered(this);
    if (outgoing.isUnwanted()) {
      finish();
      return;
    }
    exchange = requests.send(
        "POST",
        text.array(),
        from,
        text.size(),
        channel.headers(method, json, usedSession),
        outgoing.isCall() ? null : requests.timeout(),
        this);
    outgoing.onEnd(unwanted -> {
      if (unwanted) {
        cancel();
      }
    });
    if (channel.isClosed()) {
      cancel();
    }
  }

  @Override
  public void head(int status, Map<String, List<String>> headers) {
    this.status = status;
    this.headers = headers;
    if ("initialize".equals(method) && status < 300) {
      String session = HttpRequests.first(headers, "mcp-session-id");
      if (session.matches(SESSION)) {
        channel.session(session.isEmpty() ? null : session);
      } else {
        broken = new ProtocolException(requests.uri() + " answered 'initialize' with an"
            + " Mcp-Session-Id that has other characters than visible ASCII characters");
      }
    }
  }

  /**
   * Returns whether a message, or each message of a batch, belongs to the answer to this POST: a request or a notification of the
   * server, or the response to the request of this POST (specification, "Sending Messages to the
   * Server").
   */
  boolean isOwn(byte[] message) {
    try {
      Json json = Json.parse(message);
      return json.kind() == Json.Kind.ARRAY
          ? json.elements().stream().allMatch(this::isOwn)
          : isOwn(json);
    } catch (JsonException e) {
      return true; // the receiver reports it
    }
  }

  private boolean isOwn(Json message) {
    Json answered = message.get("id");
    return answered == null
        || answered.isNull()
        || answered.equals(id)
        || message.get("method") != null
        || id != null && answered.isSameValue(id);
  }

  /** Delivers a message of a stream; false if the receiver does not take it now. */
  boolean deliver(byte[] message) {
    if (isOwn(message)) {
      return channel.deliver(message);
    }
    channel.violation(requests.uri() + " sent a response to another request in its answer to '"
        + method + "', which is ignored" + HttpRequests.told(message));
    return true;
  }

  /** Fails this POST if the headers of its answer have broken the protocol. */
  private boolean fails() {
    ProtocolException cause = broken;
    if (cause != null) {
      fail(cause);
    }
    return cause != null;
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
    if (fails()) {
      return true;
    }
    if (data.length > 0 && type.equals("message") && !deliver(data)) {
      return false;
    }
    if (outgoing.isCall() && outgoing.isDone() && ending == null) {
      // The server should end the stream now. If it does, the connection is used again.
      ending = HttpThreads.after(HttpRequests.GRACE, this::cancel);
    }
    return true;
  }

  @Override
  public void ended(@Nullable Throwable cause) {
    if (outgoing.isDone()) {
      finish();
      return;
    }
    if (!channel.isStateless() && !position.id().isEmpty()) {
      SessionStream stream = new SessionStream(channel, this, position);
      resumed = stream;
      stream.openLater();
      return;
    }
    fail(
        cause == null
            ? new ProtocolException(
                requests.uri() + " ended the event stream without an answer to '" + method + "'")
            : HttpRequests.failure(cause));
  }

  @Override
  public void body(byte[] body) {
    if (fails()) {
      return;
    }
    String type = HttpRequests.contentType(headers);
    boolean isJson = type.equals("application/json");
    if (status < 300 && body.length == 0) {
      if (!outgoing.isDone()) {
        fail(new ProtocolException(requests.uri() + " answered '" + method
            + "' with the HTTP status " + status + " and no message"));
      } else {
        finish();
      }
    } else if (status < 300 && isJson) {
      message(body);
    } else if (status < 300) {
      if (outgoing.isCall()) {
        fail(new ProtocolException(requests.uri() + " answered '" + method
            + "' with the content type '" + type
            + "'; expected application/json or text/event-stream" + HttpRequests.told(body)));
      } else {
        finish();
      }
    } else {
      refused(body, isJson);
    }
  }

  /** Handles a status that reports a failure. Its body may be an error of the protocol. */
  private void refused(byte[] body, boolean isJson) {
    if (status == 404 && usedSession != null) {
      channel.lost(usedSession);
      fail(DisconnectedException.unsent(
          requests.uri() + " does not know the session any more", "the session has ended", null));
      return;
    }
    Json error = isJson ? error(body) : null;
    if (error != null && outgoing.isCall()) {
      Json id = UnsafeJson.wrap(body.clone()).get("id");
      if (id != null && !id.isNull()) {
        message(body);
      } else {
        fail(remote(error));
      }
      return;
    }
    fail(HttpRequests.refusal(
        requests.uri() + " answered "
            + (method == null ? "a message" : "'" + method + "'") + " with the HTTP status "
            + status
            + (status == 401 ? "; it needs authorization" : "") + HttpRequests.told(body),
        status,
        headers));
  }

  private static @Nullable Json error(byte[] body) {
    try {
      Json message = Json.parse(body);
      Json error = message.kind() == Json.Kind.OBJECT ? message.get("error") : null;
      boolean ours = error != null && error.kind() == Json.Kind.OBJECT; // OAuth has a string
      return ours ? error : null;
    } catch (JsonException e) {
      return null;
    }
  }

  private RuntimeException remote(Json error) {
    try {
      Json code = error.get("code");
      Json text = error.get("message");
      if (code != null && text != null) {
        return new RemoteRpcException(
            String.valueOf(method),
            channel.info().other(),
            new RpcError(code.as(int.class), text.as(String.class), error.get("data")));
      }
    } catch (JsonException e) {
      // Falls through: not an error object.
    }
    return new ProtocolException(
        requests.uri() + " answered '" + method + "' with an invalid error object: " + error);
  }

  /** Delivers a message that is the whole answer, now or when the receiver takes it. */
  private void message(byte[] message) {
    if (!isOwn(message)) {
      fail(unanswered(message));
      return;
    }
    int seen;
    do {
      seen = channel.resumptions();
      if (channel.deliver(message)) {
        delivered(message);
        return;
      }
      parked.set(message);
    } while (channel.resumptions() != seen && parked.compareAndSet(message, null));
  }

  private void delivered(byte[] message) {
    if (!outgoing.isDone()) {
      fail(unanswered(message));
    } else {
      finish();
    }
  }

  private ProtocolException unanswered(byte[] message) {
    return new ProtocolException(requests.uri() + " did not answer '" + method
        + "' but sent another message" + HttpRequests.told(message));
  }

  @Override
  public void failed(RuntimeException cause) {
    fail(cause);
  }

  void fail(RuntimeException cause) {
    if (finish()
        && !outgoing.fail(cause)
        && !channel.isClosed()
        && !(cause instanceof DisconnectedException lost && lost.unsent() != null)) {
      channel.violation(String.valueOf(cause.getMessage()));
    }
  }

  /** Ends this POST for the channel; false if it has ended before. */
  boolean finish() {
    synchronized (this) {
      if (over) {
        return false;
      }
      over = true;
    }
    Future<?> timer = ending;
    if (timer != null) {
      timer.cancel(false);
    }
    channel.left(this);
    return true;
  }

  void resume() {
    byte[] waiting = parked.getAndSet(null);
    if (waiting != null) {
      message(waiting);
    }
    HttpRequests.Exchange reading = exchange;
    if (reading != null) {
      reading.resume();
    }
    SessionStream stream = resumed;
    if (stream != null) {
      stream.resume();
    }
  }

  void cancel() {
    finish();
    HttpRequests.Exchange reading = exchange;
    if (reading != null) {
      reading.cancel();
    }
    SessionStream stream = resumed;
    if (stream != null) {
      stream.cancel();
    }
  }
}
