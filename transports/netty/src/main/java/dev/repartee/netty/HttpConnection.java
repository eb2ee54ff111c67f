package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.netty.http.RequestHeaders;
import dev.repartee.netty.http.RequestPolicy;
import dev.repartee.netty.http.RequestTarget;
import dev.repartee.netty.http.ResponseFormat;
import dev.repartee.netty.http.Route;
import dev.repartee.netty.tls.Tls;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.HttpReply;
import dev.repartee.transport.HttpResponse;
import dev.repartee.transport.HttpService;
import dev.repartee.transport.TimeLimits;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.DuplexChannelConfig;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server side of one HTTP connection: here of a socket that speaks HTTP/1.1, in {@link
 * Http2Request} of one HTTP/2 stream. Requests are served as they arrive and answered in their
 * order. While too many are in flight, or the client does not read its responses, nothing is read.
 *
 * <p>A request is {@code arriving} from its header to the end of its body, which {@code body}
 * collects. Then it is an {@link HttpExchange} in {@code unanswered}, in the order of arrival.
 * {@link #settle} writes the response of the first exchange as far as it is known, and removes the
 * exchange when its end is written. A refused request becomes an exchange too, so that its response
 * keeps the order.
 *
 * <p>The connection ends in one of these ways:
 *
 * <ul>
 *   <li>After a response: an exchange without {@code keepAlive} makes the connection {@code deaf},
 *       which means that all further input is dropped. When its response is written, the output is
 *       shut down, and the socket is closed {@code LINGER_SECONDS} later.
 *   <li>The client ends its output ({@code inputEnded}): the requests before the end are answered,
 *       within {@code halfCloseTimeout}.
 *   <li>{@link #finish}: no further requests; the last one becomes one without {@code keepAlive}.
 *   <li>{@link #abort}, a socket error or an exceeded time limit: at once.
 * </ul>
 *
 * <p>Threading: all state belongs to the event loop. {@link #said}, {@link #saidByService}, {@link
 * #abort()} and {@code finish} may be called from any thread; they pass the work to the event
 * loop.
 */
class HttpConnection extends Inflow implements ServedConnection, TimeLimitsHandler.Watched {
  /**
   * The most requests of one connection that are served at the same time. RFC 9113 section 6.5.2
   * recommends at least 100, and HTTP/2 clients send up to 100 before they have read our settings.
   */
  static final int IN_FLIGHT = 100;

  /**
   * The time from the end of the output to the close, in which input is dropped. If the socket were
   * closed while the client still sends, a reset could destroy the last response.
   */
  static final int LINGER_SECONDS = 1;

  /**
   * The time before the first probe of a client that has ended its output; doubled for each next
   * one.
   */
  private static final Duration PROBE = Duration.ofMillis(100);

  private static final byte[] NO_BODY = {};

  private final RequestPolicy policy;
  private final TimeLimitsHandler times;
  private final InFlightBytes inFlight;
  private final Limits limits;
  private final MessageBytes body;
  private final Deque<HttpExchange> unanswered = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable ChannelInfo info;

  /** The request of which the header has arrived, but not the whole body. */
  private @Nullable HttpRequest arriving;

  /** The service of the request that has arrived last; null if there is none. */
  private @Nullable Route route;

  /** The facts about the connection; null until the first request. */
  private @Nullable Attributes attributes;

  /** The next check for a silent event stream. */
  private @Nullable Future<?> beat;

  private @Nullable RequestDecoder decoder;

  /** True if all further input is dropped, because the connection is about to end. */
  private boolean deaf;

  /**
   * True if the arriving request expects {@code 100 Continue}, which follows all earlier responses.
   */
  private boolean continueOwed;

  /** True if the client has ended its output. It may still read. */
  private boolean inputEnded;

  /** The next probe of a client that has ended its output. */
  private @Nullable Future<?> probe;

  /** The end of the time for responses to a client that has ended its output. */
  private @Nullable Future<?> cut;

  HttpConnection(RequestPolicy policy) {
    this(policy, new InFlightBytes(policy.limits().queuedBytes(), () -> {}));
  }

  /** Creates a connection that shares a limit of bytes in flight with others. */
  HttpConnection(RequestPolicy policy, InFlightBytes inFlight) {
    this.inFlight = inFlight;
    this.policy = policy;
    this.limits = policy.limits();
    this.times = new TimeLimitsHandler(limits, this);
    this.body = MessageBytes.served(limits.frameBytes());
  }

  /** Returns the handler of the time limits, which belongs where bytes come in. */
  TimeLimitsHandler times() {
    return times;
  }

  /** Adds the handlers that serve HTTP/1.1 to the pipeline of a socket. */
  void addTo(ChannelPipeline pipeline) {
    RequestDecoder requests = new RequestDecoder(limits.headerBytes());
    decoder = requests;
    // Not HttpServerCodec, which fails if a client has pipelined 128 requests.
    pipeline.addLast(requests, new HttpResponseEncoder());
    if (policy.deflates()) {
      pipeline.addLast(Deflate.server(limits.frameBytes()));
    }
    pipeline.addLast(this);
  }

  /** Removes these handlers again. No request has reached them yet. */
  void removeFrom(ChannelPipeline pipeline) {
    pipeline.remove(RequestDecoder.class);
    pipeline.remove(HttpResponseEncoder.class);
    if (policy.deflates()) {
      pipeline.remove(WebSocketServerExtensionHandler.class);
    }
    pipeline.remove(this);
  }

  /** Returns whether a request may turn this connection into a WebSocket. */
  boolean opensWebSockets() {
    return true;
  }

  /** Returns whether the client has to send more: its first request, or the rest of one. */
  boolean isBegun() {
    return decoder != null && decoder.isOwed();
  }

  final boolean isArriving() {
    return arriving != null;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  private ChannelHandlerContext context() {
    return Objects.requireNonNull(context);
  }

  private static @Nullable InetSocketAddress local(ChannelHandlerContext ctx) {
    return ctx.channel().localAddress() instanceof InetSocketAddress address ? address : null;
  }

  private ChannelInfo info(ChannelHandlerContext ctx) {
    ChannelInfo known = info;
    if (known == null) {
      known = new ChannelInfo(
          Tls.isOn(ctx.channel()) ? "https" : "http", Connections.remote(ctx.channel()), "message");
      info = known;
    }
    return known;
  }

  // ---------------------------------------------------------------- requests

  @Override
  boolean isReady() {
    return deaf
        || unanswered.size() < IN_FLIGHT
            && inFlight.takes(this)
            && context().channel().isWritable();
  }

  @Override
  void take(ChannelHandlerContext ctx, Object message) {
    if (!deaf && message instanceof HttpRequest request) {
      head(ctx, request);
    }
    if (!deaf && message instanceof HttpContent content && arriving != null) {
      content(ctx, arriving, content);
    }
  }

  private void head(ChannelHandlerContext ctx, HttpRequest request) {
    if (request.decoderResult().cause() instanceof PrematureChannelClosureException) {
      return; // the client ended its output within a header
    }
    if (request.decoderResult().isFailure()) {
      refuseAndEnd(ctx, request, malformed(request.decoderResult().cause()));
      return;
    }
    HttpResponse unspoken = unspoken(request);
    if (unspoken != null) {
      refuseAndEnd(ctx, request, unspoken);
      return;
    }
    RequestTarget.useOriginForm(request);
    HttpResponse error = policy.errorBeforeRouting(
        request, info(ctx), local(ctx), () -> asked(ctx, request, NO_BODY));
    if (error == null) {
      route = policy.route(request.uri());
      error = policy.error(request, route);
    }
    if (error == null && RequestPolicy.isUpgrade(request) && !opensWebSockets()) {
      error = HttpResponse.text(400, "WebSockets open over HTTP/1.1 here.");
    }
    arriving = request;
    body.clear();
    if (error != null) {
      refuse(ctx, request, error);
    } else if (HttpUtil.is100ContinueExpected(request)) {
      continueOwed = true;
      settle(ctx);
    }
  }

  private static void writeContinue(ChannelHandlerContext ctx) {
    ctx.write(new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
  }

  /**
   * Refuses an unknown version of HTTP, and an unknown transfer coding. The end of such a request
   * cannot be found, so the connection has to end with it.
   */
  private static @Nullable HttpResponse unspoken(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return HttpResponse.text(505, "The version of HTTP is 1.1 here, or 1.0.");
    }
    String coding = request.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
    if (coding != null && !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(coding)) {
      return HttpResponse.text(501, "The Transfer-Encoding is chunked, or none.");
    }
    return null;
  }

  private static HttpResponse malformed(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      return HttpResponse.text(431, "The header is too large.");
    }
    if (cause instanceof TooLongHttpLineException || cause instanceof TooLongFrameException) {
      return HttpResponse.text(414, "The request line is too long.");
    }
    return HttpResponse.text(400, "This is not an HTTP request.");
  }

  private void content(ChannelHandlerContext ctx, HttpRequest request, HttpContent content) {
    int size = content.content().readableBytes();
    continueOwed &= size == 0 && !(content instanceof LastHttpContent); // a body came without it
    if (content.decoderResult().isFailure()) {
      refuseAndEnd(ctx, request, malformed(content.decoderResult().cause()));
    } else if (!body.append(content.content())) {
      refuseAndEnd(ctx, request, policy.bodyError(body.isCrowded()));
    } else if (content instanceof LastHttpContent) {
      arrived();
      times.completed();
      complete(ctx, request);
    } else {
      inFlight.arrive(this, size);
    }
  }

  /** Ends the arrival of a request, whether complete or refused. */
  private void arrived() {
    arriving = null;
    continueOwed = false;
    inFlight.arrived(this);
  }

  private void complete(ChannelHandlerContext ctx, HttpRequest request) {
    if (RequestPolicy.isUpgrade(request)) {
      upgrade(ctx, request);
    } else if (request.headers().contains(HttpHeaderNames.CONTENT_ENCODING)) {
      decompress(ctx, request);
    } else {
      serve(ctx, request, body);
    }
    body.clear();
  }

  private void decompress(ChannelHandlerContext ctx, HttpRequest request) {
    MessageBytes plain = MessageBytes.served(limits.frameBytes());
    try {
      decompress(ctx, request, plain);
    } finally {
      plain.clear();
    }
  }

  private void decompress(ChannelHandlerContext ctx, HttpRequest request, MessageBytes plain) {
    HttpResponse error = null;
    try {
      error = Gzip.decompress(body, plain) ? null : policy.bodyError(plain.isCrowded());
    } catch (IOException e) {
      error = HttpResponse.text(400, "The body is not gzip, or not all of it.");
    }
    if (error == null) {
      serve(ctx, request, plain);
    } else {
      exchange(request, HttpUtil.isKeepAlive(request), 0).refuse(error);
      settle(ctx);
    }
  }

  private void serve(ChannelHandlerContext ctx, HttpRequest request, MessageBytes message) {
    Route serving = Objects.requireNonNull(route);
    HttpExchange x = exchange(request, HttpUtil.isKeepAlive(request), message.size);
    HttpService service = serving.http();
    if (service != null) {
      byte[] content = Arrays.copyOf(message.bytes, message.size);
      x.repliedBy(service, asked(ctx, request, content));
    } else {
      Attributes facts =
          RequestHeaders.attributes(attributes(ctx), request).with(HttpReply.RESPONSE_HEADERS, x);
      x.servedBy(Objects.requireNonNull(serving.responder())
          .of(info(ctx), facts)
          .serve(message.bytes, 0, message.size, x));
    }
    settle(ctx);
  }

  private Attributes attributes(ChannelHandlerContext ctx) {
    Attributes known = attributes;
    if (known == null) {
      known = Connections.attributes(ctx.channel());
      attributes = known;
    }
    return known;
  }

  private dev.repartee.transport.HttpRequest asked(
      ChannelHandlerContext ctx, HttpRequest request, byte[] content) {
    String target = request.uri();
    int query = target.indexOf('?');
    return new dev.repartee.transport.HttpRequest(
        request.method().name(),
        query < 0 ? target : target.substring(0, query),
        query < 0 ? null : target.substring(query + 1),
        new RequestHeaders(request.headers()),
        content,
        info(ctx),
        RequestHeaders.attributes(attributes(ctx), request));
  }

  /** Appends an exchange to those that are unanswered. */
  private HttpExchange exchange(@Nullable HttpRequest request, boolean keepAlive, int size) {
    ResponseFormat format =
        request == null ? ResponseFormat.UNKNOWN : ResponseFormat.of(request, policy);
    long now = context().executor().ticker().nanoTime();
    HttpExchange x = new HttpExchange(
        this, limits, route == null ? null : route.responder(), format, keepAlive, size, now);
    unanswered.add(x);
    inFlight.serve(size);
    deaf |= !keepAlive;
    admitHalfClosure(!format.http10());
    return x;
  }

  private void upgrade(ChannelHandlerContext ctx, HttpRequest request) {
    if (!unanswered.isEmpty()) {
      refuseAndEnd(
          ctx,
          request,
          HttpResponse.text(400, "Open a WebSocket after the earlier requests are answered."));
    } else if (isHolding()) { // WebSocket frames were decoded as HTTP
      refuseAndEnd(
          ctx, request, HttpResponse.text(400, "Send frames after the response to the handshake."));
    } else {
      admitHalfClosure(false);
      WebSockets.accept(
          ctx,
          request,
          policy,
          Objects.requireNonNull(route).acceptor(),
          RequestHeaders.attributes(attributes(ctx), request),
          times,
          this,
          Objects.requireNonNull(decoder));
    }
  }

  // ---------------------------------------------------------------- refusals

  /**
   * Refuses a request because of its header. If a body follows, it is not read, and the connection
   * ends.
   */
  private void refuse(ChannelHandlerContext ctx, HttpRequest request, HttpResponse error) {
    boolean bare =
        !HttpUtil.isTransferEncodingChunked(request) && HttpUtil.getContentLength(request, 0L) == 0;
    if (bare && HttpUtil.isKeepAlive(request)) {
      arrived();
      times.completed();
      exchange(request, true, 0).refuse(error);
      settle(ctx);
    } else {
      refuseAndEnd(ctx, request, error);
    }
  }

  private void refuseAndEnd(
      ChannelHandlerContext ctx, @Nullable HttpRequest request, HttpResponse error) {
    arrived();
    body.clear();
    exchange(request, false, 0).refuse(error);
    settle(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // the socket failed, or the input cannot be decoded any more
  }

  // ---------------------------------------------------------------- responses

  /** Writes new output of an exchange, and reads on if possible. Any thread may call it. */
  void said() {
    ChannelHandlerContext ctx = context();
    if (ctx.executor().inEventLoop()) {
      goOn(ctx);
    } else {
      ctx.executor().execute(() -> goOn(ctx));
    }
  }

  /**
   * Does the same for an {@link HttpService}, always in a task of its own. Reading on may call the
   * service again; that must not happen inside its own call, which may hold locks.
   */
  void saidByService() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> goOn(ctx));
  }

  /** Ends the connection at once. Any thread may call it. */
  void abort() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> abort(ctx));
  }

  /**
   * Reads on, since the bytes in flight may have dropped below their limit. Runs on the event loop.
   */
  final void wake() {
    proceed(context());
  }

  private void goOn(ChannelHandlerContext ctx) {
    settle(ctx);
    proceed(ctx);
    endIfServed(ctx);
  }

  /**
   * Writes all output that is due: responses in the order of their requests, then {@code 100
   * Continue}.
   */
  private void settle(ChannelHandlerContext ctx) {
    ChannelFuture end = null;
    do {
      HttpExchange head = unanswered.peek();
      end = head == null ? null : head.write(ctx);
      if (head != null && end != null) {
        answered(ctx, head, end);
      }
    } while (end != null);
    if (unanswered.isEmpty()) {
      if (continueOwed) {
        continueOwed = false;
        writeContinue(ctx);
      }
      admitHalfClosure(true); // so that written responses are sent before the connection ends
    }
    flush(ctx);
    attend(ctx);
    endIfServed(ctx);
  }

  private void answered(ChannelHandlerContext ctx, HttpExchange x, ChannelFuture end) {
    unanswered.remove();
    inFlight.served(x.size);
    if (!x.keepAlive) {
      end.addListener(written -> answeredLast(ctx, written.isSuccess()));
    }
  }

  /**
   * Ends the connection, because its last response is written.
   *
   * @param open false if the response could not be written
   */
  void answeredLast(ChannelHandlerContext ctx, boolean open) {
    linger(ctx, open);
  }

  /** Schedules the check for silence of the event stream that is being written, if there is one. */
  private void attend(ChannelHandlerContext ctx) {
    HttpExchange head = unanswered.peek();
    EventStream stream = head == null ? null : head.stream();
    if (stream != null && beat == null) {
      beat =
          ctx.executor().schedule(() -> beat(ctx), stream.untilComment(ctx), TimeUnit.NANOSECONDS);
    }
  }

  /** Breaks the silence of the event stream that is being written, if it has lasted too long. */
  private void beat(ChannelHandlerContext ctx) {
    beat = null;
    HttpExchange head = unanswered.peek();
    EventStream stream = head == null ? null : head.stream();
    if (stream == null || stream.untilComment(ctx) > 0) {
      attend(ctx);
    } else if (head.breaksSilence(stream)) {
      stream.breakSilence(ctx);
      ctx.flush();
      attend(ctx);
    }
  }

  /**
   * Ends the output, under TLS with close_notify, and closes the socket {@code LINGER_SECONDS}
   * later.
   *
   * @param open false to close the socket at once
   */
  static void linger(ChannelHandlerContext ctx, boolean open) {
    if (open && ctx.channel() instanceof DuplexChannel socket) {
      SslHandler tls = ctx.pipeline().get(SslHandler.class);
      ChannelFuture last = tls == null ? ctx.newSucceededFuture() : tls.closeOutbound();
      last.addListener(said -> socket.shutdownOutput());
      ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
    } else {
      ctx.close();
    }
  }

  // ---------------------------------------------------------------- the connection

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    super.handlerRemoved(ctx);
    body.clear();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    proceed(ctx);
    endIfServed(ctx);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    deaf = true;
    arrived();
    abandon();
    for (Future<?> scheduled : new Future<?>[] {beat, probe, cut}) {
      if (scheduled != null) {
        scheduled.cancel(false);
      }
    }
  }

  // ---------------------------------------------------------------- the end of the client's output

  /**
   * Sets whether the connection outlives the end of the client's output. If it does not, Netty
   * closes the socket at that moment, and unsent responses are lost. A client of HTTP/1.0 cannot be
   * probed for whether it still reads. Under TLS the end of one direction may end both (RFC 5246
   * section 7.2.1).
   */
  private void admitHalfClosure(boolean admitted) {
    Channel channel = context().channel();
    if (channel.config() instanceof DuplexChannelConfig config
        && config.isAllowHalfClosure() != admitted
        && !Tls.isOn(channel)) {
      config.setAllowHalfClosure(admitted);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      inputEnded(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  /**
   * Handles the end of the client's output. Most clients have disconnected then, and their handlers
   * should be cancelled; some still wait for responses. Only writing tells the two apart: the
   * system of a client that has disconnected answers with a reset.
   */
  private void inputEnded(ChannelHandlerContext ctx) {
    inputEnded = true;
    Duration limit = limits.halfCloseTimeout();
    if (!limit.isZero()) {
      cut = ctx.executor().schedule(() -> ctx.close(), limit.toNanos(), TimeUnit.NANOSECONDS);
    }
    scheduleProbe(ctx, PROBE.toNanos());
    endIfServed(ctx);
  }

  private void scheduleProbe(ChannelHandlerContext ctx, long nanos) {
    probe = ctx.executor().schedule(() -> probe(ctx, nanos), nanos, TimeUnit.NANOSECONDS);
  }

  /**
   * Writes bytes that every client has to skip: {@code 100 Continue}, or a comment in an event
   * stream.
   */
  private void probe(ChannelHandlerContext ctx, long nanos) {
    HttpExchange head = unanswered.peek();
    if (head != null) {
      EventStream stream = head.stream();
      if (stream != null && stream.isBegun()) {
        stream.breakSilence(ctx);
      } else {
        writeContinue(ctx);
      }
      ctx.flush();
      scheduleProbe(ctx, 2 * nanos);
    }
  }

  /** Ends the connection if the client has ended its output and all its requests are answered. */
  private void endIfServed(ChannelHandlerContext ctx) {
    if (inputEnded && unanswered.isEmpty() && !isHolding() && !ctx.isRemoved()) {
      end(ctx);
    }
  }

  // ---------------------------------------------------------------- the end

  @Override
  public void finish() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> finish(ctx));
  }

  @Override
  public CompletableFuture<?> finish(Duration limit) {
    CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> {
      if (ctx.isRemoved()) {
        ended.complete(null);
        return;
      }
      finish(ctx);
      Future<?> cut =
          ctx.executor().schedule(() -> cut(ctx), limit.toNanos(), TimeUnit.NANOSECONDS);
      ctx.channel().closeFuture().addListener(closed -> {
        cut.cancel(false);
        ended.complete(null);
      });
    });
    return ended;
  }

  private void finish(ChannelHandlerContext ctx) {
    HttpExchange last = unanswered.peekLast();
    if (ctx.isRemoved() || deaf) {
      return; // it is a WebSocket now, which has its own end; or it is ending already
    }
    if (arriving != null) {
      refuseAndEnd(ctx, arriving, HttpResponse.text(503, "The server is closing."));
    } else if (last != null) {
      deaf = true;
      last.keepAlive = false;
    } else {
      end(ctx);
    }
  }

  /**
   * Cancels the running requests and ends the connection. Written responses may still be sent for
   * {@code LINGER_SECONDS}.
   */
  private void cut(ChannelHandlerContext ctx) {
    abandon();
    end(ctx);
    ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
  }

  /** Cancels all requests that are unanswered. */
  private void abandon() {
    for (HttpExchange x = unanswered.poll(); x != null; x = unanswered.poll()) {
      inFlight.served(x.size);
      x.abandon();
    }
  }

  /** Closes the socket once all written output is sent. */
  private void end(ChannelHandlerContext ctx) {
    deaf = true;
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public boolean isMessageDue() {
    return !deaf && !inputEnded && !continueOwed && isReady() && isBegun();
  }

  @Override
  public int held() {
    return body.held();
  }

  @Override
  public boolean isIdle() {
    return unanswered.isEmpty();
  }

  @Override
  public void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit) {
    if (limit == TimeLimits.Limit.FIRST_BYTE) {
      refuseAndEnd(
          context(), arriving, HttpResponse.text(408, "The request did not come in time."));
    } else {
      abort(ctx);
    }
  }

  /** Ends the connection at once; output that is not sent yet is lost. */
  void abort(ChannelHandlerContext ctx) {
    ctx.close();
  }
}
