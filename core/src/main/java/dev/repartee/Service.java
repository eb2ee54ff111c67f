package dev.repartee;

import dev.repartee.access.Allow;
import dev.repartee.internal.Bytes;
import dev.repartee.internal.HashTable;
import dev.repartee.internal.Text;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.UnknownMembers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A table from method names to handlers. Immutable: one service can serve any number of connections
 * in parallel.
 */
public final class Service {
  static final String UNKNOWN_VERSION = "unknown";

  /** A service without methods, for a peer that only calls. */
  public static final Service NONE = new Service("nothing", List.of());

  private final Map<String, RpcMethod> methods = new LinkedHashMap<>();

  /** The same methods by the hash of the bytes of their name. */
  private final HashTable<Entry> table = new HashTable<>();

  /** Serves the messages of all other names; null if there are no others. */
  private final @Nullable RpcMethod others;

  /** The notifications that the service sends to its clients; never served. */
  private final List<RpcMethod> sent;

  private final String title;
  private final String version;

  /**
   * This service with the types of the last endpoint that was not the standard one: endpoints that
   * open a peer for each connection do not resolve the types each time.
   */
  private volatile @Nullable Resolved resolved;

  private record Resolved(JsonTypes types, Service service) {}

  /** The place of a method in the table of one service; several services may share the method. */
  private static final class Entry extends HashTable.Entry<Entry> {
    final RpcMethod method;

    /** The name in UTF-8. */
    final byte[] name;

    Entry(RpcMethod method) {
      this.method = method;
      this.name = Text.utf8(method.name());
    }
  }

  private Service(String title, Collection<RpcMethod> methods) {
    this(title, UNKNOWN_VERSION, methods, null, List.of());
  }

  private Service(
      String title,
      String version,
      Collection<RpcMethod> methods,
      @Nullable RpcMethod others,
      List<RpcMethod> sent) {
    this.title = title;
    this.version = version;
    this.others = others;
    this.sent = requireDistinct(sent);
    for (RpcMethod method : methods) {
      if (this.methods.put(method.name(), method) != null) {
        throw new IllegalArgumentException(
            "method '" + method.name() + "' is defined twice; give one of the two another name");
      }
      Entry entry = new Entry(method);
      table.add(Bytes.hash(entry.name, 0, entry.name.length), entry);
    }
  }

  private static List<RpcMethod> requireDistinct(List<RpcMethod> sent) {
    Set<String> names = new HashSet<>();
    for (RpcMethod method : sent) {
      if (!names.add(method.name())) {
        throw new IllegalArgumentException(
            "the notification '" + method.name() + "' is declared twice");
      }
    }
    return List.copyOf(sent);
  }

  /**
   * Serves the methods of an object: those annotated with {@link Rpc}, on the method itself or on
   * the method that it implements. If no method is annotated: all public instance methods, except
   * the methods of {@code Object} and the {@code close()} of an {@code AutoCloseable}. A single
   * annotation excludes all methods without one. If the annotation is in this class, one record of
   * the {@link System.Logger} {@code dev.repartee} names the excluded methods that could be served.
   *
   * <p>Parameters have the names given by {@link Param} or recorded by the compiler option {@code
   * -parameters}. If a name is missing, the method can only be called by position. One parameter
   * may be the {@link Call}, or the {@link CallView} of a protocol on top. JSON {@code null} is
   * passed as Java's null to every type that has one; the method must refuse it if it cannot use
   * it.
   *
   * @param target the object to serve; its methods may run on several threads in parallel
   * @throws IllegalArgumentException if a method is overloaded, has a type that cannot be bound, or
   *     is not accessible to this module, or if there is no method to serve; the message names the
   *     method
   */
  public static Service of(Object target) {
    return ofObject(target, null);
  }

  /**
   * Serves the methods of an object as {@link #of(Object)} does, with the given mappings: for types
   * that only a binder of these mappings knows, and for a service with other conventions than the
   * rest of its endpoint. Without them the mappings are {@link Options#types} of the endpoint.
   *
   * @throws IllegalArgumentException as {@link #of(Object)} does
   */
  public static Service of(Object target, JsonTypes types) {
    return ofObject(target, types);
  }

  private static Service ofObject(Object target, @Nullable JsonTypes types) {
    Class<?> type = TypedMethods.required(target).getClass();
    return new Service(type.getSimpleName(), TypedMethods.of(target, type, types));
  }

  /**
   * Serves those methods of an object that an interface (or class) declares, and no others. The
   * same rules apply as for {@link #of(Object)}.
   *
   * @throws IllegalArgumentException as {@link #of(Object)} does
   */
  public static <T> Service of(Class<T> type, T target) {
    return new Service(type.getSimpleName(), TypedMethods.of(target, type, null));
  }

