package dev.repartee.netty;

import dev.repartee.ProtocolException;
import dev.repartee.limits.Limits;
import dev.repartee.netty.http.CallerHeaders;
import dev.repartee.netty.http.HttpAddress;
import dev.repartee.netty.http.HttpFault;
import dev.repartee.netty.http.Proxy;
import dev.repartee.netty.tls.TlsFault;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One connection of an HTTP client. It carries one request at a time, without pipelining. It runs
 * entirely on the event loop of its {@link HttpClientChannel} and needs no locks.
 *
 * <p>A connection is in one of these states:
 *
 * <ul>
 *   <li>Idle: {@code exchange} is null. It may carry a request until {@code usableUntil}.
 *   <li>Busy: from {@link #send} to {@link #release}. The response may have ended before the
 *       release: its frames may wait for the receiver, and the current read may not be decoded to
 *       its end.
 *   <li>Closed: {@code closed} is set and never reset. A closed connection stays busy until the
 *       owner has delivered its frames and released it.
 * </ul>
 *
 * <p>If bytes follow the end of a response, the connection is not used again: the next request
 * would treat these bytes as its own response.
 */
final class ClientConnection extends SimpleChannelInboundHandler<HttpObject> {
  /**
   * The maximum idle time after which a connection is used again, and the default if the server
   * states none. A server may close an idle connection at any moment, and a request that is sent at
   * that moment is lost.
   */
  static final long IDLE = TimeUnit.SECONDS.toNanos(20);

  /**
   * How long to wait, after a failed write, for a response that the server may have sent earlier.
   */
  private static final int LINGER_SECONDS = 1;

  /** The {@code timeout} parameter of a {@code Keep-Alive} field, in seconds. */
  private static final Pattern TIMEOUT =
      Pattern.compile("(?:.*[,;\\s])?timeout\\s*=\\s*\"?([0-9]{1,6})\"?(?:[,;\\s].*)?");

  private final HttpClientChannel owner;
  private final HttpAddress address;

  /** The proxy that forwards the requests, or null. */
  private final @Nullable Proxy proxy;

  private final Headers headers;
  private final Limits limits;
  private final MessageBytes body;
  private final AnswerDecoder decoder;
  private @Nullable ChannelHandlerContext context;
  private @Nullable ClientExchange exchange;

  /** True after the current request was written completely. */
  private boolean written;

  private boolean closed;

  /** True while the bytes of one read are decoded. */
  private boolean reading;

  /** The time up to which the connection may be used again, as {@link System#nanoTime}. */
  private long usableUntil;

  ClientConnection(HttpClientChannel owner, Dialer dialer, Headers headers, Limits limits) {
    this.owner = owner;
    this.address = dialer.address();
    this.proxy = dialer.requestProxy();
    this.headers = headers;
    this.limits = limits;
    this.body = MessageBytes.asked(limits.frameBytes());
    this.decoder = new AnswerDecoder(limits.headerBytes());
  }

  /** Decodes responses, and reports whether bytes follow the last one. */
  static final class AnswerDecoder extends HttpResponseDecoder {
    AnswerDecoder(int headerBytes) {
      super(new HttpDecoderConfig()
          .setMaxInitialLineLength(headerBytes)
          .setMaxHeaderSize(headerBytes));
    }

    boolean isEmpty() {
      return actualReadableBytes() == 0;
    }
  }

  /** Returns the response decoder, which belongs before this handler in the pipeline. */
  ChannelHandler decoder() {
    return decoder;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    usableUntil = System.nanoTime() + IDLE;
  }

  private ChannelHandlerContext context() {
    return Objects.requireNonNull(context);
  }

  private ClientExchange exchange() {
    return Objects.requireNonNull(exchange);
  }

  /** Returns whether the connection may carry a request. */
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

  /**
   * Sends a message as a POST request. The connection is busy until {@link #release}. It closes
   * when nobody waits for the response any more; that cancels the calls at the server.
   */
  void send(OutgoingMessage message) {
    ClientExchange x =
        new ClientExchange(message, address, proxy, body, owner, limits.queuedBytes());
    exchange = x;
    written = false;
    ChannelHandlerContext ctx = context();
    // A server may refuse a request and stop reading before all of it has arrived, as with status
    // 413. Then the write fails, but the response may still arrive. Therefore the socket is not
    // closed immediately.
    ctx.writeAndFlush(post(message.text())).addListener(sent -> {
      written = sent.isSuccess();
      if (!ctx.channel().isActive()) {
        lost();
      } else if (!written) {
        ctx.executor().schedule(() -> close(), LINGER_SECONDS, TimeUnit.SECONDS);
      }
    });
    message.onEnd(unwanted -> {
      if (unwanted) {
        owner.onLoop(() -> cancel(x));
      }
    });
  }

  private void cancel(ClientExchange x) {
    if (exchange == x && !x.isOver()) {
      close();
    }
  }

  private FullHttpRequest post(OutboundFrame frame) {
    FullHttpRequest post = new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        HttpMethod.POST,
        proxy == null ? address.path() : "http://" + address.hostHeader() + address.path(),
        Unpooled.wrappedBuffer(frame.array(), 0, frame.size()));
    post.headers()
        .set(HttpHeaderNames.HOST, address.hostHeader())
        .set(HttpHeaderNames.CONTENT_TYPE, "application/json")
        .set(HttpHeaderNames.ACCEPT, "application/json, text/event-stream")
        .set(HttpHeaderNames.ACCEPT_ENCODING, "gzip")
        .setInt(HttpHeaderNames.CONTENT_LENGTH, frame.size());
    if (proxy != null && proxy.authorization() != null) {
      post.headers().set(HttpHeaderNames.PROXY_AUTHORIZATION, proxy.authorization());
    }
    CallerHeaders.put(headers, post.headers());
    return post;
  }

  // ---------------------------------------------------------------- responses

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
    reading = true;
    ClientExchange x = exchange;
    if (message.decoderResult().isFailure() || x == null || x.isOver()) {
      fail(new ProtocolException(server() + " sent bytes that are not an HTTP response"));
      return;
    }
    if (message instanceof HttpResponse head) {
      if (head.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
        String refusal = address.authority() + " gave no answer but "
            + HttpFault.status(head, address) + ", a change of protocol that was not asked for";
        fail(HttpFault.of(head, refusal));
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

  /**
   * Notifies the owner of an exchange that has ended. Before the end of the read, bytes after the
   * response could still be in the decoder, where {@link #release} does not see them.
   */
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

  /** Returns the name of the server for messages, after the name of the proxy if there is one. */
  private String server() {
    return address.authority() + (proxy == null ? "" : " through the proxy " + proxy);
  }

  private void lost() {
    fail(new DisconnectedException(
        "the connection to " + server() + " ended before the answer came", null));
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
        "the connection to " + server() + " was lost: "
            + (fault == null ? SystemErrors.reason(cause) : fault),
        cause));
  }

  // ---------------------------------------------------------------- called by the owner

  /**
   * Delivers the frames that arrived. Continues reading if all were accepted, and stops reading
   * otherwise.
   *
   * @return false if some frames must wait
   */
  boolean settle() {
    boolean settled = exchange().settle();
    context().channel().config().setAutoRead(settled);
    return settled;
  }

  /** Returns whether the exchange has ended, with every byte of the current read decoded. */
  boolean isDone() {
    return exchange().isOver() && (closed || !reading);
  }

  /**
   * Returns whether the request has taken so long that it no longer counts towards the limit of
   * concurrent requests.
   */
  boolean isSlow(long now) {
    return exchange != null && exchange.isSlow(now);
  }

  /**
   * Ends the exchange. Makes the connection idle, or closes it if it cannot be used again: the
   * response ends the connection, the request was not written completely, or bytes follow the
   * response.
   *
   * @return the message that was the request
   */
  OutgoingMessage release() {
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

  /**
   * Returns for how many nanoseconds the connection may be used again. It is the timeout that the
   * server states, less a margin of up to 1 s for the time a request needs to arrive.
   */
  static long keptFor(HttpResponse response) {
    Matcher said = TIMEOUT.matcher(response.headers().get("keep-alive", ""));
    if (!said.matches()) {
      return IDLE;
    }
    long millis = TimeUnit.SECONDS.toMillis(Long.parseLong(said.group(1)));
    long margin = Math.min(1_000, millis / 2);
    return Math.min(IDLE, TimeUnit.MILLISECONDS.toNanos(millis - margin));
  }

  /** Returns whether the request should end because nobody waits for its response. */
  boolean isForsaken(long now, long longest) {
    return exchange != null && exchange.isForsaken(now, longest);
  }
}
