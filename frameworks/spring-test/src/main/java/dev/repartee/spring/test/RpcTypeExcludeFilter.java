package dev.repartee.spring.test;

import dev.repartee.Layer;
import dev.repartee.spring.RpcExceptionMapper;
import dev.repartee.spring.RpcServerCustomizer;
import dev.repartee.spring.RpcService;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out of a component scan all beans that {@link RpcTest} does not need. */
final class RpcTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<RpcTest> {
  private static final Set<Class<?>> INCLUDED =
      Set.of(RpcService.class, RpcExceptionMapper.class, RpcServerCustomizer.class, Layer.class);

  /** Called by Spring. */
  RpcTypeExcludeFilter(Class<?> testClass) {
    super(testClass);
  }

  @Override
  protected Set<Class<?>> getKnownIncludes() {
    return INCLUDED;
  }
}
