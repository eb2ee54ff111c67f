package dev.repartee.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.repartee.CallFuture;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.reconnect.Reconnecting;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The race between the connection and the timer of a call that waits. */
@Timeout(60)
class DepartureTest {
  @Test
  void aCallThatWasSentIsNotLate() {
    Departure departure = new Departure(Duration.ofSeconds(1));
    departure.send();
    assertThat(departure.expire()).isFalse();
    departure.send(); // over the next connection
  }

  @Test
  void aCallWhoseTimeEndsWhileTheConnectionComesIsNotRun() throws Exception {
    BlockingQueue<String> ran = new LinkedBlockingQueue<>();
    Service service = Service.builder()
        .method("run", call -> ran.add("run"))
        .method("next", call -> ran.add("next"))
        .build();
    Departure departure = new Departure(Duration.ofSeconds(1));
    CountDownLatch called = new CountDownLatch(1);
    try (Server backend = Repartee.listen("tcp://127.0.0.1:0", service);
        Peer all = Reconnecting.to(backend.endpoint().toString())
            .service(Service.NONE)
            .onConnected(peer -> called.await())
            .connectInBackground()) {
      CallFuture<Object> call = all.request("run")
          .onId(id -> {
            assertThat(departure.expire()).isTrue(); // the last moment when the timer may run
            departure.send();
          })
          .send(Object.class);
      called.countDown();
      RpcException failure = catchThrowableOfType(RpcException.class, call::await);
      assertThat(failure.code()).isEqualTo(Bridge.UNREACHABLE);
      all.call("next", Object.class);
    }
    assertThat(ran).containsExactly("next");
  }
}
