package dev.repartee.netty;

import dev.repartee.DisconnectedException;
import dev.repartee.HeldBytes;
import dev.repartee.HttpReply;
import dev.repartee.HttpRequest;
import dev.repartee.HttpService;
import dev.repartee.LimitException;
import dev.repartee.Options;
import dev.repartee.Outlet;
import dev.repartee.Output;
import dev.repartee.Responder;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request that came in, until its answer has left. Whoever serves it may be any thread; the event
 * loop writes what was said once this is the first that is not answered.
 */
final class HttpExchange implements Outlet, HttpReply {
  /** An answer of no more bytes is not counted as held. */
  private static final int FREE = 4 << 10;

  private final HttpConnection connection;
  private final Options options;
  private final Wanted wanted;

  /** How much the request counts towards what may be in flight. */
  final int size;

  /** Whether the connection goes on after the answer; of the event loop. */
  boolean keepAlive;

  private final @Nullable EventStream stream;
  private volatile @Nullable FullHttpResponse whole;
  private volatile boolean lost;
  private Responder.@Nullable Exchanged exchanged;

  /** Header fields of a stream of events, where a service said so; null where it may not be one. */
  private volatile @Nullable Map<String, String> streamHeaders;

  /** What a service does when nothing was said for long; null where it does nothing, or has done it. */
  private volatile @Nullable Runnable silence;

  // Guarded by this.
  private HeldBytes.@Nullable Share share;
  private boolean over;
  private boolean replied;
  private @Nullable Runnable gone;

  /** {@code now} is the time of the event loop. */
  HttpExchange(
      HttpConnection connection,
      Options options,
      Wanted wanted,
      boolean keepAlive,
      int size,
      long now) {
    this.connection = connection;
    this.options = options;
    this.wanted = wanted;
    this.keepAlive = keepAlive;
    this.size = size;
    this.stream = wanted.events()
        ? new EventStream(options.limits().outboundBytes(), this::headOfEvents, now)
        : null;
    this.streamHeaders = Map.of();
  }

  private HttpResponse headOfEvents() {
    HttpResponse head = HttpAnswers.events();
    Map<String, String> more = streamHeaders;
    if (more != null) {
      HttpAnswers.addTo(head, more, wanted);
    }
    return headed(head);
  }

  /** Answers with that instead of serving. */
  void refuse(Refusal why) {
    whole = HttpAnswers.refusal(why);
  }

  /** This is what serves it. */
  void servedBy(Responder.Exchanged serving) {
    exchanged = serving;
    serving.whenDone(this::done);
  }

  /** A service replies to it, which says itself when it may be a stream. */
  void repliedBy(HttpService service, HttpRequest request) {
    streamHeaders = null;
    service.serve(request, this);
  }

  // ---------------------------------------------------------------- any thread, by a service

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
        ? HttpAnswers.whole(status, headers, body, wanted)
        : HttpAnswers.refusal(Refusal.crowded());
    connection.saidByService();
    return true;
  }

  @Override
  public void onSilence(Runnable action) {
    silence = action;
    connection.saidByService();
  }

  @Override
  public boolean stream(Map<String, String> headers) {
    if (stream == null) {
      return false;
    }
    streamHeaders = Map.copyOf(headers);
    if (!stream.begin()) {
      return false;
    }
    connection.saidByService();
    return true;
  }

  @Override
  public void send(Event event) {
    EventStream events = stream;
    if (events == null || !events.isBegun() || isReplied()) {
      throw new DisconnectedException("the stream of events has ended", null);
    }
    add(() -> events.add(event), connection::saidByService);
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
    java.util.Objects.requireNonNull(stream).complete(); // what else it has become
    connection.saidByService();
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

  // ---------------------------------------------------------------- any thread

  @Override
  public boolean streams() {
    return stream != null;
  }

  @Override
  public boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    return stream == null || stream.awaitRoom(time, unit);
  }

  @Override
  public Output open() {
    return new Output().limit(options.limits().frameBytes() - 1);
  }

  @Override
  public void commit(Output frame) {
    EventStream events = stream;
    if (events == null || !frame.isInitiated() && isWhole(events)) {
      say(
          holds(frame.array().length)
              ? HttpAnswers.reply(frame, options.dialect(), wanted)
              : HttpAnswers.refusal(Refusal.crowded()));
      return;
    }
    events.begin();
    add(
        () -> {
          boolean tell = events.add(frame);
          if (frame.isInitiated()) {
            return tell;
          }
          events.complete();
          return true;
        },
        connection::said);
  }

  /** Adds an event; {@code adding} says whether the event loop has to be told. */
  private void add(BooleanSupplier adding, Runnable telling) {
    boolean tell;
    try {
      tell = adding.getAsBoolean();
    } catch (LimitException e) {
      connection.breakOff();
      throw new DisconnectedException("the connection was cut off", e);
    }
    if (tell) {
      telling.run();
    }
  }

  /** Whether there is room for an answer until it has left. */
  private synchronized boolean holds(int bytes) {
    if (over || bytes <= FREE) {
      return true;
    }
    HeldBytes.Share taken = HeldBytes.ofAnswers().share(0);
    if (taken.hold(bytes)) {
      share = taken;
    }
    return share != null;
  }

  private synchronized void letGo() {
    over = true;
    if (share != null) {
      share.hold(0);
    }
  }

  /** Whether the reply comes as a JSON text, though it could have been an event. */
  private boolean isWhole(EventStream events) {
    return wanted.json() ? events.decline() : !events.begin();
  }

  @Override
  public void discard(Output frame) {}

  /** An answer that was to come cannot: the client learns so from the end of the connection. */
  @Override
  public void breakOff(Throwable cause) {
    lost = true;
    connection.breakOff();
  }

  private void done() {
    if (lost) {
      return; // that nothing was said does not mean here that there is nothing to say
    }
    EventStream events = stream;
    if (events != null && !events.decline()) {
      events.complete();
      connection.said();
    } else if (whole == null) {
      say(HttpAnswers.nothing(options.dialect()));
    }
  }

  private void say(FullHttpResponse answer) {
    whole = answer;
    connection.said();
  }

  // ---------------------------------------------------------------- the event loop

  /**
   * Writes what is known of the answer.
   *
   * @return the end of the answer; null while more is to come
   */
  @Nullable ChannelFuture write(ChannelHandlerContext ctx) {
    FullHttpResponse answer = whole;
    if (answer != null) {
      ChannelFuture end = ctx.write(headed(answer));
      if (isCounted()) {
        end.addListener(left -> letGo());
      }
      return end;
    }
    EventStream events = stream;
    return events != null && events.isBegun() ? events.write(ctx) : null;
  }

  /** Completes the head of the answer. */
  private <T extends HttpResponse> T headed(T answer) {
    HttpAnswers.complete(answer, wanted, keepAlive);
    return answer;
  }

  /** The events it may answer with; null where it may not, or does not. */
  @Nullable EventStream stream() {
    boolean may = streamHeaders != null || silence != null;
    return whole == null && may ? stream : null;
  }

  /** Makes the answer a stream of events, since nothing was said for long; returns whether it is one. */
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

  /** Nobody waits for the answer any more. */
  void abandon() {
    letGo();
    if (stream != null) {
      stream.shut();
    }
    Runnable told;
    synchronized (this) {
      told = gone;
      gone = null;
    }
    if (told != null) {
      told.run();
    }
    if (exchanged != null) {
      exchanged.abandon();
    }
  }
}
