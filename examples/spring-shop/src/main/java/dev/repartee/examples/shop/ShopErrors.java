package dev.repartee.examples.shop;

import dev.repartee.message.RpcError;
import dev.repartee.spring.RpcExceptionMapper;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The errors of the shop. */
@Component
public class ShopErrors implements RpcExceptionMapper {
  @Override
  public @Nullable RpcError map(Throwable failure) {
    return failure instanceof OutOfStockException
        ? new RpcError(1001, "Out of stock: " + failure.getMessage())
        : null;
  }
}
