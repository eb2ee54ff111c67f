package dev.repartee.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.spring.test.RpcTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@RpcTest
class ShopTest {
  @TestConfiguration
  static class Prices {
    @Bean
    Pricing pricing() {
      return item -> 250;
    }
  }

  interface Orders {
    int order(String item, int count);
  }

  @Autowired
  private Peer peer;

  @Test
  void anOrderCostsThePriceOfEachItem() {
    assertThat(peer.proxy(Orders.class).order("tea", 2)).isEqualTo(500);
  }

  @Test
  void anOrderNeedsACount() {
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> peer.proxy(Orders.class).order("tea", 0))
        .satisfies(e -> assertThat(e.code()).isEqualTo(-32602));
  }

  @Test
  void anOrderNeedsStock() {
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> peer.proxy(Orders.class).order("coffee", 1))
        .withMessageContaining("Out of stock: coffee");
  }
}
