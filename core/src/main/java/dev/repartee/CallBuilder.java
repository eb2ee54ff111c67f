package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.internal.Times;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonWriter;
import dev.repartee.json.TypeToken;
import dev.repartee.json.UnsafeJson;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.message.Id;
import dev.repartee.message.Request;
import dev.repartee.stream.RemoteStream;
import dev.repartee.stream.Streaming;
import dev.repartee.transport.DisconnectedException;
import dev.repartee.transport.Headers;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A builder of calls and notifications: {@code
 * peer.request("sleep").args(100).timeout(ofSeconds(1)).call(int.class)}. Not thread-safe. It may
 * be sent more than once.
 */
public final class CallBuilder {
  final String method;

  @Nullable Params params;

  @Nullable Duration timeout;

  @Nullable Consumer<Json> progress;

  /**
   * The deadline of a call that has begun already, on the clock of its peer; 0 if the time-out
   * begins when the call is sent.
   */
  long due;

  /** Whether the call has nothing to do with the call that the sending thread serves. */
  boolean independent;

  /** The served call with the remaining time that limits this call; null for none. */
  @Nullable Call served;

  /** Gets the id of the call; null if no one needs it. */
  @Nullable Consumer<Id> numbered;

  /** Whether the call may be sent again after its connection was lost. */
  boolean idempotent;

  /** The headers of this call. The headers of the supplier are added when the call is sent. */
  Headers headers = Headers.NONE;

  /** The additional members of the message. */
  Map<String, Json> members = Map.of();

  Streaming streaming = Streaming.DEFAULT;

  /** The stream that the call opens; null for other calls. */
  @Nullable ReceivedStream<?> stream;

  /** Whether a notification waits while the write queue is full. */
  boolean waits = true;

  /** Whether the message is sent although the write queue is full. */
  boolean unthrottled;

  /** Whether the call passes messages that wait, and the limit of the pending calls. */
  boolean urgent;

  private final Peer peer;
  private int size;
  private @Nullable Map<String, @Nullable Object> named;

  CallBuilder(Peer peer, String method) {
    this.peer = peer;
    this.method = method;
  }

  /**
   * Sets the arguments by position, and replaces all params that were set before. The arguments are
   * written when the call is sent; do not change them until then.
   *
   * @param args values that {@link Json#of} can write
   * @throws NullPointerException if the array is null; to pass null as an argument cast it to
   *     Object
   */
  public CallBuilder args(@Nullable Object... args) {
    Objects.requireNonNull(
        args, "the array of arguments is null; to pass null as an argument write (Object) null");
    return params(out -> {
      out.put('[');
      for (int i = 0; i < args.length; i++) {
        if (i > 0) {
          out.put(',');
        }
        peer.types().write(out, args[i]);
      }
      out.put(']');
    });
  }

  /**
   * Adds an argument by name, and replaces params that were not set by name.
   *
   * @param value a value that {@link Json#of} can write
   */
  public CallBuilder arg(String name, @Nullable Object value) {
    if (named == null) {
      Map<String, @Nullable Object> all = new LinkedHashMap<>();
      this.named = all;
      this.params = out -> peer.types().write(out, all);
    }
    named.put(name, value);
    return this;
  }

  /**
   * Sets the params as JSON, and replaces all params that were set before.
   *
   * @throws IllegalArgumentException if the params are neither an array nor an object
   */
  public CallBuilder params(Json params) {
    Request.requireStructured(params);
    return params(out -> out.json(params));
  }

  /**
   * Sets the params as a whole: a value that {@link Json#of} writes as an object or an array, such
   * as a record or a map. Replaces all params that were set before.
   *
   * @throws IllegalArgumentException if the value has another form
   */
  public CallBuilder params(Object params) {
    return params(peer.types().toJson(params));
  }

  /** Returns a copy of this call with other params. */
  CallBuilder with(@Nullable Json params) {
    CallBuilder copy = copyFor(peer);
    copy.params = params == null ? null : out -> out.json(params);
    copy.stream = stream;
    return copy;
  }

  /** Returns a copy of this call with a time limit that begins now; zero for no limit. */
  CallBuilder begun(Duration timeout, Clock clock) {
    CallBuilder copy = copyFor(peer);
    copy.stream = stream;
    copy.timeout = timeout;
    copy.due = due == 0 ? clock.after(timeout) : due;
    return copy;
  }