  /**
   * Serves the methods of an object that an interface (or class) declares, with the given mappings;
   * see {@link #of(Object, JsonTypes)}.
   *
   * @throws IllegalArgumentException as {@link #of(Object)} does
   */
  public static <T> Service of(Class<T> type, T target, JsonTypes types) {
    return new Service(type.getSimpleName(), TypedMethods.of(target, type, types));
  }

  /**
   * Serves as much as possible of a class that was not written for it: its public static methods
   * and, if {@code target} is not null, the methods that {@link #of(Object)} serves. If any of
   * these methods is annotated with {@link Rpc}, only annotated methods are served. Overloaded
   * methods and methods that {@code of} would refuse are left out and reported to {@code leftOut},
   * so that one of them does not make the others unavailable.
   *
   * @param target the object, or null to serve only static methods
   * @param leftOut receives the name of each method that is not served, and the reason
   * @throws IllegalArgumentException if no method can be served, or {@code target} is not an
   *     instance of {@code type}
   */
  public static Service ofAny(
      Class<?> type, @Nullable Object target, BiConsumer<String, String> leftOut) {
    return new Service(type.getSimpleName(), ServableMethods.of(type, target, leftOut));
  }

  /** Returns a builder that adds methods to a service one by one. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns a service with the methods of both services, and the title and version of this one.
   *
   * @throws IllegalArgumentException if both services have a method of the same name, or both have
   *     a handler for {@linkplain Builder#others all other methods}
   */
  public Service and(Service other) {
    if (others != null && other.others != null) {
      throw new IllegalArgumentException("both services serve all other methods");
    }
    List<RpcMethod> all = new ArrayList<>(methods.values());
    all.addAll(other.methods.values());
    return new Service(
        title, version, all, others == null ? other.others : others, joined(sent, other.sent));
  }

  /**
   * Returns a service with the same methods under another title and version, which {@code
   * rpc.discover} reports (the info object of OpenRPC). By default the title is the simple name of
   * the served class, or "untitled", and the version "unknown".
   */
  public Service described(String title, String version) {
    return new Service(
        Objects.requireNonNull(title, "title"),
        Objects.requireNonNull(version, "version"),
        methods.values(),
        others,
        sent);
  }

  /**
   * Returns a service with the same methods that declares the notifications of an interface, which
   * it sends to its clients with a {@linkplain Peer#proxy proxy}. {@code rpc.discover} describes
   * them in {@code x-notifications}; nothing else changes.
   *
   * @param notifications an interface; its methods with {@code @Rpc(notification = true)} are
   *     declared
   * @throws IllegalArgumentException if the interface has no such method, a type of one cannot be
   *     bound, or a notification of the same name is declared already
   */
  public Service sends(Class<?> notifications) {
    return new Service(
        title,
        version,
        methods.values(),
        others,
        joined(sent, TypedMethods.notifications(notifications)));
  }

