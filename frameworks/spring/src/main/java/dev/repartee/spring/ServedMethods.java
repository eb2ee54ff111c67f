package dev.repartee.spring;

import dev.repartee.Rpc;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.access.Allow;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The rules for the methods of a bean that core does not have, since it does not know Spring. */
final class ServedMethods {
  /** The annotations of methods that Spring calls; the first two may be missing. */
  private static final Set<String> CALLED = Set.of(
      "jakarta.annotation.PostConstruct",
      "jakarta.annotation.PreDestroy",
      "org.springframework.context.event.EventListener",
      "org.springframework.scheduling.annotation.Scheduled");

  private ServedMethods() {}

  /**
   * Returns a service without the methods that Spring calls, such as those of {@code
   * DisposableBean}: a peer must not call them, too. One that has {@link Rpc} stays.
   *
   * @param type the class of the bean
   * @param served the class or interface with the methods to serve
   * @throws IllegalArgumentException if no method is left, or a method that is not public has
   *     {@link Rpc}; all public methods would be served instead of it
   */
  static Service of(Class<?> type, Class<?> served, Service service) {
    for (Method method : ReflectionUtils.getAllDeclaredMethods(served)) {
      if (method.isAnnotationPresent(Rpc.class) && !Modifier.isPublic(method.getModifiers())) {
        throw new IllegalArgumentException(
            "its method '" + method.getName() + "' has @Rpc but is not public");
      }
    }
    List<RpcMethod> kept = service.methods().stream()
        .filter(method -> !isCallback(type, served, method))
        .toList();
    if (kept.size() == service.methods().size()) {
      return service;
    }
    if (kept.isEmpty()) {
      throw new IllegalArgumentException("Spring itself calls all of its public methods");
    }
    Service.Builder rest = Service.builder();
    kept.forEach(rest::add);
    return rest.build().described(served.getSimpleName(), "unknown");
  }

  private static boolean isCallback(Class<?> type, Class<?> served, RpcMethod method) {
    Method java = method.javaMethod();
    if (java == null || served.isInterface() || method.annotation(Rpc.class) != null) {
      return false;
    }
    return Arrays.stream(ClassUtils.getAllInterfacesForClass(type))
            .filter(above -> above.getName().startsWith("org.springframework."))
            .anyMatch(
                above -> ClassUtils.hasMethod(above, java.getName(), java.getParameterTypes()))
        || MergedAnnotations.from(java, SearchStrategy.TYPE_HIERARCHY).stream()
            .map(MergedAnnotation::getType)
            .anyMatch(annotation -> CALLED.contains(annotation.getName()));
  }

  /**
   * Requires that calls see the {@link Allow} of the class of the bean. A proxy that has only the
   * interfaces of the class hides its annotations.
   *
   * @param type the class of the bean
   * @throws IllegalArgumentException if an annotation is hidden
   */
  static void requireVisible(Class<?> type, Service service) {
    for (RpcMethod method : service.methods()) {
      Method java = method.javaMethod();
      if (java == null) {
        continue;
      }
      Allow own = AnnotatedElementUtils.findMergedAnnotation(
          ClassUtils.getMostSpecificMethod(java, type), Allow.class);
      Allow needed =
          own == null ? AnnotatedElementUtils.findMergedAnnotation(type, Allow.class) : own;
      if (needed != null && !needed.equals(method.annotation(Allow.class))) {
        throw new IllegalArgumentException("a proxy hides the annotation @Allow of its method '"
            + java.getName()
            + "'; annotate the interface, or set spring.aop.proxy-target-class=true");
      }
    }
  }

  /**
   * Requires methods that a proxy can override. It runs a final method on itself: without aspects,
   * such as the check of {@code @PreAuthorize}, and without the fields of the bean.
   *
   * @param type the class of the bean
   * @throws IllegalArgumentException if the bean is such a proxy and a method is final
   */
  static void requireAspects(Object bean, Class<?> type, Stream<Method> methods) {
    if (!AopUtils.isCglibProxy(bean)) {
      return;
    }
    methods
        .map(method -> ClassUtils.getMostSpecificMethod(method, type))
        .filter(method -> Modifier.isFinal(method.getModifiers()))
        .findFirst()
        .ifPresent(method -> {
          throw new IllegalArgumentException(
              "its method '" + method.getName()
                  + "' is final, and the aspects of the bean, such as @PreAuthorize, do not apply to it");
        });
  }
}
