package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Service;
import dev.repartee.limits.Limits;
import dev.repartee.transport.ChannelPair;
import org.junit.jupiter.api.Test;

/**
 * Tests proxies of interfaces without special access for core, unlike the interfaces in core's
 * tests.
 */
class ProxyTest {
  private interface Greeter {
    String name();

    default String greet(String... words) {
      return String.join(" ", words) + " " + name();
    }
  }

  @Test
  void defaultMethodOfAPrivateInterfaceRunsHere() {
    Service service = Service.builder().method("name", call -> "Ada").build();
    ChannelPair pair = ChannelPair.open(Limits.DEFAULT);
    Peer.open(pair.server(), service, Options.DEFAULT);
    try (Peer peer = Peer.open(pair.client(), Service.NONE, Options.DEFAULT)) {
      assertThat(peer.proxy(Greeter.class).greet("good", "day")).isEqualTo("good day Ada");
    }
  }
}
