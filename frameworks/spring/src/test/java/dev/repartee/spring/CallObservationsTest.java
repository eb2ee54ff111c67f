package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

class CallObservationsTest {
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final ObservationRegistry registry = ObservationRegistry.create();

  CallObservationsTest() {
    registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
  }

  @Test
  void otherMethodsOfAServiceAreOneTag() throws Exception {
    Service service =
        Service.builder().others(Lane.INLINE, call -> call.method()).build();
    Options options =
        Options.builder().layer(new CallObservations(registry, true)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(peer.call("one", String.class)).isEqualTo("one");
      assertThat(peer.call("two", String.class)).isEqualTo("two");
    }
    assertThat(meters.get("rpc.server.call.duration").timers())
        .extracting(timer -> timer.getId().getTag("rpc.method"))
        .containsExactly("_OTHER");
  }

  @Test
  void theCodesOfAServiceAreALimitedNumberOfTags() throws Exception {
    Service service = Service.builder()
        .method("fail", call -> {
          throw new RpcException(call.params().elements().get(0).as(int.class), "no");
        })
        .build();
    Options options =
        Options.builder().callLayer(new CallObservations(registry, false)).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service);
        Peer peer = Repartee.connect(server.endpoint().toString(), Service.NONE, options)) {
      for (int code = 1; code <= 300; code++) {
        int sent = code;
        assertThat(catchThrowable(() -> peer.call("fail", String.class, sent))).isNotNull();
      }
    }
    assertThat(meters.get("rpc.client.call.duration").timers())
        .hasSize(101)
        .extracting(timer -> timer.getId().getTag("error.type"))
        .contains("1", "100", "_OTHER");
    assertThat(meters
            .get("rpc.client.call.duration")
            .tags("rpc.system.name", "jsonrpc", "rpc.status_code", "_OTHER")
            .tag("error.type", "_OTHER")
            .timers())
        .extracting(Timer::count)
        .containsExactly(200L);
  }
}
