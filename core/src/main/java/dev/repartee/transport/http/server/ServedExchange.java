package dev.repartee.transport.http.server;

import dev.repartee.internal.UserCode;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.limits.MemoryBudget;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.Headers;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import dev.repartee.transport.http.HttpResponse;
import dev.repartee.transport.http.HttpService;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request of a client, until its response is written. Any thread may serve it. A subclass
 * writes the response, on the threads of its server.
 *
 * <p>The response is either a {@linkplain #whole() whole} one or a {@linkplain #events() stream of events};
 * {@link EventStream} decides which, once.
 */
public abstract class ServedExchange
    implements FrameSink, HttpReply, BiConsumer<String, String>, IntConsumer {
  /** Responses of up to this many bytes are not charged to the memory budget. */
  private static final int FREE = 4 << 10;

  private static final Headers STREAM = Headers.NONE
      .with("content-type", "text/event-stream")
      .with("cache-control", "no-store")
      .with("x-accel-buffering", "no"); // otherwise nginx would buffer the events

  private final Limits limits;

  /** The service of the frame; null if an {@link HttpService} serves the request. */
  private final @Nullable FrameService responder;

  private final ResponseFormat format;

  /** The events of the response; null if the client does not accept events. */
  private final @Nullable EventStream stream;

  private volatile @Nullable WholeResponse whole;

  /** True if a reply that was due cannot be sent. */
  private volatile boolean lost;

  private volatile FrameService.@Nullable InFlight inFlight;

  /** True after {@link #abandon}. */
  private volatile boolean abandoned;

  /** The additional header fields of a stream; null until a service has allowed a stream. */
  private volatile @Nullable Map<String, String> streamHeaders = Map.of();

  /** The action of a service for a long silence; null if there is none, or it has run. */
  private volatile @Nullable Runnable silence;

  /** The status that handlers and layers have set; 0 if there is none. */
  private volatile int status;

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
   * @param responder the service of the frame; null if an {@link HttpService} serves the request,
   *     or if it is refused
   */
  protected ServedExchange(Limits limits, @Nullable FrameService responder, ResponseFormat format) {
    this.limits = limits;
    this.responder = responder;
    this.format = format;
    this.stream = format.events() ? new EventStream(limits.outboundBytes()) : null;
  }

  private FrameService responder() {
    return Objects.requireNonNull(responder);
  }

  // ---------------------------------------------------------------- for the subclass

  /**
   * Writes new output: the whole response, or events. The calling thread may write it. Called from
   * any thread, also when there is nothing to write.
   */
  protected abstract void write();

  /**
   * Writes new output after the caller has returned. The caller may be within an {@link
   * HttpService} and hold its locks, which the writing must not need. Called from any thread, also
   * when there is nothing to write.
   */
  protected abstract void writeLater();

  /** Ends the connection without a response, or its rest. Called from any thread. */
  protected abstract void cutOff();

  /** Returns the form of response that the client accepts. */
  protected final ResponseFormat format() {
    return format;
  }

  /** Returns the whole response; null if it is not made yet, or the response is a stream. */
  protected final @Nullable WholeResponse whole() {
    return whole;
  }

  /** Returns the events of the response; null if the client does not accept events. */
  protected final @Nullable EventStream events() {
    return stream;
  }

  /** Returns whether the response is not made yet, and may still become a stream, or is one. */
  protected final boolean mayStream() {
    return stream != null && whole == null && (streamHeaders != null || silence != null);
  }

  /** Returns the header fields of a stream, in the form of {@link WholeResponse#headers}. */
  protected final Map<String, String> streamHeaders() {
    Map<String, String> set = new LinkedHashMap<>(ownHeaders());
    Map<String, String> more = streamHeaders;
    if (more != null) {
      set.putAll(more);
    }
    Map<String, String> all = new LinkedHashMap<>(STREAM.fields());
    all.putAll(format.exposed(set));
    return all;
  }

  /**
   * Handles a long silence of a response that {@linkplain #mayStream may be a stream}: runs the
   * action of the service, or makes the response a stream.
   *
   * @return whether the response is a stream now
   */
  public final boolean breaksSilence() {
    EventStream events = Objects.requireNonNull(stream);
    Runnable action = silence;
    if (action == null) {
      return events.begin();
    }
    silence = null;
    action.run();
    return events.isBegun();
  }

  /** Returns whether {@link #release} must be called after the response is sent. */
  protected final synchronized boolean isCharged() {
    return share != null;
  }

  /** Returns the charge to the memory budget; no further response is charged. */
  protected final synchronized void release() {
    over = true;
    if (share != null) {
      share.hold(0);
    }
  }

  // ---------------------------------------------------------------- the course of a request

  /** Answers with an error; the request is not served. The caller writes the response. */
  public final void refuse(HttpResponse error) {
    whole = WholeResponse.of(error);
  }

  /** Returns the attributes of the calls in the request, which can change its response. */
  public final Attributes callAttributes(Attributes ofRequest) {
    return ofRequest.with(RESPONSE_HEADERS, this).with(RESPONSE_STATUS, this);
  }

  /** Sets the responder's run of this request. */
  public final void servedBy(FrameService.InFlight frame) {
    inFlight = frame;
    if (abandoned) {
      frame.abandon();
    }
    frame.whenDone(this::done);
  }

  /** Lets a service reply. The response may become a stream only if the service allows it. */
  public final void repliedBy(HttpService service, HttpRequest request) {
    streamHeaders = null;
    service.serve(request, this);
  }

  private void done() {
    if (lost) {
      return; // there is a reply, but it cannot be sent
    }
    EventStream events = stream;
    if (events != null && !events.decline()) {
      events.complete();
      write();
    } else if (whole == null) {
      int set = status;
      respond(WholeResponse.nothing(
          set == 0 ? responder().httpNotificationStatus() : set, ownHeaders(), format));
    }
  }

  /** Cancels the request, because the client has disconnected or the server stops. */
  public final void abandon() {
    abandoned = true;
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
      UserCode.run(action); // the steps after it must be done
    }
    FrameService.InFlight frame = inFlight;
    if (frame != null) {
      frame.abandon();
    }
  }

  // ---------------------------------------------------------------- a service

  @Override
  public final boolean takesEvents() {
    return stream != null;
  }

  @Override
  public final boolean answer(int status, Map<String, String> headers, byte[] body) {
    // Checked here: where the response is written, nobody could answer differently.
    HttpResponse response = new HttpResponse(status, new Headers(headers), body);
    synchronized (this) {
      if (replied || stream != null && !stream.decline()) {
        return false;
      }
      replied = true;
    }
    whole = holds(body.length)
        ? WholeResponse.of(status, response.headers().fields(), body, format)
        : WholeResponse.of(RequestPolicy.crowded());
    writeLater();
    return true;
  }

  @Override
  public final void onSilence(Runnable action) {
    silence = action;
    writeLater();
  }

  @Override
  public final boolean stream(Map<String, String> headers) {
    if (stream == null) {
      return false;
    }
    if (stream.isBegun()) {
      return true; // the header is sent already: services call this before every event
    }
    streamHeaders = new Headers(headers).fields();
    if (!stream.begin()) {
      return false;
    }
    writeLater();
    return true;
  }

  @Override
  public final void send(Event event) {
    EventStream events = stream;
    if (events == null || !events.isBegun() || isReplied()) {
      throw new DisconnectedException("the stream of events has ended", null);
    }
    if (adds(() -> events.add(event))) {
      writeLater();
    }
  }

  private synchronized boolean isReplied() {
    return replied;
  }

  @Override
  public final void end() {
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
    writeLater();
  }

  @Override
  public final void onGone(Runnable action) {
    synchronized (this) {
      if (!over) {
        gone = action;
        return;
      }
    }
    action.run();
  }

  // ---------------------------------------------------------------- the responder

  /**
   * Sets a header field of the response. Any thread may call it; a call that is too late is
   * ignored.
   */
  @Override
  public final void accept(String name, String value) {
    Headers field = Headers.NONE.with(name, value);
    TransportHeaders.refuse(field);
    synchronized (this) {
      Headers present = headers;
      headers = present == null ? field : present.with(name, value);
    }
  }

  /**
   * Sets the status of the response. Any thread may call it; a call that is too late is ignored.
   */
  @Override
  public final void accept(int status) {
    this.status = HttpResponse.empty(status).status(); // which checks it
  }

  private synchronized Map<String, String> ownHeaders() {
    Headers set = headers;
    return set == null ? Map.of() : set.fields();
  }

  @Override
  public final boolean streams() {
    return stream != null;
  }

  @Override
  public final void onRoom(Runnable action) {
    if (stream != null) {
      stream.onRoom(action);
    }
  }

  @Override
  public final boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return stream == null || stream.awaitRoom(time, unit);
  }

  @Override
  public final OutboundFrame open() {
    return new OutboundFrame(limits.frameBytes() - 1);
  }

  @Override
  public final void commit(OutboundFrame frame) {
    EventStream events = stream;
    if (events == null || !frame.isInitiated() && isWhole(events)) {
      int set = status;
      respond(
          holds(frame.array().length)
              ? WholeResponse.reply(
                  frame,
                  set == 0 ? responder().httpStatus(frame.errorCode()) : set,
                  ownHeaders(),
                  format)
              : WholeResponse.of(RequestPolicy.crowded()));
      return;
    }
    events.begin();
    boolean due = adds(() -> events.add(frame));
    if (!frame.isInitiated()) {
      events.complete();
      due = true;
    }
    if (due) {
      write();
    }
  }

  /** Returns whether the reply is sent as JSON, although it could be an event. */
  private boolean isWhole(EventStream events) {
    return format.json() || status != 0 ? events.decline() : !events.begin();
  }

  private void respond(WholeResponse response) {
    whole = response;
    write();
  }

  /** Adds an event. Returns whether it has to be written. */
  private boolean adds(BooleanSupplier adding) {
    try {
      return adding.getAsBoolean();
    } catch (LimitException e) {
      cutOff();
      throw new DisconnectedException("the connection was cut off", e);
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

  /**
   * Ends the connection, because a reply that is due cannot be sent. The client notices the end.
   */
  @Override
  public final void abort(Throwable cause) {
    lost = true;
    cutOff();
  }
}
