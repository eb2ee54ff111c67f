package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.access.Allow;
import dev.repartee.access.Authenticator;
import dev.repartee.security.Authenticators;
import dev.repartee.security.Quota;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

public final class SecureApi {
  private SecureApi() {}

  private static final Map<String, Integer> PRICES = new ConcurrentHashMap<>(Map.of("pen", 7));

  public static final class Shop {
    @Allow("user")
    public int price(String article) {
      return PRICES.getOrDefault(article, 0);
    }
  }

  @Allow("admin")
  public static final class Admin {
    public void setPrice(String article, int cents) {
      PRICES.put(article, cents);
    }
  }

  static Server serve(String uri, Path tokens) throws IOException {
    Authenticator authenticator = Authenticators.throttled(Authenticators.bearer(tokens));
    Options options = Options.builder()
        .limits(limits -> limits.frameBytes(1 << 20).handlerTimeout(Duration.ofSeconds(20)))
        .access(access -> access.authenticator(authenticator))
        .layer(Quota.builder().callsPerSecond(10, 100).inFlight(20).build())
        .build();
    HttpRoutes routes = HttpRoutes.builder()
        .health("/health") // needs no token
        .at("/shop", Service.of(new Shop()), options)
        .at("/admin", Service.of(new Admin()), options)
        .build();
    return Repartee.listen(uri, routes, options);
  }
}
