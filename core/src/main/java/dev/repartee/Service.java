package dev.repartee;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A table from method name to handler. Immutable; one service may stand behind any number of
 * connections at once.
 */
public final class Service {
  /** Spreads names over the table; an odd number with no pattern in its bits. */
  static final long MIX = 0x9E3779B97F4A7C15L;

  /** A service without methods: what a pure client offers. */
  public static final Service NONE = new Service(List.of());

  private final Map<String, RpcMethod> methods = new LinkedHashMap<>();

  /** The same methods by the hash of their name's bytes: open addressing, a power of two in size. */
  private final RpcMethod[] table;

  private Service(Collection<RpcMethod> methods) {
    for (RpcMethod method : methods) {
      if (this.methods.put(method.name(), method) != null) {
        throw new IllegalArgumentException("the method '" + method.name() + "' stands twice");
      }
    }
    this.table = new RpcMethod[Integer.highestOneBit(methods.size() * 2 + 1) * 2];
    for (RpcMethod method : methods) {
      int slot = hash(method.bytes, 0, method.bytes.length) & table.length - 1;
      while (table[slot] != null) {
        slot = slot + 1 & table.length - 1;
      }
      table[slot] = method;
    }
  }

  /**
   * Serves the methods of an object: those annotated with {@link Rpc} (on the method, or on the one it
   * implements), or where none is, all its public methods but static ones, those of {@code Object} and
   * the {@code close()} of an {@code AutoCloseable}.
   *
   * <p>Parameters are named by {@link Param}, or by the compiler's {@code -parameters}; where either is
   * missing the method is called by position only. One parameter may be the {@link Call}, or the {@link
   * CallView} of a protocol on top. {@code null} is passed on as Java's null to every type that has one:
   * it is for the method to refuse.
   *
   * @throws IllegalArgumentException for overloads, for types that cannot be bound and for what this
   *     module may not access; the sentence names the method
   */
  public static Service of(Object target) {
    return new Service(TypedMethods.of(target, target.getClass()));
  }

  /** Serves the methods of an object that this interface (or class) declares, and no others. */
  public static <T> Service of(Class<T> type, T target) {
    return new Service(TypedMethods.of(target, type));
  }

  /**
   * Serves what can be served of a class that was not written for it: its public static methods, and
   * where there is an object also those that {@link #of(Object)} serves; of both only those annotated
   * with {@link Rpc}, where any is. Overloads and methods that {@code of} would refuse are left out and
   * told, so that one of them does not cost all the others.
   *
   * @param target the object, or null to serve the static methods alone
   * @param leftOut hears the name of each method that is not served, and why
   * @throws IllegalArgumentException if none can be served, or the object is not of the class
   */
  public static Service ofAny(
      Class<?> type, @Nullable Object target, BiConsumer<String, String> leftOut) {
    return new Service(ServableMethods.of(type, target, leftOut));
  }

  /** Builds a service method by method. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Both services in one.
   *
   * @throws IllegalArgumentException if a method stands in both
   */
  public Service and(Service other) {
    List<RpcMethod> all = new ArrayList<>(methods.values());
    all.addAll(other.methods.values());
    return new Service(all);
  }

  /** The methods, in the order they were added; those of an object by their Java names. */
  public Collection<RpcMethod> methods() {
    return java.util.Collections.unmodifiableCollection(methods.values());
  }

  /** The method of that name, or null. */
  public @Nullable RpcMethod find(String name) {
    return methods.get(name);
  }

  /** The method whose name is {@code b[from, to)}, or null. */
  @Nullable RpcMethod find(byte[] b, int from, int to) {
    for (int slot = hash(b, from, to) & table.length - 1; ; slot = slot + 1 & table.length - 1) {
      RpcMethod method = table[slot];
      if (method == null) {
        return null;
      }
      if (Arrays.equals(method.bytes, 0, method.bytes.length, b, from, to)) {
        return method;
      }
    }
  }

  private static int hash(byte[] b, int from, int to) {
    long hash = to - from;
    int i = from;
    for (; i + 8 <= to; i += 8) {
      hash = (hash ^ Bytes.word(b, i)) * MIX;
    }
    for (; i < to; i++) {
      hash = (hash ^ b[i]) * MIX;
    }
    return (int) (hash >>> 32);
  }

  /** Collects methods. For one thread. */
  public static final class Builder {
    private final List<RpcMethod> methods = new ArrayList<>();

    private Builder() {}

    /**
     * Adds a method that may block: its requests are {@link Lane#CONCURRENT}, its notifications {@link
     * Lane#ORDERED}. It gets the params as they are.
     *
     * @throws IllegalArgumentException if the name starts with {@code rpc.}, which JSON-RPC 2.0 section
     *     4.3 reserves
     */
    public Builder method(String name, Handler handler) {
      methods.add(RpcMethod.of(name, null, handler));
      return this;
    }

    /** Adds a method as {@link #method(String, Handler)} does, which runs where {@code lane} says. */
    public Builder method(String name, Lane lane, Handler handler) {
      methods.add(RpcMethod.of(name, lane, handler));
      return this;
    }

    Builder add(RpcMethod method) {
      methods.add(method);
      return this;
    }

    /** Adds all methods of a service. */
    public Builder all(Service service) {
      methods.addAll(service.methods.values());
      return this;
    }

    /**
     * The service.
     *
     * @throws IllegalArgumentException if two methods have the same name
     */
    public Service build() {
      return new Service(methods);
    }
  }

  static byte[] utf8(String name) {
    return name.getBytes(UTF_8);
  }
}
