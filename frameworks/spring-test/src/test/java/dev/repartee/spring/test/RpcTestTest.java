package dev.repartee.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The slice of an application without its other components. */
@RpcTest
class RpcTestTest {
  interface Orders {
    int order(int count);
  }

  @Autowired
  private Peer peer;

  @Autowired
  private ApplicationContext context;

  @Test
  void aTestCallsBeansInMemory() {
    assertThat(peer.proxy(Orders.class).order(2)).isEqualTo(2);
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> peer.proxy(Orders.class).order(0))
        .satisfies(e -> assertThat(e.code()).isEqualTo(-32602));
  }

  /** Spring stops contexts in the cache of its test framework, and starts them again. */
  @Test
  void theClientIsConnectedAfterARestart() {
    assertThat(peer.proxy(Orders.class).order(1)).isEqualTo(1);
    ConfigurableApplicationContext application = (ConfigurableApplicationContext) context;
    application.stop();
    application.start();
    assertThat(peer.proxy(Orders.class).order(3)).isEqualTo(3);
  }

  @Test
  void otherComponentsAreLeftOut() {
    assertThat(context.getBeanNamesForType(Warehouse.class)).isEmpty();
  }
}
