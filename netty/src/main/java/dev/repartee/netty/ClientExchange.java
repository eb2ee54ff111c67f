package dev.repartee.netty;

import dev.repartee.LimitException;
import dev.repartee.Output;
import dev.repartee.ProtocolException;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request, and what is answered to it: one frame, or a stream of events with a frame each, which are
 * handed on as they come. What the receiver does not take now is held. Of the event loop.
 */
final class ClientExchange {
  /** A stream that goes on after everything was answered is left then. */
  private static final long GRACE = TimeUnit.SECONDS.toNanos(1);

  /** A request that is under way for longer does not keep others waiting. */
  private static final long SLOW = TimeUnit.SECONDS.toNanos(1);

  private final Output request;
  private final HttpAddress address;
  private final MessageBytes body;
  private final HttpClientChannel owner;
  private final int most;
  private final boolean hadCalls;
  private final boolean isReply;
  private final long since = System.nanoTime();
  private final Queue<byte[]> held = new ArrayDeque<>(0);
  private long heldBytes;
  private @Nullable HttpResponse head;
  private @Nullable SseReader events;
  private Gzip.@Nullable Reader gzip;
  private boolean wasStream;

  /** Whether a body was handed on: what it says is the answer, whatever the status. */
  private boolean answered;

  /** Whether all of the answer has come in, but for what was held of it. */
  private boolean complete;

  /** Why the answer does not come in. */
  private @Nullable RuntimeException failure;

  /** Whether an event has answered the last call, and when; the stream may go on for a moment. */
  private boolean answeredAll;

  private long answeredAt;

  /**
   * An exchange.
   *
   * @param body where the answer is collected
   * @param most bytes of events that are held; that one read brings more is no honest compression
   */
  ClientExchange(
      Output request, HttpAddress address, MessageBytes body, HttpClientChannel owner, int most) {
    this.request = request;
    this.address = address;
    this.body = body;
    this.owner = owner;
    this.most = most;
    this.hadCalls = request.isAwaited();
    this.isReply = owner.isReply(request);
    body.clear();
  }

  Output request() {
    return request;
  }

  // ---------------------------------------------------------------- what comes in

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

  /** Takes a piece of the answer; false if it becomes too large. */
  boolean content(HttpContent content) {
    HttpResponse response = head;
    boolean isLast = content instanceof LastHttpContent;
    if (response == null || response.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
      return true; // the real answer is still to come
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
      return; // not JSON-RPC: a sign of life, or of a protocol of its own
    }
    if (!held.isEmpty() || !take(data, from, to)) {
      held.add(Arrays.copyOfRange(data, from, to));
      heldBytes += to - from;
    }
  }

  /**
   * Hands on a frame, whose bytes are valid until this returns.
   *
   * @return false, taking nothing, if it has to wait
   */
  private boolean take(byte[] bytes, int from, int to) {
    if (isReply) {
      // If the answer to a reply could hold calls, the server could keep this side busy for ever.
      if (failure == null) {
        failure = new ProtocolException(
            "an answer to a reply, which takes none" + HttpFault.told(bytes, from, to));
        owner.violation(String.valueOf(failure.getMessage()));
      }
      return true;
    }
    boolean awaited = wasStream && request.isAwaited();
    if (!owner.take(bytes, from, to)) {
      return false;
    }
    if (awaited && !request.isAwaited()) {
      answeredAll = true;
      answeredAt = System.nanoTime();
    }
    return true;
  }

  /** Nothing more comes in, for that reason; the first counts. */
  void fail(RuntimeException cause) {
    if (!isOver()) {
      failure = cause;
    }
  }

  // ---------------------------------------------------------------- what goes on

  /** Hands on what waits; false if some of it goes on waiting. */
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

  /** Whether nothing more will come in. */
  boolean isOver() {
    return complete || failure != null;
  }

  /** Fails the calls that were not answered; once it is over, and settled. */
  void close() {
    if (gzip != null) {
      gzip.close();
    }
    RuntimeException cause = failure;
    if (cause != null) {
      request.refused(cause);
      return;
    }
    cause = new ProtocolException(unanswered(response()));
    if (isSuccess(response()) || answered) {
      request.unanswered(cause);
    } else {
      request.refused(cause);
    }
  }

  /** Whether its connection may carry another request. */
  @Nullable HttpResponse reusable() {
    HttpResponse response = head;
    return complete && failure == null && response != null && HttpUtil.isKeepAlive(response)
        ? response
        : null;
  }

  /** Whether whoever sent it has given it up, or nobody waits and it takes too long. */
  boolean isForsaken(long now, long longest) {
    if (isOver() || request.isAwaited()) {
      return false;
    }
    if (answeredAll) {
      return now - answeredAt > GRACE;
    }
    return hadCalls || now - since > longest;
  }

  /** Whether it has been under way for long. */
  boolean isSlow(long now) {
    return now - since > SLOW;
  }

  // ---------------------------------------------------------------- the answer

  private HttpResponse response() {
    return java.util.Objects.requireNonNull(head);
  }

  /** Whether the body is, or should be, JSON-RPC. */
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
    return address.authority()
        + (wasStream
            ? " gave a stream that ended without an answer, with "
            : " gave no answer but ")
        + HttpFault.status(response, address)
        + HttpFault.told(body);
  }
}
