package dev.repartee.spring;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint and the health of the actuator. */
@AutoConfiguration(after = RpcListenAutoConfiguration.class)
class RpcManagementAutoConfiguration {
  /** The endpoint. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static class OfEndpoint {
    @Bean
    @ConditionalOnAvailableEndpoint
    ReparteeEndpoint reparteeEndpoint(RpcServices services, RpcServers servers) {
      return new ReparteeEndpoint(services, servers);
    }
  }

  /** The health: up while the endpoints are open. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static class OfHealth {
    @Bean
    @ConditionalOnEnabledHealthIndicator("repartee")
    HealthIndicator reparteeHealthIndicator(RpcListener listener, RpcServers servers) {
      return () -> (listener.isRunning() ? Health.up() : Health.outOfService())
          .withDetail("servers", servers.all().size())
          .withDetail("connections", servers.peers().size())
          .build();
    }
  }
}