  CallBuilder params(@Nullable Params params) {
    this.named = null;
    this.params = params;
    return this;
  }

  /** Returns a copy of this call that a peer sends, without a stream. */
  private CallBuilder copyFor(Peer peer) {
    CallBuilder copy = new CallBuilder(peer, method);
    copy.params = params;
    copy.timeout = timeout;
    copy.due = due;
    copy.independent = independent;
    copy.served = served;
    copy.progress = progress;
    copy.numbered = numbered;
    copy.idempotent = idempotent;
    copy.headers = headers;
    copy.members = members;
    copy.waits = waits;
    copy.unthrottled = unthrottled;
    copy.urgent = urgent;
    copy.streaming = streaming;
    return copy;
  }

  /**
   * Adds a member to the params.
   *
   * @throws IllegalArgumentException if the params are an array
   */
  void addMember(String name, Json value) {
    Json present = paramsAsJson();
    if (present != null && present.kind() != Json.Kind.OBJECT) {
      throw new IllegalArgumentException("partial results need params by name, because the token is"
          + " a member of the params of '" + method + "'");
    }
    params(JsonObjectBuilder.of(present).put(name, value).build());
  }

  /** Writes a notification. */
  void write(JsonWriter out, Codec codec) {
    write(out, codec, Codec.NO_ID, null, Deadlines.DEFAULT);
  }

  /**
   * Writes the call, or a notification if {@code id} is {@link Codec#NO_ID}.
   *
   * @param pending the call with its remaining time; null for a notification
   * @param rules the fields for the remaining time
   */
  void write(JsonWriter out, Codec codec, long id, @Nullable Pending<?> pending, Deadlines rules) {
    long millis =
        pending == null || !rules.sendsInText ? CallTime.NONE : CallTime.millis(pending.timeLeft());
    boolean states = millis != CallTime.NONE;
    Params params = states && rules.sendsMeta ? paramsWith(millis) : this.params;
    if (numbered != null && id != Codec.NO_ID) {
      numbered.accept(Id.of(id));
    }
    codec.beginCall(out, id, method, params != null);
    if (params != null) {
      int from = out.size();
      params.write(out);
      codec.endParams(out, from);
    }
    if (!members.isEmpty()) {
      members.forEach((name, value) -> codec.member(out, name, value));
    }
    if (states && rules.sendsMember && !members.containsKey(CallTime.MEMBER)) {
      codec.member(out, CallTime.MEMBER, Json.of(millis));
    }
    codec.endCall(out, id);
  }

  private @Nullable Params paramsWith(long millis) {
    Json stated = CallTime.with(paramsAsJson(), millis);
    return stated == null ? null : out -> out.json(stated);
  }

  /**
   * Returns a copy that later changes of the params do not affect, to be sent later or more than
   * once; without a time limit.
   */
  CallBuilder fixed() {
    CallBuilder fixed = copyFor(peer);
    Json json = paramsAsJson();
    if (json != null) {
      fixed.params = out -> out.json(json);
      fixed.size = json.length();
    }
    fixed.size += headers.size() + MessageMembers.size(members);
    fixed.timeout = Duration.ZERO;
    fixed.due = 0;
    return fixed;
  }

  /** Returns the number of bytes of the params and headers of a {@link #fixed} call. */
  int size() {
    return size;
  }

  @Nullable Json paramsAsJson() {
    if (params == null) {
      return null;
    }
    JsonWriter out = new JsonWriter();
    params.write(out);
    return UnsafeJson.wrap(out.toBytes());
  }

  /**
   * Sets the time to wait for the answer. The default is {@link Limits#callTimeout}; zero waits for
   * ever. If the time passes, the call fails with {@link CallTimeoutException}, and a cancellation
   * is sent to the peer. A call that was not sent by then is not sent at all: the time includes the
   * wait for room in the write queue, and the time in layers.
   *
   * <p>On a thread that serves a call with a deadline, the time is at most the {@linkplain
   * Call#timeLeft remaining time} of the served call. If no time is left, sending throws {@link
   * CallTimeoutException}. A stream and an {@link #independent} call have no such limit.
   *
   * @throws IllegalArgumentException if the time is negative or more than 292 years
   */
  public CallBuilder timeout(Duration timeout) {
    this.timeout = Times.require("timeout", timeout);
    return this;
  }

