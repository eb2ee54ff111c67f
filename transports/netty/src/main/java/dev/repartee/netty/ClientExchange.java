package dev.repartee.netty;

import dev.repartee.ProtocolException;
import dev.repartee.framing.SseReader;
import dev.repartee.internal.Printable;
import dev.repartee.limits.LimitException;
import dev.repartee.netty.http.HttpFault;
import dev.repartee.netty.http.Proxy;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.OutgoingMessage;
import dev.repartee.transport.http.server.Gzip;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The POST of one message, and its response: a single frame, or a stream of events with one frame
 * each. Frames are delivered as they arrive; frames that the receiver does not accept yet are held,
 * and reading stops meanwhile.
 *
 * <p>The exchange leaves its channel once, in one of two ways:
 *
 * <ul>
 *   <li>{@link #finish}: the request is over and all frames are delivered. Calls without an answer
 *       fail.
 *   <li>{@link #drop}: nobody waits for the response any more, or the channel is closed. The request
 *       ends with its connection.
 * </ul>
 *
 * <p>Nobody waits if the calls have ended and one of them got no answer. If all were answered, the
 * response has {@link #GRACE} to end; then its connection can be used again. A message that certainly
 * has no calls, or has notifications beside calls, has {@code drainTimeout}. Runs on the event loop.
 */
final class ClientExchange extends ClientRequest {
  /** How long a response may continue after all calls of the request were answered. */
  private static final long GRACE = TimeUnit.SECONDS.toNanos(1);

  /** A request that takes longer no longer counts towards the limit of concurrent requests. */
  static final long SLOW = TimeUnit.SECONDS.toNanos(1);

  private final OutgoingMessage message;
  private final HttpClientChannel channel;
  private final ClientPool pool;

  /** Whether the message answers a call of the server. */
  private final boolean isReply;

  private final MessageBytes body;
  private final Queue<byte[]> held = new ArrayDeque<>(0);
  private long heldBytes;
  private @Nullable HttpResponse head;
  private @Nullable SseReader events;
  private Gzip.@Nullable Reader gzip;

  /** True after the last byte of the response has arrived. */
  private boolean complete;

  /**
   * True after the body was delivered as a frame. It is then the answer, even with an error status.
   */
  private boolean answered;

  /** The beginning of a body that was delivered but answers no call, for messages; or null. */
  private @Nullable String refused;

  /** Why the response has failed, or null. */
  private @Nullable RuntimeException failure;

  /** Ends an exchange that takes too long; null if there is no limit. */
  private @Nullable ScheduledFuture<?> late;

  private boolean left;
  private long sentAt;

  ClientExchange(
      OutgoingMessage message, HttpClientChannel channel, ClientPool pool, boolean isReply) {
    this.message = message;
    this.channel = channel;
    this.pool = pool;
    this.isReply = isReply;
    this.body = MessageBytes.asked(pool.limits.frameBytes());
  }

  OutgoingMessage message() {
    return message;
  }

  // ---------------------------------------------------------------- the request

  /** Sends the request. */
  void begin() {
    message.onEnd(unwanted -> channel.onLoop(() -> callsEnded(unwanted)));
    if (!message.isCall() && (isReply || !message.isAnswer())) {
      endIn(pool.limits.drainTimeout().toNanos());
    }
    pool.send(this);
  }

  @Override
  FullHttpRequest encoded() {
    sentAt = System.nanoTime();
    ByteBuf text =
        Unpooled.wrappedBuffer(message.text().array(), 0, message.text().size());
    FullHttpRequest encoded = pool.encoded("POST", pool.address().path(), text);
    encoded.headers().setAll(channel.fields());
    message.headers().fields().forEach(encoded.headers()::set);
    return encoded;
  }

  /** Returns whether the request was sent more than {@link #SLOW} ago. */
  boolean isSlow(long now) {
    return sentAt != 0 && now - sentAt > SLOW;
  }

  private void callsEnded(boolean unwanted) {
    if (unwanted) {
      drop();
    } else if (!isOver()) { // without a head, the notifications in the message are under way
      endIn(head == null ? pool.limits.drainTimeout().toNanos() : GRACE);
    }
  }

  private void endIn(long nanos) {
    late = pool.loop.schedule(
        () -> fail(new DisconnectedException(pool.server() + " has not ended its answer", null)),
        nanos,
        TimeUnit.NANOSECONDS);
  }

  // ---------------------------------------------------------------- the response

  @Override
  void head(HttpResponse response) {
    head = response;
    String coding = response.headers().get(HttpHeaderNames.CONTENT_ENCODING, "").strip();
    if (coding.equalsIgnoreCase("gzip") || coding.equalsIgnoreCase("x-gzip")) {
      gzip = new Gzip.Reader();
    } else if (!coding.isEmpty() && !coding.equalsIgnoreCase("identity")) {
      fail(new ProtocolException("the answer of " + pool.address().authority()
          + " has a content coding that was not asked for: " + Printable.text(coding)));
      return;
    }
    if (isSuccess(response) && isOfType(response, "text/event-stream")) {
      events = new SseReader(this::event, body.limit());
    }
  }

  @Override
  boolean content(ByteBuf bytes, boolean isLast) {
    String fault = null;
    try {
      if (!read(bytes)) {
        fault = " passed the limit frameBytes";
      } else if (isLast && gzip != null && !gzip.isComplete() && !gzip.isEmpty()) {
        throw new IOException("it ends too early");
      }
    } catch (LimitException e) {
      fault = " passed the limit frameBytes";
    } catch (IOException e) {
      fault = " is not gzip, or not all of it";
    }
    if (fault != null) {
      fail(new ProtocolException("the answer of " + pool.address().authority() + fault));
      return true;
    }
    complete = isLast;
    return settle();
  }

  private boolean read(ByteBuf bytes) throws IOException {
    Gzip.Reader packed = gzip;
    if (packed == null) {
      return plain(bytes);
    }
    byte[] copy = ByteBufUtil.getBytes(bytes);
    return packed.read(copy, 0, copy.length, part -> plain(Unpooled.wrappedBuffer(part)));
  }

  private boolean plain(ByteBuf bytes) {
    SseReader reader = events;
    if (reader == null) {
      return body.append(bytes);
    }
    byte[] copy = ByteBufUtil.getBytes(bytes);
    reader.read(copy, 0, copy.length);
    // Reading stops while events are held. Therefore only a single read can exceed this number, and
    // only if its data is compressed to an absurd degree.
    return heldBytes <= pool.limits.queuedBytes();
  }

  private void event(String type, String id, byte[] data, int from, int to) {
    if (!type.equals("message") || from == to) {
      return; // not JSON-RPC: a keep-alive, or an event of another protocol
    }
    if (!held.isEmpty() || !deliver(data, from, to)) {
      held.add(Arrays.copyOfRange(data, from, to));
      heldBytes += to - from;
    }
  }

  /**
   * Delivers a frame, unless it answers a reply. The frames of a stream wait for its subscriber;
   * other requests do not wait for this stream. Its bytes are valid until this method returns.
   *
   * @return false if the receiver does not accept the frame now; then nothing was delivered
   */
  private boolean deliver(byte[] bytes, int from, int to) {
    if (isReply) {
      // If the response to a reply could contain calls, a server could make this side send replies
      // for ever. Therefore frames in such a response are reported and dropped.
      if (failure == null) {
        failure = new ProtocolException(
            "an answer to a reply, which takes none" + HttpFault.told(bytes, from, to));
        channel.violation(String.valueOf(failure.getMessage()));
        abandon();
      }
      return true;
    }
    return message.takesItems() && channel.deliver(bytes, from, to);
  }

  /**
   * Delivers the held frames, and the body of a complete response. Finishes if the request is over.
   *
   * @return false if some frames must still wait
   */
  private boolean settle() {
    for (byte[] event = held.peek(); event != null; event = held.peek()) {
      if (!deliver(event, 0, event.length)) {
        return false;
      }
      held.remove();
      heldBytes -= event.length;
    }
    if (complete && failure == null && hasFrame(response())) {
      if (!deliver(body.bytes, 0, body.size)) {
        return false;
      }
      answered = true;
      if (!message.isDone()) { // the body is not the response
        refused = HttpFault.told(response(), body.bytes, body.size);
      }
      body.clear();
    }
    if (isOver()) {
      finish();
    }
    return true;
  }

  /** Continues to deliver and to read: the receiver may be ready again. */
  void goOn() {
    if (!left && settle()) {
      resume();
    }
  }

  private HttpResponse response() {
    return Objects.requireNonNull(head);
  }

  /** Returns whether the body is JSON-RPC, or at least should be. */
  private boolean hasFrame(HttpResponse response) {
    return body.size > 0 && (isSuccess(response) || isOfType(response, "application/json"));
  }

  private static boolean isSuccess(HttpResponse response) {
    return response.status().codeClass() == HttpStatusClass.SUCCESS;
  }

  private static boolean isOfType(HttpResponse response, String type) {
    return response
        .headers()
        .get(HttpHeaderNames.CONTENT_TYPE, "")
        .toLowerCase(Locale.ROOT)
        .startsWith(type);
  }

  // ---------------------------------------------------------------- the end

  private void fail(RuntimeException cause) {
    if (!isOver()) {
      abandon();
      ended(cause);
    }
  }

  @Override
  void ended(@Nullable Throwable cause) {
    if (cause instanceof IOException) {
      failure = DisconnectedException.unsent(
          String.valueOf(cause.getMessage()), "the server is unreachable", cause);
    } else {
      failure = (RuntimeException) cause;
    }
    settle();
  }

  /** Fails the calls that were not answered, and leaves the channel. */
  private void finish() {
    if (leave()) {
      if (failure != null) {
        message.fail(failure);
      } else if (!message.isDone() || !isSuccess(response()) && !answered) {
        message.fail(HttpFault.of(response(), unanswered(response())));
      }
      channel.left(this);
    }
  }

  /** Ends the request, and leaves the channel. */
  void drop() {
    if (leave()) {
      abandon();
      channel.left(this);
    }
  }

  private boolean leave() {
    if (left) {
      return false;
    }
    left = true;
    held.clear();
    if (late != null) {
      late.cancel(false);
    }
    if (gzip != null) {
      gzip.close();
    }
    return true;
  }

  private String unanswered(HttpResponse response) {
    HttpResponseStatus status = response.status();
    Proxy proxy = pool.dialer.requestProxy();
    if (proxy != null && status.equals(HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED)) {
      return HttpFault.refused(proxy, "the request", status)
          + HttpFault.told(body.bytes, 0, body.size);
    }
    String what = events != null
        ? ", a stream that ended without a JSON-RPC response"
        : isSuccess(response) ? ", without a JSON-RPC response" : "";
    return pool.uri() + " answered with "
        + HttpFault.status(response, pool.address())
        + what
        + (refused == null ? HttpFault.told(response, body.bytes, body.size) : refused);
  }
}
