package dev.repartee.netty;

import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.netty.http.CallerHeaders;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpService;
import dev.repartee.transport.http.server.RequestPolicy;
import dev.repartee.transport.http.server.ResponseFormat;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client, until its response is written. Any thread may serve it. The event loop
 * writes the response when this exchange is the first unanswered one of its connection.
 *
 * <p>The response is either a {@code whole} one or an event {@code stream}; {@link EventStream}
 * decides which, once. Fields without a comment about threads are set before other threads see the
 * exchange, or are used by the event loop only.
 */
final class HttpExchange implements FrameSink, HttpReply, BiConsumer<String, String> {
  /** Responses of up to this many bytes are not charged to the memory budget. */
  private static final int FREE = 4 << 10;

  private final HttpConnection connection;
  private final Limits limits;

  /**
   * The service of the frame; null if an {@link dev.repartee.transport.http.HttpService} serves the
   * request.
   */
  private final @Nullable FrameService responder;

  private final ResponseFormat format;

  /** The bytes of the request that count towards the {@link InFlightBytes}. */
  final int size;

  /** Whether the connection stays open after the response. Used by the event loop only. */
  boolean keepAlive;

  /** The events of the response; null if the client does not accept events. */
  private final @Nullable EventStream stream;

  private volatile @Nullable FullHttpResponse whole;

  /** True if a reply that was due cannot be sent. */
  private volatile boolean lost;

  private FrameService.@Nullable InFlight inFlight;

  /** The additional header fields of a stream; null until a service has allowed a stream. */
  private volatile @Nullable Map<String, String> streamHeaders;

  /** The action of a service for a long silence; null if there is none, or it has run. */
  private volatile @Nullable Runnable silence;

  // Guarded by this.
  private MemoryBudget.@Nullable Share share;

  /**
   * True after the client has disconnected, or after a response that was charged to the memory
   * budget was sent.
   */
  private boolean over;

  /** True after a service has ended its reply; further output is refused. */
  private boolean replied;

  /** The header fields that handlers and layers have set; null if there are none. */
  private @Nullable Headers headers;

