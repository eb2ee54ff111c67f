package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A duration too long to count in nanoseconds means for ever and is not an error. */
class ForeverTest {
  private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

  private final CountDownLatch sleeping = new CountDownLatch(1);
  private final CountDownLatch cancelled = new CountDownLatch(1);
  private final Service service = Service.builder()
      .method("ping", call -> "pong")
      .method("sleep", call -> {
        sleeping.countDown();
        try {
          call.cancellation().sleep(FOREVER);
        } catch (CancellationException e) {
          cancelled.countDown();
        }
        return null;
      })
      .build();

  @ParameterizedTest
  @ValueSource(strings = {"tcp://127.0.0.1:0", "mem:forever"})
  void closingMayTakeForEver(String uri) throws Exception {
    Server server = Repartee.listen(uri, service);
    Peer peer = Repartee.connect(server.endpoint());
    assertThat(peer.call("ping", String.class)).isEqualTo("pong");
    peer.close(FOREVER);
    assertThat(peer.isOpen()).isFalse();
    server.close(FOREVER);
    server.join();
    assertThatThrownBy(() -> Repartee.connect(server.endpoint()))
        .isInstanceOf(java.io.IOException.class);
  }

  @Test
  void aHandlerMaySleepForEver() throws Exception {
    try (Server server = Repartee.listen("mem:forever", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      CallFuture<String> call = peer.callAsync("sleep", String.class);
      assertThat(sleeping.await(Recorder.SECONDS, TimeUnit.SECONDS)).isTrue();
      call.cancel(true);
      assertThat(cancelled.await(Recorder.SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(server.peers()).hasSize(1);
    }
  }

  @Test
  void theLongestLimitsHold() throws Exception {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    Options options = Options.builder()
        .limits(limits -> limits
            .connectTimeout(longest)
            .callTimeout(longest)
            .handlerTimeout(longest)
            .firstByteTimeout(longest)
            .idleTimeout(longest)
            .halfCloseTimeout(longest)
            .drainTimeout(longest)
            .closeTimeout(longest))
        .build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service, options);
        Peer peer = Repartee.connect(server.endpoint(), options)) {
      assertThat(peer.call("ping", String.class)).isEqualTo("pong");
      assertThat(server.peers()).hasSize(1);
    }
  }
}
