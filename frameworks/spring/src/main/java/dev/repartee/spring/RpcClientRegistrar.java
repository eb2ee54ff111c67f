package dev.repartee.spring;

import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Finds the interfaces with {@link RpcClient} in the packages of the application. */
final class RpcClientRegistrar implements ImportBeanDefinitionRegistrar {
  private final BeanFactory factory;
  private final ResourceLoader resources;
  private final Scanner scanner;

  /** Called by Spring. */
  RpcClientRegistrar(BeanFactory factory, Environment environment, ResourceLoader resources) {
    this.factory = factory;
    this.resources = resources;
    this.scanner = new Scanner(environment, resources);
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    if (AutoConfigurationPackages.has(factory)) {
      for (String name : AutoConfigurationPackages.get(factory)) {
        scanner.findCandidateComponents(name).forEach(found -> register(registry, found));
      }
    }
  }

  private void register(BeanDefinitionRegistry registry, BeanDefinition found) {
    String name = Objects.requireNonNull(found.getBeanClassName());
    if (!registry.containsBeanDefinition(name)) {
      Class<?> type = ClassUtils.resolveClassName(name, resources.getClassLoader());
      RootBeanDefinition bean = new RootBeanDefinition(RpcClientFactory.class);
      bean.setTargetType(ResolvableType.forClassWithGenerics(RpcClientFactory.class, type));
      bean.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, type);
      bean.getConstructorArgumentValues().addIndexedArgumentValue(0, type);
      bean.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
      bean.setLazyInit(true); // no connection that nobody uses
      registry.registerBeanDefinition(name, bean);
    }
  }

  /** A scanner that accepts interfaces. */
  private static final class Scanner extends ClassPathScanningCandidateComponentProvider {
    Scanner(Environment environment, ResourceLoader resources) {
      super(false, environment);
      setResourceLoader(resources);
      addIncludeFilter(new AnnotationTypeFilter(RpcClient.class, false, false));
    }

    @Override
    protected boolean isCandidateComponent(AnnotatedBeanDefinition found) {
      return found.getMetadata().isInterface() && found.getMetadata().isIndependent();
    }
  }
}