  /** The action of a service for a client that has disconnected. */
  private @Nullable Runnable gone;

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
    this.connection = connection;
    this.limits = limits;
    this.responder = responder;
    this.format = format;
    this.keepAlive = keepAlive;
    this.size = size;
    this.stream = format.events()
        ? new EventStream(limits.outboundBytes(), this::headOfEvents, connection::flushLater, now)
        : null;
    this.streamHeaders = Map.of();
  }

  private FrameService responder() {
    return Objects.requireNonNull(responder);
  }

  private HttpResponse headOfEvents() {
    HttpResponse head = HttpAnswers.events();
    HttpAnswers.addTo(head, ownHeaders(), format);
    Map<String, String> more = streamHeaders;
    if (more != null) {
      HttpAnswers.addTo(head, more, format);
    }
    return headed(head);
  }

  /**
   * Sets a header field of the response. Any thread may call it; a call that is too late is
   * ignored.
   */
  @Override
  public void accept(String name, String value) {
    Headers field = Headers.NONE.with(name, value);
    CallerHeaders.check(field);
    synchronized (this) {
      Headers present = headers;
      headers = present == null ? field : present.with(name, value);
    }
  }

  private synchronized Map<String, String> ownHeaders() {
    Headers set = headers;
    return set == null ? Map.of() : set.fields();
  }

  /** Adds the header fields that the handlers have set to a response. */
  private FullHttpResponse withOwnHeaders(FullHttpResponse response) {
    HttpAnswers.addTo(response, ownHeaders(), format);
    return response;
  }

  /** Answers with an error; the request is not served. */
  void refuse(dev.repartee.transport.http.HttpResponse error) {
    whole = HttpAnswers.of(error);
  }

  /** Sets the responder's run of this request. */
  void servedBy(FrameService.InFlight inFlight) {
    this.inFlight = inFlight;
    inFlight.whenDone(this::done);
  }

  /** Lets a service reply. The response may become a stream only if the service allows it. */
  void repliedBy(HttpService service, HttpRequest request) {
    streamHeaders = null;
    service.serve(request, this);
  }

  // ---------------------------------------------------------------- any thread: a service

  @Override
  public boolean takesEvents() {
    return stream != null;
  }

  @Override
  public boolean answer(int status, Map<String, String> headers, byte[] body) {
    synchronized (this) {
      if (replied || stream != null && !stream.decline()) {
        return false;
      }
      replied = true;
    }
    whole = holds(body.length)
        ? HttpAnswers.whole(status, headers, body, format)
        : HttpAnswers.of(RequestPolicy.crowded());
    connection.flushLater();
    return true;
  }

  @Override
  public void onSilence(Runnable action) {
    silence = action;
    connection.flushLater();
  }

  @Override
  public boolean stream(Map<String, String> headers) {
    if (stream == null) {
      return false;
    }
    if (stream.isBegun()) {
      return true; // the header is sent already: services call this before every event
    }
    streamHeaders = Map.copyOf(headers);
    if (!stream.begin()) {
      return false;
    }
    connection.flushLater();
    return true;
  }

  @Override
  public void send(Event event) {
    EventStream events = stream;
    if (events == null || !events.isBegun() || isReplied()) {
      throw new DisconnectedException("the stream of events has ended", null);
    }
    add(() -> events.add(event), connection::flushLater);
  }

  private synchronized boolean isReplied() {
    return replied;
  }

  @Override
  public void end() {
    if (answer(204, Map.of(), new byte[0])) {
      return;
    }
    synchronized (this) {
      if (replied) {
        return;
      }
      replied = true;
    }
    Objects.requireNonNull(stream).complete(); // not whole: a stream
    connection.flushLater();
  }

  @Override
  public void onGone(Runnable action) {
    synchronized (this) {
      if (!over) {
        gone = action;
        return;
      }
    }
    action.run();
  }

  // ---------------------------------------------------------------- any thread: the responder

  @Override
  public boolean streams() {
    return stream != null;
  }

  @Override
  public void onRoom(Runnable action) {
    if (stream != null) {
      stream.onRoom(action);
    }
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return stream == null || stream.awaitRoom(time, unit);
  }

  @Override
  public OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public void commit(OutboundFrame frame) {
    EventStream events = stream;
    if (events == null || !frame.isInitiated() && isWhole(events)) {
      respond(
          holds(frame.array().length)
              ? withOwnHeaders(HttpAnswers.reply(frame, responder(), format))
              : HttpAnswers.of(RequestPolicy.crowded()));
      return;
    }
    events.begin();
    add(
        () -> {
          boolean due = events.add(frame);
          if (frame.isInitiated()) {
            return due;
          }
          events.complete();
          return true;
        },
        connection::flushResponses);
  }

  /**
   * Adds an event. {@code adding} returns whether the event loop has to be notified, which {@code
   * flushing} does.
   */
  private void add(BooleanSupplier adding, Runnable flushing) {
    boolean due;
    try {
      due = adding.getAsBoolean();
    } catch (LimitException e) {
      connection.abort();
      throw new DisconnectedException("the connection was cut off", e);
    }
    if (due) {
      flushing.run();
    }
  }

  /**
   * Charges a response to the memory budget until it is sent.
   *
   * @return false if the budget is exhausted
   */
  private synchronized boolean holds(int bytes) {
    if (over || bytes <= FREE) {
      return true;
    }
    MemoryBudget.Share taken = MemoryBudget.ofAnswers().share(0);
    if (taken.hold(bytes)) {
      share = taken;
    }
    return share != null;
  }

  /** Returns the charge to the budget; no further response is charged. */
  private synchronized void release() {
    over = true;
    if (share != null) {
      share.hold(0);
    }
  }

  /** Returns whether the reply is sent as JSON, although it could be an event. */
  private boolean isWhole(EventStream events) {
    return format.json() ? events.decline() : !events.begin();
  }

  /**
   * Ends the connection, because a reply that is due cannot be sent. The client notices the end.
   */
  @Override
  public void abort(Throwable cause) {
    lost = true;
    connection.abort();
  }

  private void done() {
    if (lost) {
      return; // there is a reply, but it cannot be sent
    }
    EventStream events = stream;
    if (events != null && !events.decline()) {
      events.complete();
      connection.flushResponses();
    } else if (whole == null) {
      respond(withOwnHeaders(HttpAnswers.nothing(responder())));
    }
  }

  private void respond(FullHttpResponse answer) {
    whole = answer;
    connection.flushResponses();
  }

  // ---------------------------------------------------------------- the event loop

  /**
   * Writes the known part of the response.
   *
   * @return the future of the end of the response; null while more may follow
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    FullHttpResponse answer = whole;
    if (answer != null) {
      ChannelFuture end =
          ctx.write(headed(format.head() ? HttpAnswers.withoutBody(answer) : answer));
      if (isCounted()) {
        end.addListener(left -> release());
      }
      return end;
    }
    EventStream events = stream;
    return events != null && events.isBegun() ? events.write(ctx) : null;
  }

  /** Completes the head of a response. */
  private <T extends HttpResponse> T headed(T answer) {
    HttpAnswers.complete(answer, format, keepAlive);
    return answer;
  }

  /**
   * Returns the stream that the response is or may become; null if it is a whole one, or a service
   * has not allowed a stream.
   */
  @Nullable EventStream stream() {
    boolean may = streamHeaders != null || silence != null;
    return whole == null && may ? stream : null;
  }

  /**
   * Handles a long silence: runs the action of the service, or makes the response a stream.
   *
   * @return whether the response is a stream now
   */
  boolean breaksSilence(EventStream events) {
    Runnable action = silence;
    if (action == null) {
      return events.begin();
    }
    silence = null;
    action.run();
    return events.isBegun();
  }

  private synchronized boolean isCounted() {
    return share != null;
  }

  /** Cancels the request, because nobody waits for the response any more. */
  void abandon() {
    release();
    if (stream != null) {
      stream.close();
    }
    Runnable action;
    synchronized (this) {
      action = gone;
      gone = null;
    }
    if (action != null) {
      action.run();
    }
    if (inFlight != null) {
      inFlight.abandon();
    }
  }
}
