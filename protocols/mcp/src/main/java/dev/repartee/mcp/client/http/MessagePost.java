package dev.repartee.mcp.client.http;

import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.UnsafeJson;
import dev.repartee.mcp.wire.McpDialect;
import dev.repartee.message.Dialect;
import dev.repartee.message.RpcError;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The POST of one message over Streamable HTTP, and the stream that continues its answer. */
final class MessagePost extends Post {
  /** Recognises the error of a server that closes. */
  private static final Dialect DIALECT = new McpDialect(() -> false);

  /** The pattern of a session id: visible ASCII characters; empty for a server without sessions. */
  private static final String SESSION = "[\\x21-\\x7E]*";

  private final StreamableHttpChannel channel;
  private final HttpRequests requests;
  private final EventPosition position;
  private @Nullable String method;
  private @Nullable Json id;
  private volatile @Nullable SessionStream continued;
  private volatile Clock.@Nullable Timer ending;
  private @Nullable String usedSession;
  private @Nullable ProtocolException broken;

  MessagePost(StreamableHttpChannel channel, OutgoingMessage message) {
    super(channel, message);
    this.channel = channel;
    this.requests = channel.requests;
    this.position = new EventPosition(channel::violation);
  }

  /** Returns the method of the message; null for an answer or a batch. */
  @Nullable String method() {
    return method;
  }

  @Override
  HttpRequests.Exchange transmit() {
    OutboundFrame text = message().text();
    int from = text.textStart();
    Json content = UnsafeJson.copy(text.array(), from, text.size());
    Json name = content.get("method");
    method = name == null ? null : name.as(String.class);
    id = content.get("id");
    boolean begins = "initialize".equals(method);
    usedSession = begins ? null : channel.session();
    return requests.send(
        "POST",
        text.array(),
        from,
        text.size(),
        channel.headers(message().headers(), method, content, usedSession),
        message().isCall() ? null : requests.timeout(),
        this);
  }

  @Override
  void callsEnded(boolean unwanted) {
    if (unwanted || state() == State.CONTINUED) {
      cancel();
    } else if (state() == State.READING && moveTo(State.ENDING)) {
      // The server should end the stream now. If it does so, the connection can be used again.
      Clock.Timer timer = HttpThreads.after(HttpRequests.GRACE, this::cancel);
      ending = timer;
      if (isOver()) {
        timer.cancel();
      }
    }
  }

  @Override
  public void head(HttpHead head) {
    if ("initialize".equals(method) && head.isSuccess()) {
      String session = head.first("mcp-session-id");
      if (session.matches(SESSION)) {
        channel.session(session.isEmpty() ? null : session);
      } else {
        broken = new ProtocolException(requests.uri() + " answered 'initialize' with an"
            + " Mcp-Session-Id that has other characters than visible ASCII characters");
      }
    }
    if (head.isStream()
        && moveTo(State.READING)
        && message().isCall()
        && message().isDone()) {
      callsEnded(false); // the answers arrived on another stream
    }
  }

  /**
   * Returns whether a message, or each message of a batch, may appear in the answer to this POST
   * (specification, "Sending Messages to the Server"). Allowed are requests and notifications of
   * the server, and the response to the request of this POST.
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

  /** Delivers a message of a stream. Returns false if the receiver does not accept it now. */
  boolean deliver(byte[] message) {
    if (isOwn(message)) {
      return message().takesItems() && channel.deliver(message);
    }
    channel.violation(requests.uri() + " sent a response to another request in its answer to '"
        + method + "', which is ignored" + HttpRequests.told(message));
    return true;
  }

  /** Fails this POST if the headers of its answer break the protocol. */
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
    return fails() || data.length == 0 || !type.equals("message") || deliver(data);
  }

  @Override
  public void ended(@Nullable Throwable cause) {
    if (message().isDone()) {
      finish();
    } else if (!channel.isStateless() && !position.id().isEmpty()) {
      SessionStream stream = new SessionStream(channel, this, position);
      continued = stream;
      if (moveTo(State.CONTINUED)) {
        stream.openLater();
      }
    } else {
      fail(
          cause == null
              ? new ProtocolException(
                  requests.uri() + " ended the event stream without an answer to '" + method + "'")
              : HttpRequests.failure(cause));
    }
  }

  @Override
  public boolean body(HttpHead head, byte[] body) {
    if (fails()) {
      return true;
    }
    String type = head.contentType();
    boolean isJson = type.equals("application/json");
    if (!head.isSuccess()) {
      return refused(head, body, isJson);
    } else if (isJson && body.length > 0) {
      return whole(body);
    } else if (message().isDone()) {
      finish();
    } else if (body.length == 0) {
      fail(new ProtocolException(requests.uri() + " answered '" + method + "' with the HTTP status "
          + head.status() + " and no message"));
    } else {
      fail(new ProtocolException(requests.uri() + " answered '" + method
          + "' with the content type '" + type
          + "'; expected application/json or text/event-stream" + HttpRequests.told(body)));
    }
    return true;
  }

  /**
   * Handles an error status. The body may be an error response of JSON-RPC.
   *
   * @return false if the receiver does not accept that error now
   */
  private boolean refused(HttpHead head, byte[] body, boolean isJson) {
    if (head.status() == 404 && usedSession != null) {
      channel.lost(usedSession);
      fail(DisconnectedException.unsent(
          requests.uri() + " no longer knows the session", "the session has ended", null));
      return true;
    }
    Json error = isJson && message().isCall() ? error(body) : null;
    Json answered = error == null ? null : UnsafeJson.wrap(body.clone()).get("id");
    if (answered != null && !answered.isNull()) {
      return whole(body);
    } else if (error != null) {
      fail(remote(error));
    } else {
      fail(head.refusal(requests.uri() + " answered "
          + (method == null ? "a message" : "'" + method + "'") + " with the HTTP status "
          + head.status() + (head.status() == 401 ? "; it needs authorization" : "")
          + HttpRequests.told(body)));
    }
    return true;
  }

  private static @Nullable Json error(byte[] body) {
    try {
      Json error = Json.parse(body).get("error");
      boolean ours = error != null && error.kind() == Json.Kind.OBJECT; // in OAuth it is a string
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
            new RpcError(code.as(int.class), text.as(String.class), error.get("data")),
            DIALECT);
      }
    } catch (JsonException e) {
      // Falls through: not an error object.
    }
    return new ProtocolException(
        requests.uri() + " answered '" + method + "' with an invalid error object: " + error);
  }

  /**
   * Delivers a message that is the whole answer. Returns false if the receiver does not accept it
   * now.
   */
  private boolean whole(byte[] message) {
    boolean isOwn = isOwn(message);
    if (isOwn && !channel.deliver(message)) {
      return false;
    }
    if (isOwn && message().isDone()) {
      finish();
    } else {
      fail(new ProtocolException(requests.uri() + " did not answer '" + method
          + "' but sent another message" + HttpRequests.told(message)));
    }
    return true;
  }

  @Override
  boolean finish() {
    Clock.Timer timer = ending;
    if (timer != null) {
      timer.cancel();
    }
    return super.finish();
  }

  @Override
  void resume() {
    super.resume();
    SessionStream stream = continued;
    if (stream != null) {
      stream.resume();
    }
  }

  @Override
  void cancel() {
    super.cancel();
    SessionStream stream = continued;
    if (stream != null) {
      stream.cancel();
    }
  }
}
