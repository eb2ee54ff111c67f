package dev.repartee;

import dev.repartee.internal.Access;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The invocation handler of a client proxy: calls of its methods become calls to a peer. */
final class Proxies implements InvocationHandler {
  private static final @Nullable Object[] NO_ARGUMENTS = {};

  private final Peer peer;
  private final Class<?> type;
  private final Map<Method, ProxyMethod> methods;

  /**
   * Handles of the default methods of interfaces that are not public, as reflection refuses these.
   */
  private final Map<Method, MethodHandle> defaults;

  private Proxies(
      Peer peer,
      Class<?> type,
      Map<Method, ProxyMethod> methods,
      Map<Method, MethodHandle> defaults) {
    this.peer = peer;
    this.type = type;
    this.methods = methods;
    this.defaults = defaults;
  }

  /**
   * Creates a proxy. Default methods run locally, on the caller's thread; {@code close()} of an
   * interface that is {@link AutoCloseable} closes the peer.
   *
   * @throws IllegalArgumentException if the type is not an open interface, or has a method that
   *     cannot be called remotely; the message names the method
   */
  static <T> T create(Peer peer, Class<T> type) {
    if (!type.isInterface() || type.isAnnotation() || type.isSealed()) {
      throw new IllegalArgumentException(
          type.getTypeName() + " cannot be a proxy: only an open interface can, and this is "
              + kind(type) + "; pass an interface with the methods to call");
    }
    Map<Method, ProxyMethod> methods = new HashMap<>();
    Map<Method, MethodHandle> defaults = new HashMap<>();
    for (Method method : type.getMethods()) {
      if (method.isDefault()) {
        if (!Access.isPublic(method.getDeclaringClass())) {
          defaults.put(method, Access.special(method));
        }
      } else if (Signature.isCall(type, method)) {
        methods.put(method, new ProxyMethod(type, method, peer.types()));
      }
    }
    Proxies handler = new Proxies(peer, type, methods, defaults);
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static String kind(Class<?> type) {
    return type.isAnnotation()
        ? "an annotation"
        : type.isInterface() ? "a sealed interface" : "no interface";
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] values)
      throws Throwable {
    ProxyMethod remote = methods.get(method);
    if (remote != null) {
      return remote.invoke(peer, values == null ? NO_ARGUMENTS : values);
    } else if (method.isDefault()) {
      MethodHandle handle = defaults.get(method);
      if (handle == null) {
        return InvocationHandler.invokeDefault(proxy, method, values);
      }
      @Nullable Object[] given = values == null ? NO_ARGUMENTS : values;
      return (Object) handle.invokeExact(proxy, given);
    } else if (Signature.isClose(type, method)) {
      peer.close();
      return null;
    }
    return switch (method.getName()) {
      case "equals" -> values != null && proxy == values[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> type.getTypeName() + " over " + peer;
    };
  }
}
