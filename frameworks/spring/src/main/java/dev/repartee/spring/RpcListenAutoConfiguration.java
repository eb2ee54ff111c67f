package dev.repartee.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** The endpoints of {@code repartee.listen}. */
@AutoConfiguration(after = RpcServiceAutoConfiguration.class)
class RpcListenAutoConfiguration {
  @Bean
  RpcListener rpcListener(RpcServices services, RpcServers servers, ReparteeProperties properties) {
    return new RpcListener(services, servers, properties);
  }
}
