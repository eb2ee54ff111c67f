package dev.repartee.spring.test;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.spring.RpcServers;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** The client of an {@link RpcTest}. */
@AutoConfiguration
class RpcTestAutoConfiguration {
  /** Lazy: the server starts after the beans were made. */
  @Bean
  @Lazy
  Peer rpcTestPeer(RpcServers servers) throws IOException {
    return Repartee.connect(servers.all().get(0).endpoint());
  }
}