  private static List<RpcMethod> joined(List<RpcMethod> some, List<RpcMethod> more) {
    List<RpcMethod> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  /**
   * Returns a service with the same methods and that treatment of unknown members in their params,
   * and of unknown named params. It has precedence over {@link Options#unknownParams}.
   */
  public Service unknownParams(UnknownMembers unknown) {
    return new Service(
        title,
        version,
        methods.values().stream().map(method -> method.with(unknown)).toList(),
        others,
        sent);
  }

  /**
   * Returns this service with the types of that registry, except in methods with fixed types.
   *
   * @throws IllegalArgumentException if the registry does not support a type of a method
   */
  Service in(JsonTypes types) {
    if (types == JsonTypes.standard()) {
      return this; // the methods were made with it
    }
    Resolved last = resolved;
    if (last == null || last.types != types) {
      last = new Resolved(
          types, new Service(title, version, in(methods.values(), types), others, in(sent, types)));
      resolved = last;
    }
    return last.service;
  }

  private static List<RpcMethod> in(Collection<RpcMethod> methods, JsonTypes types) {
    return methods.stream().map(method -> method.in(types)).toList();
  }

  /** Returns the notifications that {@link #sends} declares. */
  List<RpcMethod> sent() {
    return sent;
  }

  String title() {
    return title;
  }

  String version() {
    return version;
  }

  /**
   * Returns all methods, in the order they were added; the methods of one object are sorted by
   * their Java names. Unmodifiable.
   */
  public Collection<RpcMethod> methods() {
    return java.util.Collections.unmodifiableCollection(methods.values());
  }

  /** Returns the names of the methods. */
  Iterable<String> names() {
    return methods.keySet();
  }

  int size() {
    return methods.size();
  }

  /** Returns the method of that name, or null if there is none. */
  public @Nullable RpcMethod find(String name) {
    return methods.get(name);
  }

  /**
   * Returns the method whose name has the UTF-8 bytes {@code b[from, to)}, or null if there is
   * none.
   */
  @Nullable RpcMethod find(byte[] b, int from, int to) {
    Entry e = table.find(Bytes.hash(b, from, to));
    while (e != null && !Arrays.equals(e.name, 0, e.name.length, b, from, to)) {
      e = table.next(e);
    }
    return e == null ? null : e.method;
  }

  /**
   * Returns the method of any other name, which serves the messages that no method of the table
   * does; null if there is none. Allocates.
   */
  @Nullable RpcMethod other(String name) {
    return others == null ? null : others.named(name);
  }

  /** Returns whether {@link #other} returns methods. */
  boolean servesOthers() {
    return others != null;
  }

  /** Returns whether {@link Allow} restricts the callers of a method. */
  boolean isRestricted() {
    return methods.values().stream().anyMatch(method -> method.allow() != null);
  }

  /** Returns whether this service serves anything. */
  boolean isEmpty() {
    return methods.isEmpty() && others == null;
  }

  /** A builder of services. Not thread-safe. */
  public static final class Builder {
    private final List<RpcMethod> methods = new ArrayList<>();
    private final List<RpcMethod> sent = new ArrayList<>();
    private @Nullable RpcMethod others;

    private Builder() {}

    /**
     * Adds a method that may block: its requests run in {@link Lane#CONCURRENT}, its notifications
     * in {@link Lane#ORDERED}. The handler reads the params itself.
     *
     * @throws IllegalArgumentException if the name starts with {@code rpc.}, which JSON-RPC 2.0
     *     section 4.3 reserves
     */
    public Builder method(String name, Handler handler) {
      methods.add(RpcMethod.builder(name).handler(handler));
      return this;
    }

    /** Adds a method as {@link #method(String, Handler)} does; its messages run in {@code lane}. */
    public Builder method(String name, Lane lane, Handler handler) {
      methods.add(RpcMethod.builder(name).lane(lane).handler(handler));
      return this;
    }

    /**
     * Adds a method with typed params as a whole, as {@link RpcMethod.Builder#handler(Class, Class,
     * TypedHandler)} describes.
     *
     * @throws IllegalArgumentException if the name is reserved, or a type does not fit
     */
    public <P, R> Builder method(
        String name,
        Class<P> params,
        Class<R> result,
        TypedHandler<? super P, ? extends R> handler) {
      return add(RpcMethod.builder(name).handler(params, result, handler));
    }

    /**
     * Adds a method with typed params as a whole whose result is a stream, as {@link
     * RpcMethod.Builder#streamHandler} describes.
     *
     * @throws IllegalArgumentException if the name is reserved, or a type does not fit
     */
    public <P, R> Builder stream(
        String name, Class<P> params, Class<R> item, TypedHandler<? super P, ?> handler) {
      return add(RpcMethod.builder(name).streamHandler(params, item, handler));
    }

    /**
     * Adds a method that {@link RpcMethod#builder} has made, or that belongs to another service.
     */
    public Builder add(RpcMethod method) {
      methods.add(method);
      return this;
    }

    /**
     * Adds all methods of a service, its handler of all other methods if it has one, and the
     * notifications that it declares.
     */
    public Builder all(Service service) {
      methods.addAll(service.methods.values());
      if (service.others != null) {
        others = service.others;
      }
      sent.addAll(service.sent);
      return this;
    }

    /**
     * Declares the notifications of an interface, which the service sends to its clients; see
     * {@link Service#sends}.
     *
     * @throws IllegalArgumentException if the interface has no notification, or a type of one
     *     cannot be bound
     */
    public Builder sends(Class<?> notifications) {
      sent.addAll(TypedMethods.notifications(notifications));
      return this;
    }

    /**
     * Serves the requests and notifications of all other methods with one handler, for code that
     * passes messages on or finds its methods itself; {@link Call#method} has the name. These may
     * be names that start with {@code rpc.}, except the names of the {@link Options#builtins} and
     * the three that this library needs itself, {@code rpc.progress}, {@code rpc.credit} and {@code
     * rpc.closing}. These
     * methods are listed nowhere, and they cannot be streams. Replaces an earlier handler.
     */
    public Builder others(Lane lane, Handler handler) {
      others = RpcMethod.others(lane, handler);
      return this;
    }

    /**
     * Builds the service.
     *
     * @throws IllegalArgumentException if two methods, or two notifications that the service sends,
     *     have the same name
     */
    public Service build() {
      return new Service("untitled", UNKNOWN_VERSION, methods, others, sent);
    }
  }
}
