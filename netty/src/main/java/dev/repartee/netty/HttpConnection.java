package dev.repartee.netty;

import dev.repartee.ChannelInfo;
import dev.repartee.HttpService;
import dev.repartee.Limits;
import dev.repartee.Responder;
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
import io.netty.handler.codec.http.HttpMethod;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The serving end of one HTTP connection, here of a socket that speaks HTTP/1.1: requests are served
 * as they come and answered in their order. While too many are in flight, or the client does not read
 * its answers, no more are read. Everything but {@link #said} runs on the event loop.
 */
class HttpConnection extends Inflow implements ServedConnection, TimeWatch.Watched {
  /**
   * Requests of one connection that are served at once. RFC 9113 section 6.5.2 recommends no fewer than
   * 100; so many are what clients of HTTP/2 send before they have read our settings.
   */
  static final int IN_FLIGHT = 100;

  /** After a refusal input is thrown away for that long: to close at once could lose the answer. */
  static final int LINGER_SECONDS = 1;

  /** The time before a client that has ended its output is asked whether it reads; doubled each time. */
  private static final Duration PROBE = Duration.ofMillis(100);

  private final Door door;
  private final Responder.@Nullable OneWay responder;
  private final TimeWatch watch;
  private final Load load;
  private final Limits limits;
  private final MessageBytes body;
  private final Deque<HttpExchange> unanswered = new ArrayDeque<>();
  private @Nullable ChannelHandlerContext context;
  private @Nullable ChannelInfo info;
  private @Nullable HttpRequest arriving;
  private @Nullable Future<?> beat;
  private @Nullable RequestDecoder decoder;

  /** Whether what comes in is thrown away, since the connection ends. */
  private boolean deaf;

  /** Whether the request that arrives waits for 100 Continue, which follows all answers before it. */
  private boolean continueOwed;

  /** Whether the client has ended its output, though it may still read. */
  private boolean inputEnded;

  private @Nullable Future<?> probe;
  private @Nullable Future<?> cut;

  HttpConnection(Door door, Responder.@Nullable OneWay responder) {
    this(door, responder, new Load(door.options().limits().queuedBytes(), () -> {}));
  }

  /** One of those that share a load. */
  HttpConnection(Door door, Responder.@Nullable OneWay responder, Load load) {
    this.load = load;
    this.door = door;
    this.responder = responder;
    this.limits = door.options().limits();
    this.watch = new TimeWatch(limits, this);
    this.body = MessageBytes.served(limits.frameBytes());
  }

  /** The limits of time, which stand where bytes come in. */
  TimeWatch watch() {
    return watch;
  }

  /** Adds what serves a socket that speaks HTTP/1.1. */
  void addTo(ChannelPipeline pipeline) {
    RequestDecoder requests = new RequestDecoder(limits.headerBytes());
    decoder = requests;
    // Not HttpServerCodec, which gives up on a client that has sent 128 requests ahead.
    pipeline.addLast(requests, new HttpResponseEncoder());
    if (door.deflates()) {
      pipeline.addLast(Deflate.server(limits.frameBytes()));
    }
    pipeline.addLast(this);
  }

  /** Takes that away again, which no request has come to. */
  void removeFrom(ChannelPipeline pipeline) {
    pipeline.remove(RequestDecoder.class);
    pipeline.remove(HttpResponseEncoder.class);
    if (door.deflates()) {
      pipeline.remove(WebSocketServerExtensionHandler.class);
    }
    pipeline.remove(this);
  }

  /** Whether a request may turn this into a WebSocket. */
  boolean opensWebSockets() {
    return true;
  }

  /** Whether the client has to say more first, as far as what came from it tells. */
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
    return java.util.Objects.requireNonNull(context);
  }

  private static @Nullable InetSocketAddress local(ChannelHandlerContext ctx) {
    return ctx.channel().localAddress() instanceof InetSocketAddress address ? address : null;
  }

  private ChannelInfo info(ChannelHandlerContext ctx) {
    ChannelInfo known = info;
    if (known == null) {
      known = new ChannelInfo(
          Tls.isOn(ctx.channel()) ? "https" : "http", WebSockets.remote(ctx.channel()), "message");
      info = known;
    }
    return known;
  }

  // ---------------------------------------------------------------- requests

  @Override
  boolean isReady() {
    return deaf
        || unanswered.size() < IN_FLIGHT
            && load.takes(this)
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
      return; // half a header before the end of the client's output
    }
    if (request.decoderResult().isFailure()) {
      refuseAndEnd(ctx, null, malformed(request.decoderResult().cause()));
      return;
    }
    Refusal unspoken = unspoken(request);
    if (unspoken != null) {
      refuseAndEnd(ctx, request, unspoken);
      return;
    }
    Refusal refusal = door.refusal(request, local(ctx));
    if (refusal == null && Door.isUpgrade(request) && !opensWebSockets()) {
      refusal = new Refusal(HttpResponseStatus.BAD_REQUEST, "WebSockets open over HTTP/1.1 here.");
    } else if (refusal == null
        && !Door.isUpgrade(request)
        && responder == null
        && door.http() == null) {
      refusal = new Refusal(HttpResponseStatus.UPGRADE_REQUIRED, "Only WebSocket is served here.");
    }
    arriving = request;
    body.clear();
    if (refusal != null) {
      boolean bodiless = request.method().equals(HttpMethod.HEAD);
      refuse(ctx, request, bodiless ? refusal.withoutText() : refusal);
    } else if (HttpUtil.is100ContinueExpected(request)) {
      continueOwed = true;
      settle(ctx);
    }
  }

  private static void writeContinue(ChannelHandlerContext ctx) {
    ctx.write(new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
  }

  /** Refuses a request with a transfer coding that is not supported, so that its end is not known. */
  private static @Nullable Refusal unspoken(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    if (!version.equals(HttpVersion.HTTP_1_1) && !version.equals(HttpVersion.HTTP_1_0)) {
      return new Refusal(
          HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED,
          "The version of HTTP is 1.1 here, or 1.0.");
    }
    String coding = request.headers().get(HttpHeaderNames.TRANSFER_ENCODING);
    if (coding != null && !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(coding)) {
      return new Refusal(
          HttpResponseStatus.NOT_IMPLEMENTED, "The Transfer-Encoding is chunked, or none.");
    }
    return null;
  }

  private static Refusal malformed(Throwable cause) {
    if (cause instanceof TooLongHttpHeaderException) {
      return new Refusal(
          HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The header is too large.");
    }
    if (cause instanceof TooLongHttpLineException || cause instanceof TooLongFrameException) {
      return new Refusal(HttpResponseStatus.REQUEST_URI_TOO_LONG, "The request line is too long.");
    }
    return new Refusal(HttpResponseStatus.BAD_REQUEST, "This is not an HTTP request.");
  }

  private void content(ChannelHandlerContext ctx, HttpRequest request, HttpContent content) {
    int size = content.content().readableBytes();
    continueOwed &= size == 0 && !(content instanceof LastHttpContent); // it did not wait
    if (content.decoderResult().isFailure()) {
      refuseAndEnd(ctx, request, malformed(content.decoderResult().cause()));
    } else if (!body.append(content.content())) {
      refuseAndEnd(ctx, request, door.refusal(body));
    } else if (content instanceof LastHttpContent) {
      arrived();
      watch.complete();
      complete(ctx, request);
    } else {
      load.arrive(this, size);
    }
  }

  private void arrived() {
    arriving = null;
    continueOwed = false;
    load.arrived(this);
  }

  private void complete(ChannelHandlerContext ctx, HttpRequest request) {
    if (Door.isUpgrade(request)) {
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
    Refusal refusal = null;
    try {
      refusal = Gzip.decompress(body, plain) ? null : door.refusal(plain);
    } catch (IOException e) {
      refusal =
          new Refusal(HttpResponseStatus.BAD_REQUEST, "The body is not gzip, or not all of it.");
    }
    if (refusal == null) {
      serve(ctx, request, plain);
    } else {
      exchange(request, HttpUtil.isKeepAlive(request), 0).refuse(refusal);
      settle(ctx);
    }
  }

  private void serve(ChannelHandlerContext ctx, HttpRequest request, MessageBytes message) {
    HttpExchange x = exchange(request, HttpUtil.isKeepAlive(request), message.size);
    RequestHeaders headers = new RequestHeaders(request.headers());
    HttpService service = door.http();
    if (service != null) {
      x.repliedBy(service, asked(ctx, request, headers, message));
    } else {
      Responder.OneWay serving = java.util.Objects.requireNonNull(responder);
      x.servedBy(serving
          .of(info(ctx), Map.of(RequestHeaders.KEY, headers))
          .serve(message.bytes, 0, message.size, x));
    }
    settle(ctx);
  }

  private dev.repartee.HttpRequest asked(
      ChannelHandlerContext ctx, HttpRequest request, RequestHeaders headers, MessageBytes body) {
    String target = request.uri();
    int query = target.indexOf('?');
    return new dev.repartee.HttpRequest(
        request.method().name(),
        query < 0 ? target : target.substring(0, query),
        query < 0 ? null : target.substring(query + 1),
        headers,
        Arrays.copyOf(body.bytes, body.size),
        info(ctx));
  }

  private HttpExchange exchange(@Nullable HttpRequest request, boolean keepAlive, int size) {
    Wanted wanted = request == null ? Wanted.UNKNOWN : Wanted.of(request, door);
    long now = context().executor().ticker().nanoTime();
    HttpExchange x = new HttpExchange(this, door.options(), wanted, keepAlive, size, now);
    unanswered.add(x);
    load.serve(size);
    deaf |= !keepAlive;
    admitHalfClosure(!wanted.http10());
    return x;
  }

  private void upgrade(ChannelHandlerContext ctx, HttpRequest request) {
    if (!unanswered.isEmpty()) {
      refuseAndEnd(
          ctx,
          request,
          new Refusal(HttpResponseStatus.BAD_REQUEST, "A WebSocket opens after all answers."));
    } else if (isHolding()) { // decoded as if it were HTTP
      refuseAndEnd(
          ctx,
          request,
          new Refusal(
              HttpResponseStatus.BAD_REQUEST, "Frames follow the answer to the handshake."));
    } else {
      admitHalfClosure(false);
      WebSockets.accept(ctx, request, door, watch, this, java.util.Objects.requireNonNull(decoder));
    }
  }

  // ---------------------------------------------------------------- refusals

  /** Refuses from the header alone. Where a body follows it is not read, and the connection ends. */
  private void refuse(ChannelHandlerContext ctx, HttpRequest request, Refusal refusal) {
    boolean bare =
        !HttpUtil.isTransferEncodingChunked(request) && HttpUtil.getContentLength(request, 0L) == 0;
    if (bare && HttpUtil.isKeepAlive(request)) {
      arrived();
      watch.complete();
      exchange(request, true, 0).refuse(refusal);
      settle(ctx);
    } else {
      refuseAndEnd(ctx, request, refusal);
    }
  }

  private void refuseAndEnd(
      ChannelHandlerContext ctx, @Nullable HttpRequest request, Refusal refusal) {
    arrived();
    body.clear();
    exchange(request, false, 0).refuse(refusal);
    settle(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // the connection is gone, or what came in cannot be told apart any more
  }

  // ---------------------------------------------------------------- answers

  /** Something was said to some request; from any thread. */
  void said() {
    ChannelHandlerContext ctx = context();
    if (ctx.executor().inEventLoop()) {
      goOn(ctx);
    } else {
      ctx.executor().execute(() -> goOn(ctx));
    }
  }

  /**
   * The same, of a service: what may be read then never runs below it, which may hold locks.
   */
  void saidByService() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> goOn(ctx));
  }

  /** Ends at once; from any thread. */
  void breakOff() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> breakOff(ctx));
  }

  /** There may be room again; on the event loop. */
  final void wake() {
    proceed(context());
  }

  private void goOn(ChannelHandlerContext ctx) {
    settle(ctx);
    proceed(ctx);
    endIfServed(ctx);
  }

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
      admitHalfClosure(true); // answers that are written leave before the connection ends
    }
    flush(ctx);
    attend(ctx);
    endIfServed(ctx);
  }

  private void answered(ChannelHandlerContext ctx, HttpExchange x, ChannelFuture end) {
    unanswered.remove();
    load.served(x.size);
    if (!x.keepAlive) {
      end.addListener(written -> answeredLast(ctx, written.isSuccess()));
    }
  }

  /** Ends what takes no more requests. */
  void answeredLast(ChannelHandlerContext ctx, boolean open) {
    linger(ctx, open);
  }

  /** Sees to it that a stream which is being written is not silent for long. */
  private void attend(ChannelHandlerContext ctx) {
    HttpExchange head = unanswered.peek();
    EventStream stream = head == null ? null : head.stream();
    if (stream != null && beat == null) {
      beat =
          ctx.executor().schedule(() -> beat(ctx), stream.untilComment(ctx), TimeUnit.NANOSECONDS);
    }
  }

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
   * Says whether the end of the client's output leaves its answers to be sent; else it ends the
   * connection, and what is written does not leave. A client of HTTP/1.0 cannot be asked whether it still reads, and under TLS the end of
   * one half may end both (RFC 5246 section 7.2.1).
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
   * The client sends nothing more. Most have left then, and what runs for them should be cancelled;
   * some wait for their answers. Only writing tells them apart: a client that has left answers with a
   * reset.
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

  /** Writes a text that every client has to skip: 100 Continue, or a comment in an event stream. */
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
      return; // another protocol by now, which goes on; or the end is near
    }
    if (arriving != null) {
      refuseAndEnd(
          ctx,
          arriving,
          new Refusal(HttpResponseStatus.SERVICE_UNAVAILABLE, "The server is closing."));
    } else if (last != null) {
      deaf = true;
      last.keepAlive = false;
    } else {
      end(ctx);
    }
  }

  /** Cancels what runs; what was written may still leave, for a moment. */
  private void cut(ChannelHandlerContext ctx) {
    abandon();
    end(ctx);
    ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
  }

  private void abandon() {
    for (HttpExchange x = unanswered.poll(); x != null; x = unanswered.poll()) {
      load.served(x.size);
      x.abandon();
    }
  }

  private void end(ChannelHandlerContext ctx) {
    deaf = true;
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public boolean isOwed() {
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
  public void passed(ChannelHandlerContext ctx, String limit, Duration time) {
    if (limit.equals("firstByteTimeout")) {
      refuseAndEnd(
          context(),
          null,
          new Refusal(HttpResponseStatus.REQUEST_TIMEOUT, "The request did not come in time."));
    } else {
      breakOff(ctx);
    }
  }

  /** Ends at once, whatever waits to leave. */
  void breakOff(ChannelHandlerContext ctx) {
    ctx.close();
  }
}
