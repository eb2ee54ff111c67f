package dev.repartee.spring;

import dev.repartee.Rpc;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * A bean with {@link RpcService}.
 *
 * @param type its class without the subclass that Spring makes
 */
record ServedBean(String name, Object bean, Class<?> type, Service service) {
  /**
   * Binds the methods of a bean. They are called on the bean, which may be a proxy; their
   * annotations are read from its class.
   *
   * @throws RpcSetupException if a method cannot be served
   */
  static ServedBean of(String name, Object bean) {
    Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
    try {
      Class<?> served = served(bean, type);
      Service service = ServedMethods.of(type, served, service(bean, served));
      ServedMethods.requireVisible(type, service);
      ServedMethods.requireAspects(
          bean,
          type,
          service.methods().stream().map(RpcMethod::javaMethod).filter(Objects::nonNull));
      return new ServedBean(name, bean, type, service);
    } catch (IllegalArgumentException e) {
      throw new RpcSetupException(
          "The bean '" + name + "' cannot be served: " + e.getMessage() + ".",
          "Change the method, or leave it out: annotate with @Rpc only the methods to serve.",
          e);
    }
  }

  /** Returns the class or interface with the methods to serve. */
  private static Class<?> served(Object bean, Class<?> type) {
    Class<?> annotated = annotation(type).getSource() instanceof Class<?> source ? source : type;
    if (annotated.isInterface()) {
      requireClear(annotated, type);
      return annotated;
    }
    return AopUtils.isJdkDynamicProxy(bean) ? proxied(bean, type) : type;
  }

  /** Requires that an interface has no type parameter, and that no other is to be served, too. */
  private static void requireClear(Class<?> annotated, Class<?> type) {
    if (annotated.getTypeParameters().length > 0) {
      throw new IllegalArgumentException("the interface " + annotated.getTypeName()
          + " with @RpcService has type parameters; annotate the class, or an interface without");
    }
    MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).stream(RpcService.class)
        .map(MergedAnnotation::getSource)
        .filter(source -> source instanceof Class<?> other && !other.isAssignableFrom(annotated))
        .findFirst()
        .ifPresent(other -> {
          throw new IllegalArgumentException("it has two interfaces with @RpcService, "
              + annotated.getTypeName() + " and " + ((Class<?>) other).getTypeName()
              + "; annotate the class, or make two beans");
        });
  }

  /** Returns the interface to serve of a proxy that has only the interfaces of its class. */
  private static Class<?> proxied(Object bean, Class<?> type) {
    List<Class<?>> own = Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
        .filter(i -> i.isInstance(bean) && hasRpc(i))
        .toList();
    if (own.size() != 1) {
      throw new IllegalArgumentException("Spring made a proxy of the interfaces of "
          + type.getTypeName()
          + ", and "
          + (own.isEmpty() ? "none of them has" : "several of them have")
          + " methods with @Rpc; set spring.aop.proxy-target-class=true or annotate an interface"
          + " with @RpcService");
    }
    return own.get(0);
  }

  private static boolean hasRpc(Class<?> type) {
    return Arrays.stream(type.getMethods()).anyMatch(m -> m.isAnnotationPresent(Rpc.class));
  }

  private static <T> Service service(Object bean, Class<T> type) {
    return Service.of(type, type.cast(bean));
  }

  static MergedAnnotation<RpcService> annotation(Class<?> type) {
    return MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).get(RpcService.class);
  }

  /** Returns the name of the bean with its class, for messages. */
  String shown() {
    return "'" + name + "' (" + type.getName() + ")";
  }

  boolean has(RpcMethod method) {
    return service.find(method.name()) != null;
  }
}
