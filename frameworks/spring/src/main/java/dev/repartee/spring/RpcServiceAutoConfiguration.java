package dev.repartee.spring;

import dev.repartee.Layer;
import dev.repartee.Options;
import dev.repartee.limits.Limits;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.unit.DataSize;

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
        .dialect(new HttpStatuses())
        .limits(limits -> apply(properties.limits(), limits));
    layers.orderedStream().forEach(options::layer);
    mappers.orderedStream().forEach(m -> options.mapException(Throwable.class, m::map));
    customizers.orderedStream().forEach(c -> c.customize(options));
    return new RpcServices(factory, options.build());
  }

  private static void apply(ReparteeProperties.Limits given, Limits.Builder limits) {
    PropertyMapper map = PropertyMapper.get();
    map.from(given::message).as(DataSize::toBytes).as(Math::toIntExact).to(limits::frameBytes);
    map.from(given::handlerTimeout).to(limits::handlerTimeout);
    map.from(given::runningCalls).to(limits::runningCalls);
    map.from(given::connections).to(limits::connections);
  }
}
