package dev.repartee.examples.shop;

import dev.repartee.spring.RpcClientCustomizer;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The login of the shop at other services. */
@Configuration
public class ShopClients {
  /** Sends a token with each call over HTTP. */
  @Bean
  RpcClientCustomizer login(@Value("${pricing.token:}") String token) {
    return (type, options) -> options.headers(() -> Map.of("Authorization", "Bearer " + token));
  }
}
