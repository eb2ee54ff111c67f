package dev.repartee;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call as handlers and layers see it: one that came in, or, for {@link Options#callLayers()}, one
 * that goes out. Thread-safe, and valid for as long as anybody holds it.
 */
public final class Call {
  private final String method;
  private final @Nullable Json params;
  private final @Nullable Id id;
  private final @Nullable Peer peer;
  private final ChannelInfo channel;
  private final Cancellation cancellation;
  private final long deadline;
  private final @Nullable Consumer<Json> progress;
  private volatile @Nullable Map<String, Object> attributes;

  /** What it came in as; null where nothing but its answer may be said, and for a call that goes out. */
  @Nullable Exchange exchange;

  /** Where it came in; null for a call that goes out. */
  @Nullable Responder responder;

  /** {@code deadline} is a {@link System#nanoTime()}, or 0 where there is none. */
  Call(
      String method,
      @Nullable Json params,
      @Nullable Id id,
      @Nullable Peer peer,
      ChannelInfo channel,
      Cancellation cancellation,
      long deadline,
      @Nullable Consumer<Json> progress) {
    this.method = method;
    this.params = params;
    this.id = id;
    this.peer = peer;
    this.channel = channel;
    this.cancellation = cancellation;
    this.deadline = deadline;
    this.progress = progress;
  }

  /**
   * The same call with other params, for a handler that hands it on to {@link RpcMethod#handle}: what is
   * asked of either is asked of the one that came in.
   *
   * @throws IllegalArgumentException if they are neither an array nor an object
   */
  public Call with(Json params) {
    Request.requireStructured(params);
    Call same = new Call(method, params, id, peer, channel, cancellation, deadline, progress);
    same.attributes = attributes();
    same.exchange = exchange;
    same.responder = responder;
    return same;
  }

  /**
   * This call, or what a protocol has made of it.
   *
   * @throws IllegalStateException if it has not
   */
  Object as(Class<?> type) {
    Object seen = type == Call.class ? this : attributes().get(type.getName());
    if (seen == null) {
      throw new IllegalStateException("the handler of '" + method + "' takes a "
          + type.getTypeName() + ", which calls by way of this protocol do not have");
    }
    return seen;
  }

  /** The name of the method. */
  public String method() {
    return method;
  }

  /** An array or an object, or null where there are no params. */
  public @Nullable Json params() {
    return params;
  }

  /** The id of the request, or null for a notification and for a call that goes out. */
  public @Nullable Id id() {
    return id;
  }

  /**
   * The peer at the other end: for calling it back.
   *
   * @throws IllegalStateException if the transport carries only answers
   */
  public Peer peer() {
    if (peer == null) {
      throw new IllegalStateException("the handler of '"
          + method
          + "' cannot call back: "
          + channel.transport()
          + " carries nothing but answers to the caller");
    }
    return peer;
  }

  /** The channel it travels on. */
  public ChannelInfo channel() {
    return channel;
  }

  /** Whether the call is still wanted. */
  public Cancellation cancellation() {
    return cancellation;
  }

  /**
   * The time left to finish under {@link Limits#handlerTimeout}, not below zero; null where there is
   * no limit.
   */
  public @Nullable Duration timeLeft() {
    return deadline == 0 ? null : Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /**
   * Tells the caller how far the call is, with a value that {@link Json#of} can write. Dropped for a
   * notification, for a call that was answered already, and where nothing but an answer can be sent.
   * Waits while the caller does not read, for {@link Limits#drainTimeout} at most, and not at all on a
   * thread that reads a channel; where there is no room it is dropped.
   *
   * @throws IllegalArgumentException for a value that nothing knows how to write
   */
  public void progress(@Nullable Object value) {
    if (progress != null) {
      progress.accept(Json.of(value));
    }
  }

  /**
   * Sends the caller a notification that belongs to this call, on whatever carries its answer, and
   * before that. Dropped for a notification, for a call that was answered already, and where nothing but
   * an answer can be sent. Waits as {@link #progress} does.
   *
   * @param params an array or an object that {@link Json#of} can write
   * @throws IllegalArgumentException for params that are neither, or that nothing knows how to write
   */
  public void notify(String method, Object params) {
    Json written = Json.of(params);
    Request.requireStructured(written);
    if (exchange != null) {
      exchange.tell(method, written);
    }
  }

  /**
   * Sends the caller a notification as {@link #notify} does, but never waits for room.
   *
   * @return false, having sent nothing, where there is no room for it now
   */
  public boolean offer(String method, Object params) {
    Json written = Json.of(params);
    Request.requireStructured(written);
    return exchange == null || exchange.offer(method, written);
  }

  /** What layers leave for each other and for the handler: a principal, a span. Thread-safe. */
  public Map<String, Object> attributes() {
    Map<String, Object> map = attributes;
    if (map == null) {
      synchronized (this) {
        map = attributes;
        if (map == null) {
          map = new ConcurrentHashMap<>();
          attributes = map;
        }
      }
    }
    return map;
  }
}
