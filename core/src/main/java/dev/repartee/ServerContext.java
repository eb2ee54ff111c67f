package dev.repartee;

import dev.repartee.internal.Spelling;
import dev.repartee.internal.TextChecks;
import dev.repartee.internal.UserCode;
import dev.repartee.json.UnknownMembers;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The context that all connections of an endpoint share: the methods, the layers around them and
 * the options.
 */
final class ServerContext {
  private static final String DISCOVER = "rpc.discover lists the methods there are";

  /**
   * A search for a misspelled name runs on the thread that reads, and takes up to 5 µs for each
   * method. A peer can call any number of unknown methods. Therefore searches have a minimum
   * interval, and a service with more names than the limit below has no search.
   */
  private static final long SEARCH_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int SEARCHED_NAMES = 1000;

  private final Service service;
  private final Options options;
  private final @Nullable Handler layered;

  /** The only layer, if it can accept calls by their text; null otherwise. */
  private final @Nullable TextChecks checks;

  private final RpcError noMethod;
  private final @Nullable ServerStatus status;
  private final @Nullable Permissions permissions;
  private final @Nullable Admission admission;

  /** The calls of all connections that wait for a thread of the executor; null without one. */
  private final @Nullable Backlog backlog;

  /** The time of the clock from which the next search may run; shared by all connections. */
  private final AtomicLong nextSearch;

  /** Creates the context of connections without a server. */
  ServerContext(Service service, Options options) {
    this(service, options, null);
  }

  /**
   * @param status counts the calls of all connections; null without a server
   */
  ServerContext(Service service, Options options, @Nullable ServerStatus status) {
    this.status = status;
    this.options = options;
    Service served = required(service).in(options.types());
    this.service = served.and(Builtins.of(served, options));
    this.permissions = Permissions.of(served, options.access());
    this.admission = Admission.of(options);
    this.backlog = options.executor() == null ? null : Backlog.of(options);
    this.layered =
        options.layers().isEmpty() ? null : ServerContext.stack(options.layers(), this::handle);
    this.checks = textChecks(options);
    this.noMethod = Errors.noMethod(isDiscoverable() ? DISCOVER : null);
    this.nextSearch = new AtomicLong(options.clock().nanos());
  }

  private ServerContext(
      ServerContext of, @Nullable ServerStatus status, @Nullable Permissions permissions) {
    this.status = status;
    this.options = of.options;
    this.service = of.service;
    this.layered = of.layered;
    this.checks = of.checks;
    this.permissions = permissions;
    this.admission = of.admission;
    this.backlog = of.backlog;
    this.noMethod = of.noMethod;
    this.nextSearch = of.nextSearch;
  }

  /** Returns the same context for the connections of a server. */
  ServerContext in(ServerStatus status) {
    return new ServerContext(this, status, permissions);
  }

  /** Returns a context that answers all requests with an error, and runs nothing. */
  ServerContext refusing(RpcError error, String reason) {
    return new ServerContext(this, status, Permissions.none(error, reason));
  }

  /** Returns the service; throws a NullPointerException that names the remedy if there is none. */
  static Service required(@Nullable Service service) {
    return Objects.requireNonNull(service, "the service is null; Service.NONE serves no methods");
  }

  /** Wraps the layers around a handler; the first layer is the outermost. */
  static Handler stack(List<Layer> layers, Handler innermost) {
    Handler handler = innermost;
    for (int i = layers.size() - 1; i >= 0; i--) {
      Layer layer = layers.get(i);
      Handler next = handler;
      handler = call -> layer.handle(call, next);
    }
    return handler;
  }

  private @Nullable Object handle(Call call) throws Exception {
    RpcMethod method = service.find(call.method());
    if (method == null) {
      method = service.other(call.method());
    }
    if (method == null) {
      throw new RpcException(noMethod); // no hint: a layer may protect rpc.discover
    }
    return method.handler().handle(call);
  }

