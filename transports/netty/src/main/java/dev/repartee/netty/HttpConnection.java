package dev.repartee.netty;

import dev.repartee.limits.Limits;
import dev.repartee.limits.TimeLimits;
import dev.repartee.netty.http.Deflate;
import dev.repartee.netty.http.NettyHead;
import dev.repartee.netty.http.RequestDecoder;
import dev.repartee.netty.http.RequestFault;
import dev.repartee.netty.http.RequestTarget;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.ResponseFormat;
import dev.repartee.transport.http.server.Route;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketServerExtensionHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The server side of one HTTP connection: here of a socket that speaks HTTP/1.1, in {@link
 * Http2Request} of one HTTP/2 stream. Requests are served as they arrive and answered in their
 * order. While too many are in flight, or the client does not read its responses, nothing is read.
 */
class HttpConnection extends Inflow implements ServedConnection, TimeLimitsHandler.Watched {
  // Implementation note.
  //
  // A request is an Arrival from its header to the end of its body, which "body" collects. While
  // the gate of its path decides, Inflow holds back further input. Then the request is an
  // HttpExchange in "responses", in the order of arrival. A refused request becomes an exchange,
  // too. If the refusal were written directly, it would overtake the responses to earlier requests,
  // and the client would match it to one of them.
  //
  // States. Only enter() changes the state, to a later one.
  //
  //      a request without keep-alive or with a fault, or finish()
  //   READING ------------------------------------------------------------------> LAST_REQUEST
  //      |                                                         the response is written,
  //      | the client has ended its output                        the time limit of finish() passes
  //      +----------------------------------> CLOSING <---------------------------------+
  //
  // abort(), an error of the socket and a time limit close the socket in any state; Netty reports
  // the end with channelInactive().
  //
  // The end of the client's output (HalfClose) is no state of this chart, since it may occur in
  // each of them and stops none: the requests before it are still answered, also those that Inflow
  // holds back. endIfServed() ends the connection after the last of them.
  //
  // Invariants:
  //   - At most one exchange has keepAlive == false. It is the last one, and the state is at
  //     least LAST_REQUEST.
  //   - arriving is null in LAST_REQUEST. In CLOSING it may be a request that the client left
  //     incomplete.
  //   - after finish() the last response says that the connection ends, or a farewell follows it.
  //   - 100 Continue is written only if no response is due: a client that gets it earlier would
  //     read it as the interim response to the request before.
  //   - endIfServed() follows each step after which the last request may be answered, and
  //     Inflow.proceed() each step after which there may be room for another. A step without them
  //     would leave a connection that neither reads nor ends.
  //
  // Threads. There is no lock: all state belongs to the event loop. flushResponses(), flushLater(),
  // abort() and finish() may be called from any thread; they hand the work to the event loop.

  private enum State {
    /** Requests are received. */
    READING,
    /** The last request was received, and its response ends the connection. Input is dropped. */
    LAST_REQUEST,
    /** The socket is closed when the written output is sent. Input is dropped. */
    CLOSING
  }

  /**
   * The most requests of one connection that are served at the same time. RFC 9113 section 6.5.2
   * recommends at least 100, and HTTP/2 clients send up to 100 before they have read our settings.
   */
  static final int IN_FLIGHT = 100;

  private final RequestPolicy policy;
  private final TimeLimitsHandler times;
  private final InFlightBytes inFlight;
  private final Limits limits;
  private final MessageBytes body;
  private final ResponseQueue responses;
  private final HalfClose halfClose;
  private final RequestContext facts = new RequestContext();
  private State state = State.READING;
  private @Nullable Arrival arriving;
  private @Nullable ChannelHandlerContext context;
  private @Nullable RequestDecoder decoder;

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
    this.responses = new ResponseQueue(inFlight);
    this.halfClose = new HalfClose(limits.halfCloseTimeout(), responses);
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

  private void enter(State next) {
    if (next.compareTo(state) > 0) {
      state = next;
    }
  }

  private boolean dropsInput() {
    return state != State.READING;
  }

  // ---------------------------------------------------------------- requests

