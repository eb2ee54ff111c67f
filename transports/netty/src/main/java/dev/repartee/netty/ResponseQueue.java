package dev.repartee.netty;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The unanswered requests of one connection. Writes their responses in the order of arrival, and
 * comments into an event stream that is silent for too long. Runs on the event loop.
 */
final class ResponseQueue {
  private final InFlightBytes inFlight;
  private final Deque<HttpExchange> unanswered = new ArrayDeque<>();

  /** The next check for a silent event stream. */
  private @Nullable Future<?> nextComment;

  ResponseQueue(InFlightBytes inFlight) {
    this.inFlight = inFlight;
  }

  void add(HttpExchange exchange) {
    unanswered.add(exchange);
    inFlight.serve(exchange.size);
  }

  int size() {
    return unanswered.size();
  }

  boolean isEmpty() {
    return unanswered.isEmpty();
  }

  /** Returns the exchange of the latest request. */
  @Nullable HttpExchange last() {
    return unanswered.peekLast();
  }

  /**
   * Writes the known part of the responses, without a flush.
   *
   * @return the future of the response that ends the connection; null while it is not written
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    for (HttpExchange head = unanswered.peek(); head != null; head = unanswered.peek()) {
      ChannelFuture end = head.write(ctx);
      if (end == null) {
        break;
      }
      unanswered.remove();
      inFlight.served(head.size);
      if (!head.keepAlive) { // no exchange follows
        return head.isAnnounced() ? end : writeFarewell(ctx);
      }
    }
    scheduleComment(ctx);
    return null;
  }

  /** Returns the event stream that is being written, or that the next response may become. */
  private @Nullable EventWriter stream() {
    HttpExchange head = unanswered.peek();
    return head == null ? null : head.stream();
  }

  private void scheduleComment(ChannelHandlerContext ctx) {
    EventWriter stream = stream();
    if (stream != null && nextComment == null) {
      nextComment = ctx.executor()
          .schedule(
              () -> sendKeepAliveComment(ctx), stream.untilComment(ctx), TimeUnit.NANOSECONDS);
    }
  }

  private void sendKeepAliveComment(ChannelHandlerContext ctx) {
    nextComment = null;
    EventWriter stream = stream();
    if (stream == null || stream.untilComment(ctx) > 0) {
      scheduleComment(ctx);
    } else if (unanswered.element().breaksSilence()) {
      stream.breakSilence(ctx);
      ctx.flush();
      scheduleComment(ctx);
    }
  }

  /**
   * Writes bytes that every client must skip: a comment in an event stream, or
   * {@code 100 Continue}.
   */
  void writeProbe(ChannelHandlerContext ctx) {
    EventWriter stream = stream();
    if (stream != null && stream.isBegun()) {
      stream.breakSilence(ctx);
    } else {
      writeContinue(ctx);
    }
    ctx.flush();
  }

  /** Writes {@code 100 Continue}, without a flush. */
  static void writeContinue(ChannelHandlerContext ctx) {
    ctx.write(new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
  }

  /**
   * Writes the response to a request that the client may have sent already, but this server will not
   * read: status 408 with {@code Connection: close} and {@code Repartee-Unsent}, without a flush. The
   * client may send the request again (RFC 9110 section 15.5.9). If the connection only ended, it
   * could not know whether the request was handled.
   */
  static ChannelFuture writeFarewell(ChannelHandlerContext ctx) {
    return ctx.write(HttpAnswers.farewell());
  }

  /** Cancels all unanswered requests. */
  void abandon() {
    for (HttpExchange x = unanswered.poll(); x != null; x = unanswered.poll()) {
      inFlight.served(x.size);
      x.abandon();
    }
    if (nextComment != null) {
      nextComment.cancel(false);
      nextComment = null;
    }
  }
}