  /** Returns the treatment of unknown members in the params of a method. */
  UnknownMembers unknownParams(RpcMethod method) {
    UnknownMembers own = method.unknownParams();
    return own == null ? options.unknownParams() : own;
  }

  /**
   * Returns the error for a call of an unknown method that passes no layers. If {@code
   * rpc.discover} publishes the names of the methods to everybody, the error names the one that the
   * caller may have misspelled, for at most ten calls a second.
   */
  RpcError noMethod(String name) {
    String meant =
        permissions == null && isSearchDue() ? Spelling.nearest(name, service.names()) : null;
    return meant == null ? noMethod : Errors.noMethod("did you mean '" + meant + "'? " + DISCOVER);
  }

  private boolean isSearchDue() {
    if (!isDiscoverable() || service.size() > SEARCHED_NAMES) {
      return false;
    }
    long due = nextSearch.get();
    long now = options.clock().nanos();
    return now - due >= 0 && nextSearch.compareAndSet(due, now + SEARCH_PAUSE);
  }

  private boolean isDiscoverable() {
    return options.builtins().contains(Options.Builtin.DISCOVER);
  }

  /** Returns the counts of the server; null without one. */
  @Nullable ServerStatus status() {
    return status;
  }

  Service service() {
    return service;
  }

  Options options() {
    return options;
  }

  /** Returns the permissions; null if everybody may make every call. */
  @Nullable Permissions permissions() {
    return permissions;
  }

  /** Returns the authentication of callers; null if the endpoint has no authenticator. */
  @Nullable Admission admission() {
    return admission;
  }

  /** Returns whether layers see the calls, of unknown methods too. */
  boolean hasLayers() {
    return layered != null;
  }

  /** Returns the handler that runs the layers around the method, or null if no layers apply. */
  @Nullable Handler layered(RpcMethod method) {
    return method.isImmediate() ? null : layered;
  }

  private static @Nullable TextChecks textChecks(Options options) {
    List<Layer> layers = options.layers();
    return layers.size() == 1 && layers.get(0) instanceof TextChecks checks ? checks : null;
  }

  /**
   * Returns the checks that accept the params {@code text[from, to)} of a call and replace the
   * layers; null if the call has to pass through the layers. Throws nothing.
   */
  TextChecks.@Nullable OfMethod accepted(RpcMethod method, byte[] text, int from, int to) {
    if (checks == null || method.isDetached()) {
      return null;
    }
    try {
      TextChecks.OfMethod of = checks.ofMethod(method.name());
      return of != null && of.acceptsParams(text, from, to) ? of : null;
    } catch (Throwable e) {
      return null; // the call fails in the layer
    }
  }

  /** Returns whether calls that are not served from the read buffer have a deadline. */
  boolean hasDeadlines() {
    return !options.limits().handlerTimeout().isZero();
  }

  /**
   * Returns the calls that wait for a thread of the executor; null if there is no executor, or no
   * load shedding.
   */
  @Nullable Backlog backlog() {
    return backlog;
  }

  /** Passes a call through the layers to a handler instead of its method. */
  @Nullable Object throughLayers(Call call, Handler handler) throws Exception {
    return stack(options.layers(), handler).handle(call);
  }

  /**
   * Whether user code can see the {@link Call} of that method, so that the call must have its own
   * copy of its bytes.
   */
  boolean isSeen(RpcMethod method) {
    return layered(method) != null || method.isDetached();
  }

  /**
   * Maps an exception of a handler to a JSON-RPC error with {@link Options#exceptionMapper};
   * returns null for an internal error.
   */
  @Nullable RpcError errorFor(Throwable cause) {
    try {
      return options.exceptionMapper().apply(cause);
    } catch (Throwable e) {
      return null;
    }
  }

  void failed(Call call, Throwable cause) {
    UserCode.run(() -> options.listener().failed(call, cause));
  }
}
