package dev.repartee.spring;

import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.limits.Limits;
import dev.repartee.message.Dialect;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** The beans with {@link RpcService} and the options for them. */
@AutoConfiguration
@EnableConfigurationProperties(ReparteeProperties.class)
class RpcServiceAutoConfiguration {
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  CallerContexts callerContexts(ObjectProvider<CallerContext> contexts) {
    return new CallerContexts(contexts.orderedStream().toList());
  }

  @Bean
  MdcContext mdcContext() {
    return new MdcContext();
  }

  @Bean
  RpcServers rpcServers() {
    return new RpcServers();
  }

  @Bean
  RpcServices rpcServices(
      ConfigurableListableBeanFactory factory,
      ReparteeProperties properties,
      ObjectProvider<Layer> layers,
      ObjectProvider<RpcExceptionMapper> mappers,
      ObjectProvider<RpcServerCustomizer> customizers) {
    Options.Builder options = Options.builder()
        .dialect(Dialect.withHttpStatuses(
            RpcSecurityAutoConfiguration.UNAUTHENTICATED, RpcSecurityAutoConfiguration.FORBIDDEN))
        .limits(limits -> apply(properties.limits(), limits));
    layers.orderedStream().forEach(options::layer);
    mappers.orderedStream().forEach(m -> options.mapException(Throwable.class, m::map));
    customizers.orderedStream().forEach(c -> c.customize(options));
    return new RpcServices(factory, options.build());
  }

  private static void apply(ReparteeProperties.Limits given, Limits.Builder limits) {
    set("message", given.message(), size -> limits.frameBytes(Math.toIntExact(size.toBytes())));
    set("handler-timeout", given.handlerTimeout(), limits::handlerTimeout);
    set("running-calls", given.runningCalls(), limits::runningCalls);
    set("connections", given.connections(), limits::connections);
  }

  private static <T> void set(String name, @Nullable T value, Consumer<T> limit) {
    if (value == null) {
      return;
    }
    try {
      limit.accept(value);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new RpcSetupException(
          "The property 'repartee.limits." + name + "' is outside of its range: " + e.getMessage()
              + ".",
          "Set another value, or remove the property for the default.",
          e);
    }
  }
}
