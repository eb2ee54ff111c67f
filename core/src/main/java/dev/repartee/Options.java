package dev.repartee;

import dev.repartee.access.Access;
import dev.repartee.framing.Envelope;
import dev.repartee.framing.Framing;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.json.Binder;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Naming;
import dev.repartee.json.UnknownMembers;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.message.Dialect;
import dev.repartee.message.ForwardingDialect;
import dev.repartee.message.RpcError;
import dev.repartee.trace.Trace;
import dev.repartee.transport.Channel;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.Headers;
import dev.repartee.transport.Lenience;
import dev.repartee.transport.Transport;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The configuration of an endpoint. Immutable: {@link #toBuilder} starts a changed copy. */
public final class Options {
  /** The defaults. */
  public static final Options DEFAULT = builder().build();

  private final Builder values; // its private copy, which nothing changes

  /** The dialect, which also reads the remaining time of calls if this is a member. */
  private final Dialect reading;

  private Options(Builder values) {
    this.values = new Builder(values);
    this.reading = values.deadlines.acceptsMember
        ? Dialect.withMembers(values.dialect, CallTime.MEMBER)
        : values.dialect;
  }

  /** Returns the codec of a connection. */
  Codec codec() {
    return reading.codec();
  }

  /** Returns a builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder with these options. */
  public Builder toBuilder() {
    return new Builder(values);
  }

  /** Returns the limits. */
  public Limits limits() {
    return values.limits;
  }

  /** Returns the policies of the protocol on top of JSON-RPC. */
  public Dialect dialect() {
    return values.dialect;
  }

  /** Returns the deviations from the specification that are tolerated; none by default. */
  public Set<Lenience> lenience() {
    return values.lenience;
  }

  /** Returns the methods of this library that are offered; all by default. */
  public Set<Builtin> builtins() {
    return values.builtins;
  }

  /** Returns the layers around the handlers, outermost first. */
  public List<Layer> layers() {
    return values.layers;
  }

  /** Returns the layers around outgoing calls, outermost first. */
  public List<Layer> callLayers() {
    return values.callLayers;
  }

  /**
   * Returns the function that maps an exception of a handler to the error to answer with, or to
   * null for -32603.
   */
  public Function<Throwable, @Nullable RpcError> exceptionMapper() {
    return values.exceptionMapper;
  }

  /**
   * Returns the mappings between Java types and JSON; {@link JsonTypes#standard()} by default. The
   * services, proxies and calls of the endpoint use them.
   */
  public JsonTypes types() {
    return values.types;
  }

  /** Returns the treatment of unknown members in params, and of unknown named params. */
  public UnknownMembers unknownParams() {
    return values.unknownParams;
  }

  /** Returns the treatment of unknown members in results. */
  public UnknownMembers unknownResults() {
    return values.unknownResults;
  }

  /**
   * Returns whether input that is not a message is answered with an error without an id.
   *
   * @param unset the value if {@link Builder#answersUnreadable} was not called
   */
  boolean answersUnreadable(boolean unset) {
    Boolean given = values.answersUnreadable;
    return given == null ? unset : given;
  }

  /** Returns the exception that a proxy throws instead of a received error; null for none. */
  @Nullable Exception raised(RemoteRpcException received) {
    Function<RemoteRpcException, ? extends @Nullable Exception> exception =
        values.errorMappers.get(received.code());
    return exception == null ? null : exception.apply(received);
  }

  /**
   * Returns the listener that receives the events of connections; {@link Listener#LOG} by default.
   */
  public Listener listener() {
    return values.listener;
  }

  /**
   * Returns the executor that runs the handlers; null, the default, for the threads of this library
   * ({@linkplain Builder#executor details}).
   */
  public @Nullable Executor executor() {
    return values.executor;
  }

  /** Returns the executor of the handlers, or the threads of this library. */
  Executor workers() {
    Executor own = values.executor;
    return own == null ? Threads.CALLS : own;
  }

  /** Returns the permissions of callers to connect and to call methods. */
  public Access access() {
    return values.access;
  }

  /**
   * Returns the trace that records the messages; null for none. By default the trace that the
   * system property {@value Trace#PROPERTY} asks for.
   */
  public @Nullable Trace trace() {
    return values.trace;
  }

  /** Returns the rules for the time limits of calls. */
  public Deadlines deadlines() {
    return values.deadlines;
  }

  /** Returns the clock of the time limits of calls and of closing. */
  Clock clock() {
    return values.clock;
  }

  /**
   * Returns the headers that are sent when connecting, for example in an HTTP request; none by
   * default. Not used by servers.
   */
  public Headers headers() {
    return values.headers;
  }

  /**
   * Returns the headers for a new connection to an endpoint: {@link #headers()}, and for a WebSocket
   * also the headers of {@link Builder#headers}, which have precedence. Calls the supplier.
   *
   * @throws IllegalStateException if the supplier fails, with its exception as the cause
   * @throws IllegalArgumentException if one of its headers is not allowed, or if no transport serves
   *     the scheme
   */
  public Headers headersAt(Endpoint endpoint) {
    return Transport.of(endpoint).hasHandshake(endpoint)
        ? values.headers.with(headersOf(Headers.NONE))
        : values.headers;
  }

  /**
   * Returns the headers of a message: those of the supplier, if there is one, which is asked now,
   * and those that the message has, which replace them.
   */
  Headers headersOf(Headers own) {
    Supplier<Map<String, String>> supplier = values.messageHeaders;
    return supplier == null ? own : MessageHeaders.supplied(supplier, own);
  }

  /**
   * Returns a copy with the options of an endpoint's URI: it also tolerates the deviations in the
   * option {@code lenient}, as in {@code tcp://127.0.0.1:7000#lenient=null-params}, and has the
   * dialect that the option {@code envelope} names. {@link Repartee} does this itself; use this
   * method for a {@link Peer#open(Channel, Service, Options) peer on a channel} that you have
   * opened.
   *
   * @throws IllegalArgumentException if the endpoint names an envelope and these options have
   *     another dialect than {@link Dialect#PLAIN}. A dialect that {@linkplain ForwardingDialect
   *     forwards} to that envelope is no other. {@linkplain Dialect#withMembers Additional members}
   *     of plain JSON-RPC 2.0 are not read there, since other envelopes have none
   */
  public Options at(Endpoint endpoint) {
    Set<Lenience> all = EnumSet.noneOf(Lenience.class);
    all.addAll(lenience());
    boolean more = all.addAll(endpoint.lenience());
    Dialect dialect = EndpointDialect.of(dialect(), endpoint);
    if (!more && dialect == dialect()) {
      return this;
    }
    Builder there = toBuilder().dialect(dialect);
    if (more) { // otherwise not: threads keep a ParsedFrame for each set of deviations
      there.lenience(all.toArray(new Lenience[0]));
    }
    return there.build();
  }

  /** Returns the usual framing of the dialect; {@link Framing#AUTO} if it has none. */
  Framing framing() {
    return dialect().origin() instanceof Envelope own ? own.framing(Framing.AUTO) : Framing.AUTO;
  }

  /**
   * A method that this library offers itself, with a reserved name that starts with {@code rpc.}.
   */
  public enum Builtin {
    /** {@code rpc.ping} returns {@code "pong"}. */
    PING("rpc.ping"),
    /**
     * {@code rpc.status} reports how many calls run and wait on this connection, and, if a {@link
     * Server} accepted it, the versions, uptime, connections, calls, errors and memory budgets of
     * that server. Contains no address and no name. {@code rpc.discover} describes the result.
     */
    STATUS("rpc.status"),
    /** {@code rpc.cancel} cancels the call with an id. */
    CANCEL("rpc.cancel"),
    /** {@code rpc.discover} returns the methods as an OpenRPC document. */
    DISCOVER("rpc.discover");

    private final String method;

    Builtin(String method) {
      this.method = method;
    }

    String method() {
      return method;
    }
  }

  /** A builder of options. */
  public static final class Builder {
    // Every value is immutable: a copy can share them.
    private Limits limits = Limits.DEFAULT;
    private Dialect dialect = Dialect.PLAIN;
    private Set<Lenience> lenience = Set.of();
    private Set<Builtin> builtins = Set.of(Builtin.values());
    private List<Layer> layers = List.of();
    private List<Layer> callLayers = List.of();
    private Function<Throwable, @Nullable RpcError> exceptionMapper = cause -> null;
    private JsonTypes types = JsonTypes.standard();
    private UnknownMembers unknownParams = UnknownMembers.REFUSE;
    private UnknownMembers unknownResults = UnknownMembers.IGNORE;
    private Map<Integer, Function<RemoteRpcException, ? extends @Nullable Exception>> errorMappers =
        Map.of();
    private @Nullable Boolean answersUnreadable;
    private Listener listener = Listener.LOG;
    private @Nullable Trace trace = Trace.ofProcess();
    private Headers headers = Headers.NONE;
    private @Nullable Supplier<Map<String, String>> messageHeaders;
    private @Nullable Executor executor;
    private Access access = Access.OPEN;
    private Deadlines deadlines = Deadlines.DEFAULT;
    private Clock clock = Clock.SYSTEM;

    private Builder() {}

    private Builder(Builder of) {
      limits = of.limits;
      dialect = of.dialect;
      lenience = of.lenience;
      builtins = of.builtins;
      layers = of.layers;
      callLayers = of.callLayers;
      exceptionMapper = of.exceptionMapper;
      types = of.types;
      unknownParams = of.unknownParams;
      unknownResults = of.unknownResults;
      errorMappers = of.errorMappers;
      answersUnreadable = of.answersUnreadable;
      listener = of.listener;
      trace = of.trace;
      headers = of.headers;
      messageHeaders = of.messageHeaders;
      executor = of.executor;
      access = of.access;
      deadlines = of.deadlines;
      clock = of.clock;
    }

    /** Sets the limits. */
    public Builder limits(Limits limits) {
      this.limits = limits;
      return this;
    }

    /** Changes the limits, as in {@code limits(limits -> limits.frameBytes(1 << 20))}. */
    public Builder limits(Consumer<Limits.Builder> change) {
      Limits.Builder changed = limits.toBuilder();
      change.accept(changed);
      return limits(changed.build());
    }

    /** Sets the policies of the protocol on top of JSON-RPC. */
    public Builder dialect(Dialect dialect) {
      this.dialect = dialect;
      return this;
    }

    /** Tolerates these deviations from the specification and no others. */
    public Builder lenience(Lenience... lenience) {
      this.lenience = Set.of(lenience);
      return this;
    }

    /** Offers these methods of the library and no others. */
    public Builder builtins(Builtin... builtins) {
      this.builtins = Set.of(builtins);
      return this;
    }

    /** Adds a layer around the handlers, inside the present layers. */
    public Builder layer(Layer layer) {
      layers = append(layers, layer);
      return this;
    }

    /** Adds a layer around outgoing calls, inside the present layers. */
    public Builder callLayer(Layer layer) {
      callLayers = append(callLayers, layer);
      return this;
    }

    private static List<Layer> append(List<Layer> layers, Layer layer) {
      List<Layer> all = new ArrayList<>(layers);
      all.add(layer);
      return List.copyOf(all);
    }

    /**
     * Sets the function that maps each exception of a handler to the error to answer with; it
     * returns null for -32603. Earlier {@linkplain #mapException mappings} are lost.
     */
    public Builder exceptionMapper(Function<Throwable, @Nullable RpcError> mapper) {
      this.exceptionMapper = Objects.requireNonNull(mapper, "mapper");
      return this;
    }

    /**
     * Answers exceptions of handlers, of this class and its subclasses, with this error. Mappings
     * that were added earlier take precedence. {@link #mapError} is the opposite direction.
     */
    public Builder mapException(Class<? extends Throwable> type, RpcError error) {
      return mapException(type, cause -> error);
    }

    /**
     * Answers exceptions of handlers, of this class and its subclasses, with the error that a
     * function makes of them, such as an error with data. Mappings that were added earlier take
     * precedence. The error is sent to the peer and must not contain secrets.
     *
     * @param error returns null to leave the exception to later mappings
     */
    public <X extends Throwable> Builder mapException(
        Class<X> type, Function<? super X, @Nullable RpcError> error) {
      Function<Throwable, @Nullable RpcError> earlier = exceptionMapper;
      exceptionMapper = cause -> {
        RpcError mapped = earlier.apply(cause);
        return mapped == null && type.isInstance(cause) ? error.apply(type.cast(cause)) : mapped;
      };
      return this;
    }

    /**
     * Maps received errors with this code to an exception of the application, which methods of
     * proxies throw: {@code mapError(1001, e -> new OutOfStock(e.data()))}. A checked exception is
     * thrown only by methods that declare it; others throw the {@link RemoteRpcException}. Futures
     * and {@link Peer#call} always fail with the {@link RemoteRpcException}. Replaces an earlier
     * function for the code.
     *
     * @param exception returns null to throw the {@link RemoteRpcException}
     */
    public Builder mapError(
        int code, Function<RemoteRpcException, ? extends @Nullable Exception> exception) {
      Map<Integer, Function<RemoteRpcException, ? extends @Nullable Exception>> all =
          new HashMap<>(errorMappers);
      all.put(code, exception);
      errorMappers = Map.copyOf(all);
      return this;
    }

    /**
     * Sets the mappings between Java types and JSON, for endpoints that share them. Earlier {@link
     * #binder binders} and {@link #naming names} are lost.
     */
    public Builder types(JsonTypes types) {
      this.types = Objects.requireNonNull(types, "types");
      return this;
    }

    /**
     * Adds a binder for this endpoint, beside the installed ones; see {@link JsonTypes#with}. A
     * service with a type that only this binder knows is made with {@link Service#of(Object,
     * JsonTypes)}.
     */
    public Builder binder(Binder binder) {
      return types(types.with(binder));
    }

    /**
     * Sets the names of members in records and of named params for this endpoint, such as {@link
     * Naming#SNAKE_CASE}; see {@link JsonTypes#naming}.
     */
    public Builder naming(Naming naming) {
      return types(types.naming(naming));
    }

    /**
     * Sets the treatment of unknown members in params, and of unknown named params: refused with
     * -32602 by default. A {@link Service#unknownParams service} and a record with {@link
     * UnknownMembers.Policy} may state their own.
     */
    public Builder unknownParams(UnknownMembers unknown) {
      this.unknownParams = unknown;
      return this;
    }

    /**
     * Sets the treatment of unknown members in results: ignored by default, since the other side
     * may add members. A record with {@link UnknownMembers.Policy} may state its own.
     */
    public Builder unknownResults(UnknownMembers unknown) {
      this.unknownResults = unknown;
      return this;
    }

    /**
     * Sets whether input that is not a message is answered with an error without an id, as JSON-RPC
     * 2.0 (section 5) demands of servers. False for the client of a protocol, although it serves
     * requests of its server: a server that prints text between its messages may end on such an
     * answer. Then the first such input of a connection is reported to {@link Listener#violation}
     * with an excerpt. Requests with an id are answered in any case, also invalid ones. By default
     * a server answers, and so does a {@link Peer} that has a service.
     */
    public Builder answersUnreadable(boolean answers) {
      this.answersUnreadable = answers;
      return this;
    }

    /** Sets the listener that receives the events of connections. */
    public Builder listener(Listener listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Records the messages of the connections and HTTP requests; null records nothing. The trace
     * has to be closed by its owner. A trace contains params and results.
     */
    public Builder trace(@Nullable Trace trace) {
      this.trace = trace;
      return this;
    }

    /**
     * Sets the executor that runs the handlers instead of the threads of this library: for handlers
     * that need the threads of a framework, or a context that the executor copies from the
     * receiving thread, as Micrometer's {@code ContextExecutorService} does. It also runs the
     * publishers of streams. Methods in {@link Lane#INLINE} do not use it.
     *
     * <p>One task serves several messages of a connection, one after another, and asks for another
     * task if more messages wait. An executor with few threads delays calls while its handlers
     * block; handlers that call back to the peer need one more thread. If the executor rejects a
     * task, the calls that wait for a thread are refused as {@linkplain Dialect#busy busy}. It must
     * not run a task in the thread that submits it. It is not closed with the endpoint.
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Sets the permissions of callers to connect and to call methods; {@link Access#OPEN} by
     * default. Servers and {@link FrameResponder} ask the authenticator. With an authenticator, a
     * {@link Peer} does not open on a channel without an authenticated principal. The rules hold for
     * the calls that this side serves.
     */
    public Builder access(Access access) {
      this.access = access;
      return this;
    }

    /** Sets the permissions of callers to connect and to call methods. */
    public Builder access(Consumer<Access.Builder> change) {
      Access.Builder builder = Access.builder();
      change.accept(builder);
      return access(builder.build());
    }

    /**
     * Changes the rules for the time limits of calls, as in {@code deadlines(rules ->
     * rules.send(HEADER))}.
     */
    public Builder deadlines(UnaryOperator<Deadlines> change) {
      this.deadlines = change.apply(deadlines);
      return this;
    }

    /**
     * Adds a header. It replaces a header of the same name, ignoring case. A transport that cannot
     * send headers refuses to connect if there are any.
     *
     * @throws IllegalArgumentException if the name is not a token of RFC 9110, or the value has
     *     characters other than printable ASCII. The message does not contain the value, which may
     *     be secret
     */
    public Builder header(String name, String value) {
      headers = headers.with(name, value);
      return this;
    }

    /** Sets the clock of the time limits, for tests. */
    Builder clock(Clock clock) {
      this.clock = clock;
      return this;
    }

    /**
     * Sets a supplier of the headers of single messages, such as a token that expires. It is asked
     * once for each call, notification and batch that is sent without a connection, as over HTTP or
     * a broker; {@link CallBuilder#header} lists the transports that send headers, and the rules
     * for them. Headers of the call or of its layers replace those of the supplier, and both
     * replace those of {@link #header}. Answers to the other side have none of them; a cancellation
     * has the headers of its call. A WebSocket calls the supplier once, for its handshake; a failure
     * of the supplier fails {@link Repartee#connect(String)}.
     *
     * <p>Runs on the thread that sends, before anything is sent. This is the thread that makes the
     * call, or the thread that has connected if a peer that {@linkplain
     * dev.repartee.reconnect.Reconnecting reconnects} sends a waiting call. Such a peer asks again
     * when it sends a call again. The supplier may wait if that thread may, but not for a call of
     * that peer: the call would be sent after the message that waits for it. If it throws an
     * exception, only this message fails, with an {@link IllegalStateException} that has the
     * exception as its cause; if a header is not allowed, with an {@link IllegalArgumentException}.
     *
     * @param supplier returns the values by name; an empty map for none. Thread-safe
     */
    public Builder headers(Supplier<Map<String, String>> supplier) {
      this.messageHeaders = Objects.requireNonNull(supplier, "supplier");
      return this;
    }

    /** Returns the options. */
    public Options build() {
      return new Options(this);
    }
  }
}
