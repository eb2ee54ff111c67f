package dev.repartee.netty;

import static dev.repartee.Deadlines.Field.HEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Batch;
import dev.repartee.CallFuture;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The remaining time of a call travels in a header of its HTTP request. */
@Timeout(60)
class DeadlineTest {
  private static final Duration TIME = Duration.ofSeconds(50);

  private final Service left = Service.builder()
      .method("left", call -> {
        Duration time = call.timeLeft();
        return time == null ? -1 : time.toMillis();
      })
      .build();
  private final Options sending =
      Options.builder().deadlines(rules -> rules.send(HEADER)).build();

  private static Options accepting(boolean accepts) {
    return accepts
        ? Options.DEFAULT
        : Options.builder().deadlines(rules -> rules.accept()).build();
  }

  private long left(boolean sends, boolean accepts) throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", left, accepting(accepts));
        Peer peer = Repartee.connect(server.endpoint(), sends ? sending : Options.DEFAULT)) {
      return peer.request("left").timeout(TIME).call(long.class);
    }
  }

  @Test
  void theTimeOutOfACallIsTheDeadlineOfTheServer() throws Exception {
    assertThat(left(true, true)).isBetween(1L, TIME.toMillis());
  }

  @Test
  void noTimeIsSentOrAcceptedUnlessTheOptionsAskForIt() throws Exception {
    assertThat(left(false, true)).isEqualTo(-1);
    assertThat(left(true, false)).isEqualTo(-1);
  }

  @Test
  void aBatchHasTheTimeOfItsLongestCall() throws Exception {
    try (Server server = Repartee.listen("http://127.0.0.1:0/", left);
        Peer peer = Repartee.connect(server.endpoint(), sending)) {
      Batch batch = peer.batch();
      CallFuture<Long> one = batch.callAsync(peer.request("left").timeout(TIME), Long.class);
      CallFuture<Long> other =
          batch.callAsync(peer.request("left").timeout(TIME.multipliedBy(2)), Long.class);
      batch.send();
      assertThat(one.get(60, TimeUnit.SECONDS)).isBetween(TIME.toMillis() + 1, 2 * TIME.toMillis());
      assertThat(other.get(60, TimeUnit.SECONDS))
          .isBetween(TIME.toMillis() + 1, 2 * TIME.toMillis());
    }
  }

  @Test
  void aHeaderOfAWebSocketHandshakeIsNoDeadline() throws Exception {
    Options handshake = Options.builder().header("Repartee-Timeout-Ms", "1000").build();
    try (Server server = Repartee.listen("ws://127.0.0.1:0/", left);
        Peer peer = Repartee.connect(server.endpoint(), handshake)) {
      assertThat(peer.call("left", long.class)).isEqualTo(-1);
    }
  }
}