  @Override
  boolean isReady() {
    return dropsInput()
        || !isUndecided()
            && responses.size() < IN_FLIGHT
            && inFlight.hasRoom(this)
            && context().channel().isWritable();
  }

  @Override
  void process(ChannelHandlerContext ctx, Object message) {
    if (!dropsInput() && message instanceof HttpRequest request) {
      head(ctx, request);
    }
    if (!dropsInput() && message instanceof HttpContent content && arriving != null) {
      if (arriving.isUndecided()) { // an HTTP/2 request without a body is one message
        arriving.isWhole = true;
      } else {
        content(ctx, arriving, content);
      }
    }
  }

  private boolean isUndecided() {
    return arriving != null && arriving.isUndecided();
  }

  private void head(ChannelHandlerContext ctx, HttpRequest request) {
    Throwable fault = request.decoderResult().cause();
    if (fault instanceof PrematureChannelClosureException) {
      return; // the client ended its output within a header
    }
    NettyHead head = new NettyHead(request);
    HttpResponse error =
        fault == null ? RequestFault.unsupported(request) : RequestFault.malformed(fault);
    if (error != null) {
      refuseAndEnd(ctx, head, error);
      return;
    }
    RequestTarget.useOriginForm(request);
    body.clear();
    Route route = null;
    Attributes attributes = facts.attributes(ctx.channel(), request);
    error = policy.errorBeforeRouting(
        head,
        facts.info(ctx.channel()),
        RequestContext.local(ctx.channel()),
        () -> facts.serviceRequest(ctx.channel(), request, RequestContext.NO_BODY, attributes));
    if (error == null) {
      route = policy.route(request.uri());
      error = policy.error(head, route);
    }
    if (error == null && RequestPolicy.isUpgrade(head) && !opensWebSockets()) {
      error = HttpResponse.text(400, "WebSockets open over HTTP/1.1 here.");
    }
    if (error == null) {
      Arrival arrival = new Arrival(head, Objects.requireNonNull(route), attributes);
      arriving = arrival;
      if (arrival.ask(ctx, facts, () -> decidedLater(ctx, arrival))) {
        decided(ctx, arrival);
      }
    } else {
      refuse(ctx, head, error);
    }
  }

  /** Continues after the gate of a route has decided; nothing was read meanwhile. */
  private void decidedLater(ChannelHandlerContext ctx, Arrival arrival) {
    if (arriving == arrival && !ctx.isRemoved()) { // otherwise it was refused, or the client left
      decided(ctx, arrival);
      resume(ctx);
    }
  }

  private void decided(ChannelHandlerContext ctx, Arrival arrival) {
    HttpResponse refusal = arrival.refusal();
    if (refusal != null) {
      arrived();
      refuse(ctx, arrival.head, refusal);
    } else if (arrival.isWhole) {
      content(ctx, arrival, LastHttpContent.EMPTY_LAST_CONTENT);
    } else if (arrival.awaitsContinue) {
      writeDue(ctx);
    }
  }

  private void content(ChannelHandlerContext ctx, Arrival arrival, HttpContent content) {
    int size = content.content().readableBytes();
    boolean last = content instanceof LastHttpContent;
    arrival.awaitsContinue &= size == 0 && !last; // the client may send the body without waiting
    if (content.decoderResult().isFailure()) {
      Throwable fault = content.decoderResult().cause();
      refuseAndEnd(ctx, arrival.head, RequestFault.malformed(fault));
    } else if (!body.append(content.content())) {
      refuseAndEnd(ctx, arrival.head, policy.bodyError(body.isCrowded()));
    } else if (last) {
      arrived();
      times.completed();
      complete(ctx, arrival);
    } else {
      inFlight.arrive(this, size);
    }
  }

  /** Ends the arrival of a request, whether complete or refused. */
  private void arrived() {
    arriving = null;
    inFlight.arrived(this);
  }

  private void complete(ChannelHandlerContext ctx, Arrival arrival) {
    if (RequestPolicy.isUpgrade(arrival.head)) {
      upgrade(ctx, arrival);
    } else if (arrival.head.request().headers().contains(HttpHeaderNames.CONTENT_ENCODING)) {
      decompress(ctx, arrival);
    } else {
      serve(ctx, arrival, body);
    }
    body.clear();
  }

