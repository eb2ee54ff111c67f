package dev.repartee;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request or notification that a handler or layer serves, or an outgoing call in {@link
 * Options#callLayers()}. Thread-safe. It stays valid after the handler has returned.
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

  /**
   * The exchange that sends notifications for this call; null for a notification, for an outgoing
   * call, and for the call of a borrowed exchange, which only a {@link Listener} gets.
   */
  @Nullable Exchange exchange;

  /** The responder that serves this call; null for an outgoing call. */
  @Nullable Responder responder;

  /** Creates a call; {@code deadline} is a {@link System#nanoTime()}, or 0 for none. */
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
   * Returns this call with other params, for a handler that passes it on to {@link
   * RpcMethod#handle}. Both objects share the id, the attributes, the cancellation and the
   * deadline, and send progress and notifications for the same request.
   *
   * @throws IllegalArgumentException if the params are neither an array nor an object
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
   * Returns this call, or the {@link CallView} of that type that a protocol has put into the
   * attributes.
   *
   * @throws IllegalStateException if there is no such view
   */
  Object as(Class<?> type) {
    Object seen = type == Call.class ? this : attributes().get(type.getName());
    if (seen == null) {
      throw new IllegalStateException("the handler of '" + method + "' takes a "
          + type.getTypeName() + ", which the protocol of this connection does not provide");
    }
    return seen;
  }

  /** Returns the name of the method. */
  public String method() {
    return method;
  }

  /** Returns the params, an array or an object; null if there are none. */
  public @Nullable Json params() {
    return params;
  }

  /** Returns the id of the request; null for a notification and for an outgoing call. */
  public @Nullable Id id() {
    return id;
  }

  /**
   * Returns the peer at the other end, for calls in the other direction.
   *
   * @throws IllegalStateException if the transport carries only answers, as HTTP does
   */
  public Peer peer() {
    if (peer == null) {
      throw new IllegalStateException("the handler of '"
          + method
          + "' cannot call back: "
          + channel.transport()
          + " carries only answers to the caller");
    }
    return peer;
  }

  /** Returns a description of the connection. */
  public ChannelInfo channel() {
    return channel;
  }

  /** Returns the cancellation token of this call. */
  public Cancellation cancellation() {
    return cancellation;
  }

  /**
   * Returns the time until the deadline of {@link Limits#handlerTimeout}, at least zero; null if
   * there is no deadline.
   */
  public @Nullable Duration timeLeft() {
    return deadline == 0 ? null : Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  /**
   * Sends the caller a progress notification. Does nothing for a notification, for a call that was
   * answered, and if the transport can only send an answer.
   *
   * <p>If the write queue is full, waits up to {@link Limits#drainTimeout}, but not on a thread
   * that reads a channel. If the queue is still full then, the progress is dropped.
   *
   * @param value a value that {@link Json#of} can write
   * @throws IllegalArgumentException if the value cannot be written as JSON
   */
  public void progress(@Nullable Object value) {
    if (progress != null) {
      progress.accept(Json.of(value));
    }
  }

  /**
   * Sends the caller a notification that belongs to this call. It travels on the connection or
   * stream that carries the answer, and before the answer. Is dropped, and waits, as {@link
   * #progress} does.
   *
   * @param params an array or an object that {@link Json#of} can write
   * @throws IllegalArgumentException if the params are neither an array nor an object, or cannot be
   *     written as JSON
   */
  public void notify(String method, Object params) {
    Json written = Json.of(params);
    Request.requireStructured(written);
    if (exchange != null) {
      exchange.tell(method, written);
    }
  }

  /**
   * Sends the caller a notification as {@link #notify} does, but never waits.
   *
   * @return false if nothing was sent because the write queue is full
   * @throws IllegalArgumentException if the params are neither an array nor an object, or cannot be
   *     written as JSON
   */
  public boolean offer(String method, Object params) {
    Json written = Json.of(params);
    Request.requireStructured(written);
    return exchange == null || exchange.offer(method, () -> written);
  }

  /**
   * Sends the caller a notification as {@link #offer(String, Object)} does, with params that are
   * expensive to make.
   *
   * @param params makes the params; called only if the notification is sent
   * @return false if nothing was sent because the write queue is full
   * @throws IllegalArgumentException if the params are neither an array nor an object, or cannot be
   *     written as JSON
   */
  public boolean offer(String method, Supplier<?> params) {
    return exchange == null
        || exchange.offer(method, () -> {
          Json written = Json.of(params.get());
          Request.requireStructured(written);
          return written;
        });
  }

  /**
   * Returns the mutable attributes, by which layers pass values to each other and to the handler,
   * such as a principal or a tracing span. Begins with the {@link Channel#attributes()} of the
   * connection. Thread-safe.
   */
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
