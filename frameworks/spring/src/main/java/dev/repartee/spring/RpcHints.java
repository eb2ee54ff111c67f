package dev.repartee.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Tells an ahead-of-time build which methods are called by name, the types of their parameters and
 * results, and the proxies of clients.
 */
final class RpcHints implements BeanFactoryInitializationAotProcessor {
  /** By name: an application may lack the module. */
  private static final String TOOL = "dev.repartee.mcp.McpTool";

  @Override
  public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
      ConfigurableListableBeanFactory factory) {
    Set<Class<?>> types = new LinkedHashSet<>();
    for (String name : factory.getBeanDefinitionNames()) {
      Class<?> type = factory.getType(name, false);
      if (type != null && isCalled(ClassUtils.getUserClass(type))) {
        types.add(ClassUtils.getUserClass(type));
      }
    }
    return types.isEmpty()
        ? null
        : (context, code) -> types.forEach(type -> register(context.getRuntimeHints(), type));
  }

  private static boolean isCalled(Class<?> type) {
    return type.isAnnotationPresent(RpcClient.class)
        || ServedBean.annotation(type).isPresent()
        || Arrays.stream(type.getMethods())
            .anyMatch(
                method -> MergedAnnotations.from(method, SearchStrategy.DIRECT).isPresent(TOOL));
  }

  private static void register(RuntimeHints hints, Class<?> type) {
    if (type.isAnnotationPresent(RpcClient.class)) {
      hints.proxies().registerJdkProxy(type);
    }
    BindingReflectionHintsRegistrar bound = new BindingReflectionHintsRegistrar();
    for (Method method : type.getMethods()) {
      if (method.getDeclaringClass() != Object.class) {
        hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
        bound.registerReflectionHints(hints.reflection(), method.getGenericParameterTypes());
        bound.registerReflectionHints(hints.reflection(), method.getGenericReturnType());
      }
    }
  }
}