  /**
   * Declares that this call is not made for the call that the sending thread serves. Its time-out
   * may be longer than the remaining time of the served call. For work that several calls share,
   * such as filling a cache; otherwise the shortest deadline of a caller would decide for all of
   * them.
   */
  public CallBuilder independent() {
    this.independent = true;
    return this;
  }

  /**
   * Limits the time to wait for the answer: at most the {@linkplain Call#timeLeft remaining time} of
   * a call that this side serves, read when this call is sent. For a handler that continues on
   * another thread, such as in a stage; on the thread of the handler the limit applies without this
   * method. If no time is left, sending throws {@link CallTimeoutException}. Does nothing if the
   * served call has no deadline.
   */
  public CallBuilder within(Call served) {
    this.served = served;
    return this;
  }

  /**
   * Adds a header to the message, such as {@code Authorization} or {@code traceparent}. It replaces
   * an earlier header with the same name, ignoring case. It also replaces a header from {@link
   * Options.Builder#headers(java.util.function.Supplier)} or {@link Options.Builder#header}.
   *
   * <p>HTTP and HTTPS, the HTTP transports of an MCP client, AMQP and NATS send the header. TCP,
   * Unix sockets, standard streams, processes, pipes, memory, SSH, WebSocket, ZeroMQ and XMPP
   * cannot carry headers of one message, and ignore it. A header is neither recorded in a trace nor
   * passed on by a bridge.
   *
   * @param name a token (RFC 9110 section 5.6.2) with at most 255 characters. Names that a
   *     transport sets itself are refused on all transports: the headers of HTTP that delimit,
   *     describe or route a message ({@code Host}, {@code Connection}, {@code Content-*}, {@code
   *     Accept}, ...), and the headers of MCP and of the brokers ({@code Mcp-*}, {@code Nats-*},
   *     {@code x-death}, ...)
   * @param value printable ASCII; spaces and tabs are allowed between other characters. A message
   *     has at most 128 headers, and all names and values together at most 16 KiB
   * @throws IllegalArgumentException if the header is not allowed. The message names the header and
   *     the reason, and does not contain the value, which may be secret
   */
  public CallBuilder header(String name, String value) {
    this.headers = MessageHeaders.with(headers, name, value);
    return this;
  }

  /**
   * Adds a member to the message, beside {@code method} and {@code params}, such as the {@code
   * traceparent} of StreamJsonRpc. It replaces an earlier value. All transports carry it; envelopes
   * other than JSON-RPC 2.0 leave it out. The other side skips it, or reads it with {@link
   * dev.repartee.message.Dialect#withMembers}.
   *
   * @throws IllegalArgumentException if JSON-RPC defines a member of that name, or if the message
   *     has 16 others
   */
  public CallBuilder member(String name, Json value) {
    this.members = MessageMembers.with(members, name, value);
    return this;
  }

  /** Returns a copy that also has the given headers. A header of this call wins over them. */
  CallBuilder under(Headers outer) {
    CallBuilder copy = copyFor(peer);
    copy.headers = MessageHeaders.with(outer, headers);
    return copy;
  }

  /**
   * Declares that handling this call twice has the same effect as once. A peer that reconnects may
   * then send it again if the connection was lost before the answer; other peers never do.
   */
  public CallBuilder idempotent() {
    this.idempotent = true;
    return this;
  }

  /**
   * Sets a consumer of the id that the call has on its connection, for protocols with messages that
   * name a running call. It runs before the message is sent, and again if a peer that reconnects
   * sends the call again. It may run with a lock of the connection held, and must not block. If it
   * throws an exception, the message is not sent, and the call fails with that exception.
   */
  public CallBuilder onId(Consumer<Id> consumer) {
    this.numbered = consumer;
    return this;
  }

  /**
   * Sets the consumer of the call's progress notifications. It runs on the thread that reads the
   * connection, before the call completes, and must not block.
   */
  public CallBuilder onProgress(Consumer<Json> progress) {
    this.progress = progress;
    return this;
  }

  /**
   * Sends this message also while the write queue is full, without waiting. For code that forwards
   * messages and asks {@link PeerFlow#hasRoom} before it reads more of them. The queue still counts
   * towards the memory budget of the process.
   */
  public CallBuilder unthrottled() {
    this.unthrottled = true;
    return this;
  }

  /** Sends a call and waits for the result; see {@link Peer#call}. */
  public <T> T call(Class<T> result) {
    return send(result).await();
  }

