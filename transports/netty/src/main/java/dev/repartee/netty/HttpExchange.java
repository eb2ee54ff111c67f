package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.http.server.EventStream;
import dev.repartee.transport.http.server.ResponseFormat;
import dev.repartee.transport.http.server.ServedExchange;
import dev.repartee.transport.http.server.WholeResponse;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client, until its response is written. The event loop writes the response when
 * this exchange is the first unanswered one of its connection. Other threads use only what this
 * class inherits.
 */
final class HttpExchange extends ServedExchange {
  private final HttpConnection connection;

  /** The writer of the events; null if the client does not accept events. */
  private final @Nullable EventWriter writer;

  /** The bytes of the request that count towards the {@link InFlightBytes}. */
  final int size;

  /** Whether the connection stays open after the response. */
  boolean keepAlive;

  /** Whether the head of the response says that the connection stays open. */
  private boolean saidKeepAlive;

  /**
   * Creates an exchange.
   *
   * @param now the time of the event loop, in nanoseconds
   */
  HttpExchange(
      HttpConnection connection,
      Limits limits,
      @Nullable FrameService responder,
      ResponseFormat format,
      boolean keepAlive,
      int size,
      long now) {
    super(limits, responder, format);
    this.connection = connection;
    this.keepAlive = keepAlive;
    this.size = size;
    EventStream events = events();
    this.writer = events == null ? null : new EventWriter(this, events, now);
  }

  @Override
  protected void write() {
    connection.flushResponses();
  }

  @Override
  protected void writeLater() {
    connection.flushLater();
  }

  @Override
  protected void cutOff() {
    connection.abort();
  }

  /**
   * Writes the known part of the response.
   *
   * @return the future of the end of the response; null while more may follow
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    WholeResponse answer = whole();
    if (answer != null) {
      ChannelFuture end = ctx.write(headed(HttpAnswers.of(answer, format().head())));
      if (isCharged()) {
        end.addListener(left -> release());
      }
      return end;
    }
    return writer != null && writer.isBegun() ? writer.write(ctx) : null;
  }

  /** Returns the head of a response with server-sent events. */
  HttpResponse headOfEvents() {
    return headed(HttpAnswers.events(streamHeaders()));
  }

  /** Completes the head of a response. */
  private <T extends HttpResponse> T headed(T answer) {
    HttpAnswers.complete(answer, format(), keepAlive);
    saidKeepAlive = keepAlive;
    return answer;
  }

  /** Returns whether the head of the response states correctly if the connection stays open. */
  boolean isAnnounced() {
    return saidKeepAlive == keepAlive;
  }

  /**
   * Returns the writer of the stream that the response is or may become; null if it is a whole one,
   * or a service has not allowed a stream.
   */
  @Nullable EventWriter stream() {
    return mayStream() ? writer : null;
  }
}
