package dev.repartee;

import dev.repartee.access.Principal;
import dev.repartee.internal.Batched;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import dev.repartee.message.Id;
import dev.repartee.message.Request;
import dev.repartee.message.RpcError;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.Channel;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.http.HttpReply;
import dev.repartee.transport.http.HttpRequest;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request or notification that a handler or layer serves, or an outgoing call in {@link
 * Options#callLayers()}. Thread-safe. It stays valid after the handler has returned.
 */
public final class Call implements CallView {
  private final String method;
  private final @Nullable Json params;
  private final @Nullable Id id;
  private final @Nullable Peer peer;
  private final ChannelInfo channel;
  private final Cancellation cancellation;
  private final long deadline;
  private final @Nullable Consumer<Json> progress;

  /**
   * The exchange that sends notifications for this call; null for a notification, for an outgoing
   * call, and for the call of a borrowed exchange, which no handler gets.
   */
  private final @Nullable OwnedExchange exchange;

  /** The connection that serves this call; null for an outgoing call. */
  private final @Nullable Connection connection;

  /** The method that serves this call; null for an outgoing call and for an unknown method. */
  private final @Nullable RpcMethod rpcMethod;

  /** The arguments, once a layer has asked for them. */
  private volatile @Nullable Object @Nullable [] arguments;

  /** The call with the attributes: this, or the call that this is a copy of. */
  private final Call original;

  /** Read and written only at the {@link #original}; written under its lock. */
  private volatile Attributes attributes;

  /** Creates an outgoing call. */
  Call(
      String method,
      @Nullable Json params,
      @Nullable Peer peer,
      ChannelInfo channel,
      Cancellation cancellation,
      @Nullable Consumer<Json> progress) {
    this.method = method;
    this.params = params;
    this.id = null;
    this.peer = peer;
    this.channel = channel;
    this.cancellation = cancellation;
    this.deadline = Clock.NEVER;
    this.progress = progress;
    this.exchange = null;
    this.connection = null;
    this.rpcMethod = null;
    this.original = this;
    this.attributes = Attributes.NONE;
  }

  /**
   * Creates the call of a message that the connection serves.
   *
   * @param exchange sends progress and notifications; null if none are sent
   * @param deadline a time on {@link Options#clock}, or {@link Clock#NEVER}
   */
  Call(
      RpcMethod method,
      @Nullable Json params,
      @Nullable Id id,
      Connection connection,
      @Nullable OwnedExchange exchange,
      Cancellation cancellation,
      long deadline,
      Attributes attributes) {
    this.method = method.name();
    this.params = params;
    this.id = id;
    this.peer = connection.peer();
    this.channel = connection.info();
    this.cancellation = cancellation;
    this.deadline = deadline;
    this.progress = exchange == null ? null : value -> CallNotices.progress(exchange, value);
    this.exchange = exchange;
    this.connection = connection;
    this.rpcMethod = method.isUnknown() ? null : method;
    this.original = this;
    this.attributes = attributes;
  }

  private Call(Call of, Json params) {
    this.method = of.method;
    this.params = params;
    this.id = of.id;
    this.peer = of.peer;
    this.channel = of.channel;
    this.cancellation = of.cancellation;
    this.deadline = of.deadline;
    this.progress = of.progress;
    this.exchange = of.exchange;
    this.connection = of.connection;
    this.rpcMethod = of.rpcMethod;
    this.original = of.original;
    this.attributes = Attributes.NONE;
  }

  /**
   * Returns this call with other params, for a layer that passes it on to the next handler, or for
   * a handler that passes it on to {@link RpcMethod#handle}. Both objects share the id, the
   * attributes, the cancellation and the deadline, and send progress and notifications for the same
   * request.
   *
   * @throws IllegalArgumentException if the params are neither an array nor an object
   */
  public Call with(Json params) {
    Request.requireStructured(params);
    return new Call(this, params);
  }

  /**
   * Returns this call, or the {@link CallView} of that type that a protocol has set as an
   * attribute.
   *
   * @throws IllegalStateException if there is no such view
   */
  Object as(Class<?> type) {
    Object seen = type == Call.class ? this : attributes().find(type);
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

  /**
   * Returns the mappings between Java types and JSON of the endpoint, for your own conversions:
   * {@code call.params().as(call.types().of(Order.class))}.
   */
  public JsonTypes types() {
    if (connection != null) {
      return connection.options().types();
    }
    return peer == null ? JsonTypes.standard() : peer.types();
  }

  /** Returns the params, an array or an object; null if there are none. */
  public @Nullable Json params() {
    return params;
  }

  /**
   * Returns the method that serves this call; null for an outgoing call, and if the service has no
   * such method.
   */
  public @Nullable RpcMethod rpcMethod() {
    return rpcMethod;
  }

  /**
   * Returns the {@linkplain RpcMethod#annotation annotation} of the method that serves this call;
   * null if there is none, and for an outgoing call.
   */
  public <A extends Annotation> @Nullable A annotation(Class<A> type) {
    return rpcMethod == null ? null : rpcMethod.annotation(type);
  }

  /**
   * Returns the arguments of the Java method that serves this call: one for each parameter,
   * including a parameter of type {@link Call}. A {@link TypedHandler} has the arguments {@code
   * params} and {@code call}. The list is empty for an outgoing call and for a handler that reads
   * the params itself. Unmodifiable.
   *
   * <p>The first use reads the arguments from the params. A handler that gets this call then runs
   * with the same objects, each time if a layer passes this call on several times. Checking the
   * arguments in a layer costs nothing more, and nothing can change between check and use.
   *
   * @throws RpcException invalid params (-32602) if the params do not fit the method
   */
  public List<@Nullable Object> arguments() {
    if (rpcMethod == null || !(rpcMethod.handler() instanceof BindingHandler handler)) {
      return List.of();
    }
    @Nullable Object[] bound = arguments;
    if (bound == null) {
      bound = handler.bind(this); // without a lock, since it runs code of the application
      synchronized (this) {
        bound = Objects.requireNonNullElse(arguments, bound);
        arguments = bound;
      }
    }
    return Collections.<@Nullable Object>unmodifiableList(Arrays.<@Nullable Object>asList(bound));
  }

  /**
   * Returns the arguments for a handler: the objects that a layer has seen, if they are its
   * arguments.
   */
  @Nullable Object[] argumentsOf(BindingHandler handler) {
    @Nullable Object[] seen = arguments;
    return seen == null || rpcMethod == null || rpcMethod.handler() != handler
        ? handler.bind(this)
        : seen;
  }

  /**
   * Returns the name of one of the {@link #arguments} in the params, for error messages. Empty for
   * an argument that is the params as a whole, and for the call itself.
   *
   * @throws IndexOutOfBoundsException if there is no such argument
   */
  public String argumentName(int index) {
    Objects.checkIndex(index, arguments().size());
    return ((BindingHandler) Objects.requireNonNull(rpcMethod).handler()).argumentName(this, index);
  }

  /** Returns the id of the request; null for a notification and for an outgoing call. */
  public @Nullable Id id() {
    return id;
  }

  /** Returns whether this is a notification, which is never answered; in both directions. */
  public boolean isNotification() {
    LayeredCall<?> outgoing = outgoing();
    return outgoing == null ? id == null : outgoing.isNotification();
  }

  /** Returns whether this is an outgoing call that opens a stream or a subscription. */
  public boolean opensStream() {
    LayeredCall<?> outgoing = outgoing();
    return outgoing != null && outgoing.opensStream();
  }

  /** Returns whether this is an outgoing call that was added to a {@link Batch}. */
  public boolean isBatched() {
    LayeredCall<?> outgoing = outgoing();
    return outgoing != null && outgoing.isBatched();
  }

  /**
   * Returns whether handling this outgoing call twice has the same effect as once: {@link
   * CallBuilder#idempotent}, {@link Rpc#idempotent}, or the builder of a peer that {@linkplain
   * dev.repartee.reconnect.Reconnecting#idempotent reconnects} or has {@linkplain
   * dev.repartee.balance.Balanced#idempotent several endpoints} declares it. False for a call that
   * opens a stream, and for a call that this side serves.
   */
  public boolean isIdempotent() {
    LayeredCall<?> outgoing = outgoing();
    return outgoing != null && outgoing.isIdempotent();
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

  /**
   * Returns whether there is a {@link #peer}. False if the transport carries only answers, as HTTP
   * does.
   */
  public boolean hasPeer() {
    return peer != null;
  }

  /** Returns the protocol of the connection. */
  public Dialect dialect() {
    if (connection != null) {
      return connection.options().dialect();
    }
    return peer == null ? Dialect.PLAIN : peer.dialect();
  }

  /** Returns a description of the connection. */
  public ChannelInfo channel() {
    return channel;
  }

  /**
   * Runs an action when this request is answered and its handler has finished. Messages from the
   * action therefore follow the answer. A layer or the handler adds it before the handler returns
   * or its stage completes. Actions run in the order in which they were added. If the call has ended
   * already, the action runs immediately: a cancelled call may end before its stage completes.
   *
   * @param action runs on the thread that ends the call, which it should not block for long; its
   *     exceptions are ignored. It also runs if the connection has ended before the answer
   * @throws IllegalStateException if no answer is due: for a notification or an outgoing call
   */
  public void afterAnswer(Runnable action) {
    whenAnswered(error -> action.run());
  }

  /**
   * Runs an action as {@link #afterAnswer} does, and passes it the error of the answer. This
   * includes the errors for a result that could not be written and for a deadline that passed while
   * the handler ran. The answer of a stream follows its last item. If the caller has cancelled the
   * call or has disconnected, the error has the code {@link RpcError#CANCELLED}, although there may
   * be no answer.
   *
   * @param action gets the error; null after a result
   * @throws IllegalStateException if no answer is due: for a notification or an outgoing call
   */
  public void whenAnswered(Consumer<@Nullable RpcError> action) {
    if (exchange == null) {
      throw new IllegalStateException("'" + method + "' is no request that this side answers");
    }
    exchange.whenAnswered(action);
  }

  /** Returns the cancellation token of this call. */
  public Cancellation cancellation() {
    return cancellation;
  }

  /**
   * Answers this call immediately with an error, and cancels it: for a call that became useless
   * while its handler runs. A later result of the handler is dropped. Does nothing if the call was
   * answered, for a notification and for an outgoing call.
   */
  public void cancel(RpcError error) {
    if (exchange != null) {
      exchange.cancel(error);
    }
  }

  /**
   * Returns the time until the deadline, at least zero; null if there is none. A served call has the
   * deadline of {@link Limits#handlerTimeout}, or the deadline of its caller if this is earlier
   * ({@link Deadlines}). An outgoing call has the deadline of its {@linkplain CallBuilder#timeout
   * time-out}. If a layer passes the call on several times, all attempts share this deadline.
   */
  public @Nullable Duration timeLeft() {
    LayeredCall<?> outgoing = outgoing();
    if (outgoing != null) {
      return outgoing.timeLeft();
    }
    long due = exchange == null ? deadline : exchange.due(); // changes when a stream is opened
    return connection == null ? null : CallTime.left(connection.options().clock(), due);
  }

  /**
   * Returns whether the deadline of a served call shortens the {@linkplain CallBuilder#timeout
   * time-out} of this outgoing call. Callers choose their deadlines, and therefore such a time-out
   * does not prove that the other side is slow.
   */
  public boolean hasDeadlineOfCaller() {
    LayeredCall<?> outgoing = outgoing();
    return outgoing != null && outgoing.hasDeadlineOfCaller();
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
      progress.accept(types().toJson(value));
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
    Json written = types().toJson(params);
    Request.requireStructured(written);
    if (exchange != null) {
      CallNotices.send(exchange, method, written);
    }
  }

  /**
   * Sends the caller a notification as {@link #notify} does, but never waits.
   *
   * @return false if nothing was sent because the write queue is full
   * @throws IllegalArgumentException if the params are neither an array nor an object, or cannot be
   *     written as JSON
   */
  public boolean tryNotify(String method, Object params) {
    Json written = types().toJson(params);
    Request.requireStructured(written);
    return exchange == null || CallNotices.trySend(exchange, method, () -> written);
  }

  /**
   * Sends the caller a notification as {@link #tryNotify(String, Object)} does, with params that
   * are expensive to make.
   *
   * @param params makes the params; called only if the notification is sent
   * @return false if nothing was sent because the write queue is full
   * @throws IllegalArgumentException if the params are neither an array nor an object, or cannot be
   *     written as JSON
   */
  public boolean tryNotify(String method, Supplier<?> params) {
    return exchange == null
        || CallNotices.trySend(exchange, method, () -> {
          Json written = types().toJson(params.get());
          Request.requireStructured(written);
          return written;
        });
  }

  /**
   * Returns the present attributes, which are initially the {@link Channel#attributes() attributes
   * of the channel}.
   */
  public Attributes attributes() {
    return original.attributes;
  }

  /** Returns the authenticated caller; null if nothing has proved its identity. */
  public @Nullable Principal principal() {
    return attributes().get(Principal.KEY);
  }

  /**
   * Returns the value of a header: of the HTTP request that carries this call, of its message over
   * AMQP or NATS, or of the WebSocket handshake of its connection. An outgoing call has the headers
   * of {@link CallBuilder#header} and {@link #requestHeader} that were set so far. Null if there is
   * none, or on other transports. The case of the name is ignored.
   */
  public @Nullable String header(String name) {
    LayeredCall<?> outgoing = outgoing();
    if (outgoing != null) {
      return outgoing.headers().get(name);
    }
    return HttpRequest.header(attributes(), name);
  }

  /**
   * Sets a header of the message that carries this outgoing call, for a layer of {@link
   * Options#callLayers}, such as {@code traceparent}. It replaces a header with the same name,
   * ignoring case, even one that the call itself has. To be called before the layer passes the call
   * on; a layer that passes it on again may set another value for the next message. The rules of
   * {@link CallBuilder#header} apply. In a {@link Batch} the header becomes one of the batch.
   *
   * @throws IllegalArgumentException as {@link CallBuilder#header} does
   * @throws IllegalStateException if this is not an outgoing call
   */
  public void requestHeader(String name, String value) {
    requireOutgoing("responseHeader sets a header of its answer").header(name, value);
  }

  private LayeredCall<?> requireOutgoing(String hint) {
    LayeredCall<?> outgoing = outgoing();
    if (outgoing == null) {
      throw new IllegalStateException("'" + method + "' is no outgoing call; " + hint);
    }
    return outgoing;
  }

  /**
   * Returns an additional member of the message: of a served call if the dialect reads it, see {@link
   * Dialect#withMembers}; of an outgoing call if it was set so far. Null if there is none.
   */
  public @Nullable Json member(String name) {
    LayeredCall<?> outgoing = outgoing();
    if (outgoing != null) {
      return outgoing.members().get(name);
    }
    return MessageMembers.in(attributes(), name);
  }

  /**
   * Adds a member to the message of this outgoing call, for a layer of {@link Options#callLayers},
   * as {@link CallBuilder#member} does. To be called before the layer passes the call on. In a {@link
   * Batch} each call has its own members.
   *
   * @throws IllegalArgumentException as {@link CallBuilder#member} does
   * @throws IllegalStateException if this is not an outgoing call
   */
  public void requestMember(String name, Json value) {
    requireOutgoing("its members are those of its sender").member(name, value);
  }

  /**
   * Adds a consumer of the id that the next message of this outgoing call gets, for a layer of
   * {@link Options#callLayers}, as {@link CallBuilder#onId} does. To be called each time before the
   * layer passes the call on. If a layer inside it passes the call on several times, the consumer
   * gets the id of the first message. A notification has no id.
   *
   * @throws IllegalStateException if this is not an outgoing call
   */
  public void onId(Consumer<Id> consumer) {
    requireOutgoing("id() returns its id").onId(consumer);
  }

  /**
   * Returns the outgoing call that passes through the layers; null if this side serves the call.
   */
  @Nullable LayeredCall<?> outgoing() {
    return connection == null ? attributes().get(LayeredCall.KEY) : null;
  }

  /**
   * Sets a header field of the HTTP response that carries the answer to this call, such as {@code
   * WWW-Authenticate} before a layer throws an error. It replaces a field with the same name, also
   * one of another call in the same batch. Does nothing on other transports, and after the response
   * has begun, for example with a progress notification.
   *
   * @throws IllegalArgumentException if the name is not a token of HTTP or one of a field that the
   *     transport sets itself, or if the value has a line end or another character that is not
   *     printable ASCII
   */
  public void responseHeader(String name, String value) {
    BiConsumer<String, String> fields = attributes().get(HttpReply.RESPONSE_HEADERS);
    if (fields != null) {
      fields.accept(name, value);
    }
  }

  /**
   * Sets the status of the HTTP response that carries the answer to this call, such as 429 before a
   * layer throws an error. It replaces the status that the {@link Dialect} has for the answer. Does
   * nothing on other transports, and after the response has begun, for example with a progress
   * notification. Does nothing in a batch either, because its calls share one response.
   *
   * @throws IllegalArgumentException if the status is not from 200 to 599
   */
  public void responseStatus(int status) {
    if (attributes().find(Batched.class) == null) {
      Responder.responseStatus(attributes(), status);
    }
  }

  /** Sets an attribute. Layers and the handler that get this call later find it. */
  public <T> void set(Attribute<T> key, T value) {
    synchronized (original) {
      original.attributes = original.attributes.with(key, value);
    }
  }

  /** Returns the treatment of unknown members in the params. */
  UnknownMembers unknownParams() {
    return connection == null || rpcMethod == null
        ? UnknownMembers.REFUSE
        : connection.context().unknownParams(rpcMethod);
  }

  /** Returns the connection that serves this call; null for an outgoing call. */
  @Nullable Connection connection() {
    return connection;
  }
}
