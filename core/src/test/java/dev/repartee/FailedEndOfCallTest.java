package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Calls whose failure fails: each of them ends all the same. */
class FailedEndOfCallTest {
  private final FakeClock clock = new FakeClock();

  /** A channel that cannot describe itself when the first call ends. */
  private static final class Exhausted extends KeepingChannel {
    int failures;

    @Override
    public ChannelInfo info() {
      if (failures-- > 0) {
        throw new OutOfMemoryError("by design");
      }
      return super.info();
    }
  }

  @Test
  void allCallsThatTimeOutTogetherEnd() {
    Exhausted channel = new Exhausted();
    Peer peer = Peer.open(channel, Service.NONE, Options.builder().clock(clock).build());
    List<CallFuture<String>> calls = Stream.generate(
            () -> peer.request("m").timeout(Duration.ofSeconds(1)).send(String.class))
        .limit(3)
        .toList();
    channel.failures = 1;
    clock.advance(Duration.ofSeconds(1));
    assertThat(calls).allMatch(CallFuture::isCompletedExceptionally);
  }
}
