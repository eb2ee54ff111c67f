package dev.repartee.spring.test;

import dev.repartee.spring.RpcService;
import jakarta.validation.constraints.Positive;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;
import org.springframework.validation.annotation.Validated;

/** The application of {@link RpcTestTest}; a scan leaves out classes that are nested in a test. */
@SpringBootApplication
class ShopApplication {
  @Component
  @Validated
  @RpcService
  static class Shop {
    public int order(@Positive int count) {
      return count;
    }
  }
}