  private void decompress(ChannelHandlerContext ctx, Arrival arrival) {
    MessageBytes plain = MessageBytes.served(limits.frameBytes());
    try {
      HttpResponse error = policy.decompress(body, plain);
      if (error == null) {
        serve(ctx, arrival, plain);
      } else {
        refuseAndContinue(ctx, arrival.head, error);
      }
    } finally {
      plain.clear();
    }
  }

  private void serve(ChannelHandlerContext ctx, Arrival arrival, MessageBytes message) {
    HttpRequest request = arrival.head.request();
    boolean keep = HttpUtil.isKeepAlive(request);
    HttpExchange x = exchange(arrival.head, arrival.route.responder(), keep, message.size);
    facts.serve(ctx.channel(), arrival, message, x);
    writeDue(ctx);
  }

  /** Appends an exchange to the responses that are due. */
  private HttpExchange exchange(
      @Nullable NettyHead head, @Nullable FrameService responder, boolean keepAlive, int size) {
    ResponseFormat format = head == null ? ResponseFormat.UNKNOWN : head.format(policy);
    long now = context().executor().ticker().nanoTime();
    HttpExchange x = new HttpExchange(this, limits, responder, format, keepAlive, size, now);
    responses.add(x);
    if (!keepAlive) {
      enter(State.LAST_REQUEST);
    }
    HalfClose.allow(context().channel(), !format.http10());
    return x;
  }

  private void upgrade(ChannelHandlerContext ctx, Arrival arrival) {
    if (!responses.isEmpty()) {
      refuseAndEnd(
          ctx,
          arrival.head,
          HttpResponse.text(400, "Open a WebSocket after the earlier requests are answered."));
    } else if (isHolding()) { // WebSocket frames were decoded as HTTP
      refuseAndEnd(
          ctx,
          arrival.head,
          HttpResponse.text(400, "Send frames after the response to the handshake."));
    } else {
      HalfClose.allow(ctx.channel(), false);
      WebSockets.accept(ctx, arrival, policy, times, this, Objects.requireNonNull(decoder));
    }
  }

  // ---------------------------------------------------------------- refusals

  /**
   * Refuses a request because of its header. If a body follows, it is not read, and the connection
   * ends.
   */
  private void refuse(ChannelHandlerContext ctx, NettyHead head, HttpResponse error) {
    HttpRequest request = head.request();
    boolean bare =
        !HttpUtil.isTransferEncodingChunked(request) && HttpUtil.getContentLength(request, 0L) == 0;
    if (bare && HttpUtil.isKeepAlive(request)) {
      times.completed();
      refuseAndContinue(ctx, head, error);
    } else {
      refuseAndEnd(ctx, head, error);
    }
  }

  /** Refuses a request whose end is known: the next one can be read. */
  private void refuseAndContinue(ChannelHandlerContext ctx, NettyHead head, HttpResponse error) {
    exchange(head, null, HttpUtil.isKeepAlive(head.request()), 0).refuse(error);
    writeDue(ctx);
  }

