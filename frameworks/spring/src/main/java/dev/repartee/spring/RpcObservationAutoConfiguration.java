package dev.repartee.spring;

import dev.repartee.Layer;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Observations of calls in both directions. */
@AutoConfiguration(
    before = RpcServiceAutoConfiguration.class,
    afterName =
        "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
class RpcObservationAutoConfiguration {
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE + 1)
  Layer servedCallObservations(ObservationRegistry registry) {
    return new CallObservations(registry, true);
  }

  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  RpcClientCustomizer outgoingCallObservations(ObservationRegistry registry) {
    return (type, options) -> options.callLayer(new CallObservations(registry, false));
  }
}
