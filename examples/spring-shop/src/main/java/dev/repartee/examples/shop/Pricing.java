package dev.repartee.examples.shop;

import dev.repartee.spring.RpcClient;

/** The service that knows the prices. */
@RpcClient(uri = "${pricing.uri}", timeout = "${pricing.timeout:2s}")
public interface Pricing {
  /** Returns the price of an item in cents. */
  int price(String item);
}