  private void refuseAndEnd(
      ChannelHandlerContext ctx, @Nullable NettyHead head, HttpResponse error) {
    arrived();
    body.clear();
    exchange(head, null, false, 0).refuse(error);
    writeDue(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // the socket failed, or the input cannot be decoded any more
  }

  // ---------------------------------------------------------------- responses

  /** Writes new output of an exchange, and reads on if possible. Any thread may call it. */
  void flushResponses() {
    ChannelHandlerContext ctx = context();
    if (ctx.executor().inEventLoop()) {
      resume(ctx);
    } else {
      flushLater();
    }
  }

  /**
   * Does the same in a separate task of the event loop, for an {@link HttpService}. Reading on may
   * call the service again. That must not happen inside its own call, which may hold locks.
   */
  void flushLater() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> resume(ctx));
  }

  /** Closes the socket; output that is not sent yet is lost. Any thread may call it. */
  void abort() {
    ChannelHandlerContext ctx = context();
    ctx.executor().execute(() -> abort(ctx));
  }

  /** Reads on, since the bytes in flight may have dropped below their limit, on the event loop. */
  final void resumeReading() {
    proceed(context());
  }

  private void resume(ChannelHandlerContext ctx) {
    writeDue(ctx);
    proceed(ctx);
    endIfServed(ctx);
  }

  /** Writes the output that is due: responses in the order of requests, then {@code 100 Continue}. */
  private void writeDue(ChannelHandlerContext ctx) {
    ChannelFuture last = responses.write(ctx);
    if (last != null) {
      endAfter(ctx, last);
    }
    if (responses.isEmpty()) {
      if (arriving != null && arriving.awaitsContinue && !arriving.isUndecided()) {
        arriving.awaitsContinue = false;
        ResponseQueue.writeContinue(ctx);
      }
      HalfClose.allow(ctx.channel(), true); // written responses are sent before the connection ends
    }
    flush(ctx);
    endIfServed(ctx);
  }

  private void endAfter(ChannelHandlerContext ctx, ChannelFuture last) {
    last.addListener(written -> {
      enter(State.CLOSING);
      answeredLast(ctx, written.isSuccess());
    });
  }

  /**
   * Ends the connection, because its last response is written.
   *
   * @param open false if the response could not be written
   */
  void answeredLast(ChannelHandlerContext ctx, boolean open) {
    ServedConnection.linger(ctx, open);
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
    abandon();
  }

  /** Cancels the requests, and drops all further input: the client reads no response. */
  final void abandon() {
    enter(State.CLOSING);
    arrived();
    responses.abandon();
    halfClose.cancel();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      halfClose.inputEnded(ctx);
      endIfServed(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  // ---------------------------------------------------------------- the end

  /** Ends the connection if the client has ended its output and all its requests are answered. */
  private void endIfServed(ChannelHandlerContext ctx) {
    if (halfClose.isInputEnded() && responses.isEmpty() && !isHolding() && !ctx.isRemoved()) {
      end(ctx);
    }
  }

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
      } else {
        finish(ctx);
        ServedConnection.endWithin(ctx, limit, () -> closeAfterTimeout(ctx), ended);
      }
    });
    return ended;
  }

  private void finish(ChannelHandlerContext ctx) {
    HttpExchange last = responses.last();
    if (ctx.isRemoved() || dropsInput()) {
      return; // it is a WebSocket now, which ends differently; or it is ending already
    }
    if (arriving != null) {
      refuseAndEnd(ctx, arriving.head, HttpResponse.refused(503, "The server is closing."));
    } else if (last != null) {
      enter(State.LAST_REQUEST);
      last.keepAlive = false;
    } else {
      enter(State.LAST_REQUEST);
      endAfter(ctx, ResponseQueue.writeFarewell(ctx));
      flush(ctx);
    }
  }

  /**
   * Cancels the running requests and ends the connection. Written responses may still be sent for
   * {@code LINGER_SECONDS}.
   */
  private void closeAfterTimeout(ChannelHandlerContext ctx) {
    responses.abandon();
    end(ctx);
    ctx.executor().schedule(() -> ctx.close(), LINGER_SECONDS, TimeUnit.SECONDS);
  }

  /** Closes the socket once all written output is sent. */
  private void end(ChannelHandlerContext ctx) {
    enter(State.CLOSING);
    ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public boolean isMessageDue() {
    boolean awaitsUs = arriving != null && arriving.awaitsContinue;
    return !dropsInput() && !halfClose.isInputEnded() && !awaitsUs && isReady() && isBegun();
  }

  @Override
  public int held() {
    return body.held();
  }

  @Override
  public boolean isIdle() {
    return responses.isEmpty() && !isUndecided();
  }

  @Override
  public void passed(ChannelHandlerContext ctx, TimeLimits.Limit limit) {
    if (limit == TimeLimits.Limit.FIRST_BYTE) {
      refuseAndEnd(
          context(),
          arriving == null ? null : arriving.head,
          HttpResponse.refused(408, "The request did not come in time."));
    } else {
      abort(ctx);
    }
  }

  /** Closes the socket; output that is not sent yet is lost. */
  void abort(ChannelHandlerContext ctx) {
    ctx.close();
  }
}
