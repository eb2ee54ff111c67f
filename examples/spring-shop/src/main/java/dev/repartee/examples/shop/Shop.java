package dev.repartee.examples.shop;

import dev.repartee.Rpc;
import dev.repartee.spring.RpcServers;
import dev.repartee.spring.RpcService;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.stereotype.Component;
import org.springframework.validation.annotation.Validated;

/** The shop, at /rpc. */
@Component
@RpcService("/rpc")
@Validated
public class Shop {
  private final Map<String, Integer> stock = new ConcurrentHashMap<>(Map.of("tea", 10));
  private final Pricing pricing;
  private final RpcServers clients;

  /** Creates a shop with a stock of tea. */
  public Shop(Pricing pricing, RpcServers clients) {
    this.pricing = pricing;
    this.clients = clients;
  }

  /** Sells a number of an item, and returns the price in cents. */
  @Rpc
  public int order(@NotBlank String item, @Positive int count) {
    stock.compute(item, (name, present) -> {
      if (present == null || present < count) {
        throw new OutOfStockException(item);
      }
      return present - count;
    });
    clients.broadcast("sold", item, count);
    return count * pricing.price(item);
  }

  /** Adds a number of an item, and returns the new stock. */
  @Rpc
  @PreAuthorize("hasRole('CLERK')")
  public int restock(@NotBlank String item, @Positive int count) {
    return stock.merge(item, count, Integer::sum);
  }
}
