package dev.repartee.netty;

import dev.repartee.ProtocolException;
import dev.repartee.framing.SseReader;
import dev.repartee.limits.LimitException;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.HttpFault;
import dev.repartee.netty.http.Printable;
import dev.repartee.netty.http.Proxy;
import dev.repartee.transport.OutgoingMessage;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client, and its response: a single frame, or a stream of events with one frame
 * each. Frames are delivered as they arrive; frames that the receiver does not accept yet are held.
 * Runs on the event loop.
 *
 * <p>The exchange is over when the response is complete or has failed ({@link #isOver}). Even then,
 * held frames may remain. The owner calls {@link #settle} until it returns true, and then
 * {@link #close} once.
 */
final class ClientExchange {
  /** How long a stream may continue after all calls of the request were answered. */
  private static final long GRACE = TimeUnit.SECONDS.toNanos(1);

  /** A request that takes longer no longer counts towards the limit of concurrent requests. */
  private static final long SLOW = TimeUnit.SECONDS.toNanos(1);

  private final OutgoingMessage request;
  private final HttpAddress address;

  /** The proxy that forwards the request, or null. */
  private final @Nullable Proxy proxy;

  private final MessageBytes body;
  private final HttpClientChannel owner;
  private final int most;
  private final boolean isReply;

  /** Whether the request has no calls. It may have some if code without a peer sends it. */
  private final boolean isLimited;

  private final long since = System.nanoTime();
  private final Queue<byte[]> held = new ArrayDeque<>(0);
  private long heldBytes;
  private @Nullable HttpResponse head;
  private @Nullable SseReader events;
  private Gzip.@Nullable Reader gzip;
  private boolean wasStream;

  /**
   * True after the body was delivered as a frame. It is then the answer, even with an error status.
   */
  private boolean answered;

  /** True after the whole response has arrived. Some of its frames may still be held. */
  private boolean complete;

  /** Why the response has failed, or null. */
  private @Nullable RuntimeException failure;

  /**
   * True after an event has answered the last call of the request. The stream may continue until
   * {@link #GRACE} after {@code answeredAt}.
   */
  private boolean answeredAll;

  private long answeredAt;

  /**
   * Creates an exchange.
   *
   * @param body the buffer that collects the response body; cleared here
   * @param most the maximum number of bytes of held events. Reading stops while events are held.
   *     Therefore only a single read can exceed this number, and only if its data is compressed to
   *     an absurd degree
   */
  ClientExchange(
      OutgoingMessage request,
      HttpAddress address,
      @Nullable Proxy proxy,
      MessageBytes body,
      HttpClientChannel owner,
      int most) {
    this.request = request;
    this.address = address;
    this.proxy = proxy;
    this.body = body;
    this.owner = owner;
    this.most = most;
    this.isReply = owner.isReply(request);
    this.isLimited = isReply || !request.isAnswer();
    body.clear();
  }

  OutgoingMessage request() {
    return request;
  }

  // ---------------------------------------------------------------- input

  void head(HttpResponse response) {
    head = response;
    if (response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      return;
    }
    String coding = response.headers().get(HttpHeaderNames.CONTENT_ENCODING, "").strip();
    if (coding.equalsIgnoreCase("gzip") || coding.equalsIgnoreCase("x-gzip")) {
      gzip = new Gzip.Reader();
    } else if (!coding.isEmpty() && !coding.equalsIgnoreCase("identity")) {
      failure = new ProtocolException("the answer of " + address.authority()
          + " has a content coding that was not asked for: " + Printable.text(coding));
    }
    wasStream = isSuccess(response) && isOfType(response, "text/event-stream");
    if (wasStream) {
      events = new SseReader(this::event, body.limit());
    }
  }

  /**
   * Reads a piece of the response.
   *
   * @return false if the response exceeds a limit
   */
  boolean content(HttpContent content) {
    HttpResponse response = head;
    boolean isLast = content instanceof LastHttpContent;
    if (response == null || response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      return true; // an interim response; the final one follows
    }
    try {
      if (!read(content.content())) {
        return false;
      }
      complete = isLast;
      if (isLast && gzip != null && !gzip.isComplete() && !gzip.isEmpty()) {
        throw new IOException("it ends too early");
      }
    } catch (LimitException e) {
      return false;
    } catch (IOException e) {
      failure = new ProtocolException(
          "the answer of " + address.authority() + " is not gzip, or not all of it");
    }
    return true;
  }

  private boolean read(ByteBuf bytes) throws IOException {
    Gzip.Reader packed = gzip;
    if (packed == null) {
      return plain(bytes);
    }
    byte[] copy = new byte[bytes.readableBytes()];
    bytes.readBytes(copy);
    return packed.read(copy, 0, copy.length, this::plain);
  }

  private boolean plain(ByteBuf bytes) {
    SseReader reader = events;
    if (reader == null) {
      return body.append(bytes);
    }
    if (bytes.hasArray()) {
      int from = bytes.arrayOffset() + bytes.readerIndex();
      reader.read(bytes.array(), from, from + bytes.readableBytes());
    } else {
      byte[] copy = new byte[bytes.readableBytes()];
      bytes.readBytes(copy);
      reader.read(copy, 0, copy.length);
    }
    return heldBytes <= most;
  }

  private void event(String type, String id, byte[] data, int from, int to) {
    if (!type.equals("message") || from == to) {
      return; // not JSON-RPC: a keep-alive, or an event of another protocol
    }
    if (!held.isEmpty() || !take(data, from, to)) {
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
  private boolean take(byte[] bytes, int from, int to) {
    if (isReply) {
      // If the response to a reply could contain calls, a server could make this side send replies
      // for ever. Therefore frames in such a response are reported and dropped.
      if (failure == null) {
        failure = new ProtocolException(
            "an answer to a reply, which takes none" + HttpFault.told(bytes, from, to));
        owner.violation(String.valueOf(failure.getMessage()));
      }
      return true;
    }
    if (!request.takesItems() || !owner.take(bytes, from, to)) {
      return false;
    }
    if (wasStream && !answeredAll && request.isCall() && request.isDone()) {
      answeredAll = true;
      answeredAt = System.nanoTime();
    }
    return true;
  }

  /** Ends the exchange with a failure, unless it is over already. */
  void fail(RuntimeException cause) {
    if (!isOver()) {
      failure = cause;
    }
  }

  // ---------------------------------------------------------------- delivery and end

  /**
   * Delivers the held frames, and the body of a complete response.
   *
   * @return false if some frames must still wait
   */
  boolean settle() {
    for (byte[] event = held.peek(); event != null; event = held.peek()) {
      if (!take(event, 0, event.length)) {
        return false;
      }
      held.remove();
      heldBytes -= event.length;
    }
    if (complete && failure == null && hasFrame(response())) {
      if (!take(body.bytes, 0, body.size)) {
        return false;
      }
      answered = true;
      body.clear();
    }
    return true;
  }

  /** Returns whether no more input will arrive. */
  boolean isOver() {
    return complete || failure != null;
  }

  /** Fails the calls that were not answered. Called once, when the exchange is over and settled. */
  void close() {
    if (gzip != null) {
      gzip.close();
    }
    RuntimeException cause = failure;
    if (cause != null) {
      request.fail(cause);
    } else if (!request.isDone() || !answered && !isSuccess(response())) {
      request.fail(HttpFault.of(response(), unanswered(response())));
    }
  }

  /** Returns the response if the connection may carry another request after it, otherwise null. */
  @Nullable HttpResponse reusable() {
    HttpResponse response = head;
    return complete && failure == null && response != null && HttpUtil.isKeepAlive(response)
        ? response
        : null;
  }

  /**
   * Returns whether the request should end because nobody waits for its response: no call waits for
   * an answer and some were given up, all were answered more than {@link #GRACE} ago, or it certainly
   * has no calls and has taken longer than {@code longest} nanoseconds.
   */
  boolean isForsaken(long now, long longest) {
    if (isOver() || !request.isDone()) {
      return false;
    }
    if (answeredAll) {
      return now - answeredAt > GRACE;
    }
    return request.isCall() || isLimited && now - since > longest;
  }

  /** Returns whether the request has taken longer than {@link #SLOW}. */
  boolean isSlow(long now) {
    return now - since > SLOW;
  }

  // ---------------------------------------------------------------- the response

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

  private String unanswered(HttpResponse response) {
    HttpResponseStatus status = response.status();
    if (proxy != null && status.equals(HttpResponseStatus.PROXY_AUTHENTICATION_REQUIRED)) {
      return HttpFault.refused(proxy, "the request", status)
          + HttpFault.told(body.bytes, 0, body.size);
    }
    return address.authority()
        + (wasStream
            ? " gave a stream that ended without an answer, with "
            : " gave no answer but ")
        + HttpFault.status(response, address)
        + HttpFault.told(body.bytes, 0, body.size);
  }
}
