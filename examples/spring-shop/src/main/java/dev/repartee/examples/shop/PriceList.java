package dev.repartee.examples.shop;

import dev.repartee.Rpc;
import dev.repartee.spring.RpcService;
import org.springframework.stereotype.Component;

/** Stands for another service: the shop calls it over TCP. */
@Component
@RpcService("/prices")
public class PriceList {
  /** Returns the price of an item in cents. */
  @Rpc
  public int price(String item) {
    return 100 + item.length();
  }
}
