package dev.repartee.netty;

import dev.repartee.DisconnectedException;
import dev.repartee.Headers;
import dev.repartee.Limits;
import dev.repartee.Output;
import dev.repartee.ProtocolException;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One connection of a client: carries one request at a time. Of the event loop. */
final class ClientConnection extends SimpleChannelInboundHandler<HttpObject> {
  /** For how long a connection is kept that does not say: the server may be about to end it. */
  private static final long IDLE = TimeUnit.SECONDS.toNanos(20);

  /** After a write failed what the server said before may still come in for that long. */
  private static final int LINGER_SECONDS = 1;

  private static final Pattern TIMEOUT =
      Pattern.compile("(?:.*[,;\\s])?timeout\\s*=\\s*\"?([0-9]{1,6})\"?(?:[,;\\s].*)?");

  private final HttpClientChannel owner;
  private final HttpAddress address;
  private final Headers headers;
  private final Limits limits;
  private final MessageBytes body;
  private final AnswerDecoder decoder;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ClientExchange exchange;
  private boolean written;
  private boolean closed;

  /** Whether the bytes of one read are being decoded. */
  private boolean reading;

  /** Until when it may be used again, in the nanoseconds of the JVM. */
  private long usableUntil;

  ClientConnection(HttpClientChannel owner, HttpAddress address, Headers headers, Limits limits) {
    this.owner = owner;
    this.address = address;
    this.headers = headers;
    this.limits = limits;
    this.body = MessageBytes.asked(limits.frameBytes());
    this.decoder = new AnswerDecoder(limits.headerBytes());
  }

  /** Decodes answers, and knows whether bytes are left behind the last one. */
  private static final class AnswerDecoder extends HttpResponseDecoder {
    AnswerDecoder(int headerBytes) {
      super(new HttpDecoderConfig()
          .setMaxInitialLineLength(headerBytes)
          .setMaxHeaderSize(headerBytes));
    }

    boolean isEmpty() {
      return actualReadableBytes() == 0;
    }
  }

  /** The decoder of responses, which belongs before this handler. */
  ChannelHandler decoder() {
    return decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    usableUntil = System.nanoTime() + IDLE;
  }

  private ChannelHandlerContext context() {
    return java.util.Objects.requireNonNull(context);
  }

  private ClientExchange exchange() {
    return java.util.Objects.requireNonNull(exchange);
  }

  /** Whether it may carry a request. */
  boolean isUsable(long now) {
    return !closed && context != null && context.channel().isActive() && now - usableUntil < 0;
  }

  void close() {
    closed = true;
    if (context != null) {
      context.close();
    }
  }

  // ---------------------------------------------------------------- a request

  /** Sends a frame as a request; the connection is busy until {@link #release}. */
  void send(Output frame) {
    ClientExchange x = new ClientExchange(frame, address, body, owner, limits.queuedBytes());
    exchange = x;
    written = false;
    ChannelHandlerContext ctx = context();
    ctx.writeAndFlush(post(frame)).addListener(sent -> {
      written = sent.isSuccess();
      if (!ctx.channel().isActive()) {
        lost();
      } else if (!written) {
        ctx.executor().schedule(() -> close(), LINGER_SECONDS, TimeUnit.SECONDS);
      }
    });
  }

  private FullHttpRequest post(Output frame) {
    FullHttpRequest post = new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        HttpMethod.POST,
        address.path(),
        Unpooled.wrappedBuffer(frame.array(), 0, frame.size()));
    post.headers()
        .set(HttpHeaderNames.HOST, address.hostHeader())
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.ACCEPT, "application/json, text/event-stream")
        .set(HttpHeaderNames.ACCEPT_ENCODING, "gzip")
        .setInt(HttpHeaderNames.CONTENT_LENGTH, frame.size());
    CallerHeaders.put(headers, post.headers());
    return post;
  }

  // ---------------------------------------------------------------- what comes in

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    reading = true;
    ClientExchange x = exchange;
    if (message.decoderResult().isFailure() || x == null || x.isOver()) {
      fail(new ProtocolException("what " + address.authority() + " sends is not HTTP"));
      return;
    }
    if (message instanceof HttpResponse head) {
      if (head.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
        fail(new ProtocolException(address.authority() + " gave no answer but "
            + HttpFault.status(head, address) + ", a change of protocol that was not asked for"));
        return;
      }
      x.head(head);
    }
    if (message instanceof HttpContent content) {
      if (!x.content(content)) {
        fail(new ProtocolException(
            "the answer of " + address.authority() + " passed the limit frameBytes"));
      } else {
        owner.heard(this);
      }
    }
  }

  /** An exchange that is over ends here: before, bytes behind its answer may still be decoded. */
  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    reading = false;
    if (exchange != null && exchange.isOver()) {
      owner.heard(this);
    }
    ctx.fireChannelReadComplete();
  }

  private void fail(RuntimeException cause) {
    close();
    if (exchange != null) {
      exchange.fail(cause);
      owner.heard(this);
    }
  }

  private void lost() {
    fail(new DisconnectedException(
        "the connection to " + address.authority() + " ended before the answer came", null));
    owner.ended(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    lost();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    String fault = TlsFault.reason(cause, address);
    fail(new DisconnectedException(
        "the connection to " + address.authority() + " was lost: "
            + (fault == null ? SystemErrors.reason(cause) : fault),
        cause));
  }

  // ---------------------------------------------------------------- of the owner

  /** Hands on what came in; false, and nothing more is read, if some of it has to wait. */
  boolean settle() {
    boolean settled = exchange().settle();
    context().channel().config().setAutoRead(settled);
    return settled;
  }

  /** Whether the exchange has come to its end, and all that was read with it is decoded. */
  boolean isDone() {
    return exchange().isOver() && (closed || !reading);
  }

  /** Whether its request has been under way for so long that others need not wait for it. */
  boolean isSlow(long now) {
    return exchange != null && exchange.isSlow(now);
  }

  /** Frees it for the next request; answers the frame that was the last. */
  Output release() {
    ClientExchange x = exchange();
    exchange = null;
    x.close();
    body.clear();
    HttpResponse response = x.reusable();
    if (response == null || !written || !decoder.isEmpty()) {
      close();
    } else {
      usableUntil = System.nanoTime() + keptFor(response);
    }
    return x.request();
  }

  /** What the server says of how long it keeps the connection, less the time that a request takes. */
  private static long keptFor(HttpResponse response) {
    Matcher said = TIMEOUT.matcher(response.headers().get("keep-alive", ""));
    if (!said.matches()) {
      return IDLE;
    }
    long millis = TimeUnit.SECONDS.toMillis(Long.parseLong(said.group(1)));
    long margin = Math.min(1_000, millis / 2);
    return Math.min(IDLE, TimeUnit.MILLISECONDS.toNanos(millis - margin));
  }

  /** Whether nobody waits for its answer any more. */
  boolean isForsaken(long now, long longest) {
    return exchange != null && exchange.isForsaken(now, longest);
  }
}
