package dev.repartee.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.repartee.CallTimeoutException;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CallMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final CallMeters meters = CallMeters.of(registry);
  private final Service service = Service.builder()
      .method("add", call -> 1)
      .method("fail", call -> {
        throw new RpcException(call.params().elements().get(0).as(int.class), "no");
      })
      .build();

  private Server listen(Options options) throws Exception {
    return Repartee.listen("tcp://127.0.0.1:0", service, meters.instrument(options));
  }

  private Peer connect(Server server) throws Exception {
    return Repartee.connect(
        server.endpoint().toString(), Service.NONE, meters.instrument(Options.DEFAULT));
  }

  /** Waits for a timer of a served call, which is recorded after the answer. */
  private Timer timer(String name, String method, String error) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      Timer found = registry
          .find(name)
          .tags("rpc.method", method, "error.type", error, "rpc.system.name", "jsonrpc")
          .timer();
      if (found != null && found.count() > 0 || System.nanoTime() > end) {
        assertThat(found).isNotNull();
        return found;
      }
    }
  }

  @Test
  void aCallHasATimerOnBothSides() throws Exception {
    try (Server server = listen(Options.DEFAULT);
        Peer peer = connect(server)) {
      assertThat(peer.call("add", int.class)).isEqualTo(1);
      assertThat(catchThrowable(() -> peer.call("fail", Json.class, 7))).isNotNull();
      assertThat(catchThrowable(() -> peer.call("none", Json.class))).isNotNull();
      for (String name : new String[] {"rpc.server.call.duration", "rpc.client.call.duration"}) {
        assertThat(timer(name, "add", "none").count()).isEqualTo(1);
        assertThat(timer(name, "fail", "7").getId().getTag("rpc.status_code")).isEqualTo("7");
        assertThat(timer(name, "_OTHER", "-32601").count()).isEqualTo(1);
      }
    }
  }

  @Test
  void theCodesOfErrorsAreBounded() throws Exception {
    try (Server server = listen(Options.DEFAULT);
        Peer peer = connect(server)) {
      for (int code = 1; code <= 300; code++) {
        int sent = code;
        assertThat(catchThrowable(() -> peer.call("fail", Json.class, sent))).isNotNull();
      }
      assertThat(registry.get("rpc.client.call.duration").timers())
          .hasSizeLessThanOrEqualTo(101)
          .extracting(timer -> timer.getId().getTag("error.type"))
          .contains("1", "_OTHER");
    }
  }

  /** A bridge calls with the names that its clients have chosen. */
  @Test
  void methodsThatTheServerHasNotAnsweredAreOneTag() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Peer peer = Repartee.connect(
            "tcp://127.0.0.1:" + silent.getLocalPort(),
            Service.NONE,
            meters.instrument(Options.DEFAULT))) {
      for (int i = 0; i < 100; i++) {
        String name = "none" + i;
        peer.notify(name);
        assertThat(catchThrowable(
                () -> peer.request(name).timeout(Duration.ofMillis(1)).call(Json.class)))
            .isInstanceOf(CallTimeoutException.class);
        assertThat(peer.callAsync(name, Json.class).cancel(true)).isTrue();
      }
      assertThat(registry.get("rpc.client.call.duration").timers())
          .extracting(timer -> timer.getId().getTag("rpc.method"))
          .containsOnly("_OTHER");
    }
  }

  /** Codes of servers that refuse a call before they look for its method. */
  @ParameterizedTest
  @ValueSource(ints = {401, 403, 429, -32000, -32001, -32600, -32601})
  void methodsThatTheServerHasRefusedAreOneTag(int code) throws Exception {
    Service.Builder refusing = Service.builder();
    for (int i = 0; i < 100; i++) {
      refusing.method("none" + i, call -> {
        throw new RpcException(code, "no");
      });
    }
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", refusing.build());
        Peer peer = connect(server)) {
      for (int i = 0; i < 100; i++) {
        String name = "none" + i;
        assertThat(catchThrowable(() -> peer.call(name, Json.class)))
            .isInstanceOf(RpcException.class);
      }
      assertThat(registry.get("rpc.client.call.duration").timers())
          .extracting(timer -> timer.getId().getTag("rpc.method"))
          .containsOnly("_OTHER");
    }
  }

  @Test
  void aRefusedCallIsCounted() throws Exception {
    try (Server server = listen(Options.builder()
            .listener(Listener.NONE)
            .access(access -> access.deny("add"))
            .build());
        ServerMetrics observed = meters.observe(server);
        Peer peer = Repartee.connect(server.endpoint())) {
      assertThat(observed).isNotNull();
      assertThat(catchThrowable(() -> peer.call("add", Json.class))).isNotNull();
      assertThat(timer("rpc.server.call.duration", "add", "401").count()).isEqualTo(1);
      assertThat(registry
              .get("repartee.server.calls.refused")
              .tag("repartee.reason", "access")
              .functionCounter()
              .count())
          .isEqualTo(1);
      assertThat(registry.get("repartee.server.connections.open").gauge().value())
          .isEqualTo(1);
      assertThat(registry
              .get("repartee.memory.limit")
              .tag("repartee.budget", "requests")
              .gauge()
              .value())
          .isPositive();
    }
    assertThat(registry.find("repartee.server.io").meter()).isNull();
  }
}