  /** Sends a call with a result of a generic type and waits for it; see {@link Peer#call}. */
  public <T> T call(TypeToken<T> result) {
    return send(result).await();
  }

  /** Sends a call without waiting for the answer; see {@link Peer#callAsync}. */
  public <T> CallFuture<T> send(Class<T> result) {
    return send(peer.types().of(result));
  }

  /** Sends a call with a result of a generic type, such as {@code List<String>}. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> CallFuture<T> send(Type result) {
    return send((JsonType<T>) peer.types().of(result));
  }

  /** Sends a call with a result of a generic type. */
  public <T> CallFuture<T> send(TypeToken<T> result) {
    return send(peer.types().of(result));
  }

  <T extends @Nullable Object> CallFuture<T> send(JsonType<T> type) {
    try {
      return peer.caller().layers().send(this, type, peer);
    } catch (DisconnectedException e) {
      throw peer.ending().explained(e);
    }
  }

  /**
   * Sets the form and the buffer of {@link #stream(Class)}. The default is {@link
   * Streaming#DEFAULT}. The other side has to use the same form.
   */
  public CallBuilder streaming(Streaming streaming) {
    this.streaming = streaming;
    return this;
  }

  /**
   * Returns the items of a streamed result. Each subscription sends the call, with the settings at
   * the time of this method's call. A time-out limits the whole stream; by default there is none,
   * except for the answer to the call that opens a subscription. {@link #onProgress} applies, too.
   *
   * @param item the type of the items
   */
  public <T> RemoteStream<T> stream(Class<T> item) {
    return stream(peer.types().of(item));
  }

  /** Returns the items of a generic type of a call; see {@link #stream(Class)}. */
  public <T> RemoteStream<T> stream(TypeToken<T> item) {
    return stream(peer.types().of(item));
  }

  <T> RemoteStream<T> stream(JsonType<T> item) {
    CallBuilder kept = copyFor(peer);
    return to -> kept.copyFor(peer).open(item, Objects.requireNonNull(to));
  }

  private <T> void open(JsonType<T> item, Flow.Subscriber<? super T> to) {
    Caller caller = peer.caller();
    ReceivedStream.Calls calls;
    try {
      // A stream belongs to the connection on which it was opened, and ends with it.
      Peer carrier = caller.carrier(peer, this);
      carrier.requireJsonRpc2("a stream");
      calls = copyFor(carrier).new Opening();
      caller = carrier.caller();
    } catch (RuntimeException e) {
      calls = new NotConnected(e);
    }
    new ReceivedStream<>(caller, calls, method, streaming, item, caller.unknownResults(), to)
        .open();
  }

  /** The calls of a stream that cannot be opened, because there is no connection. */
  private record NotConnected(RuntimeException why) implements ReceivedStream.Calls {
    @Override
    public CallFuture<Json> open(ReceivedStream<?> stream, @Nullable Json token) {
      throw why;
    }

    @Override
    public void unsubscribe(Json params) {}
  }

  /** The calls of a stream that this call opens. */
  private final class Opening implements ReceivedStream.Calls {
    @Override
    public CallFuture<Json> open(ReceivedStream<?> opened, @Nullable Json token) {
      stream = opened;
      if (streaming.form() == Streaming.Form.SUBSCRIPTION) {
        peer.requireSubscribable(method, streaming.notification());
      } else if (timeout == null) {
        timeout = Duration.ZERO; // a quiet stream is not a failure
      }
      if (token != null) {
        addMember(ReceivedStream.TOKEN, token);
      }
      return send(Json.class);
    }

    @Override
    public void unsubscribe(Json params) {
      peer.request(streaming.unsubscribe()).params(params).independent().send(Json.class);
    }
  }

  /** Sends a notification, which gets no answer; see {@link Peer#notify}. */
  public void sendNotification() {
    peer.caller().layers().sendNotification(this, peer);
  }

  /**
   * Sends a notification as {@link #sendNotification} does, but never waits.
   *
   * @return false if nothing was sent because the write queue is full
   */
  public boolean tryNotify() {
    waits = false;
    try {
      sendNotification();
      return true;
    } catch (LimitException e) {
      if (e.limit().equals("outboundBytes")) {
        return false;
      }
      throw e;
    } finally {
      waits = true;
    }
  }
}
