package dev.repartee.spring.test;

import dev.repartee.Peer;
import dev.repartee.reconnect.Reconnecting;
import dev.repartee.spring.RpcServers;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** The client of an {@link RpcTest}. */
@AutoConfiguration
class RpcTestAutoConfiguration {
  /**
   * Lazy: the server starts after the beans were made. It reconnects, since Spring stops contexts in
   * its cache and starts them again.
   */
  @Bean
  @Lazy
  Peer rpcTestPeer(RpcServers servers) throws IOException {
    return Reconnecting.to(servers.all().get(0).endpoint().toString()).connect();
  }
}
