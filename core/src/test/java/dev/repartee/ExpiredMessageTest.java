package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.framing.Receiver;
import dev.repartee.internal.FakeClock;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.MessageChannel;
import dev.repartee.transport.OutboundFrame;
import dev.repartee.transport.OutgoingMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExpiredMessageTest {
  private final List<Boolean> ended = new CopyOnWriteArrayList<>();

  @Test
  void theCallbackOfACallThatTimedOutRunsAfterTheEndOfItsMessage() throws Exception {
    CompletableFuture<List<Boolean>> seen = new CompletableFuture<>();
    FakeClock clock = new FakeClock();
    Options options = Options.builder().clock(clock).build();
    try (Peer peer = Peer.open(new Messages(), Service.NONE, options)) {
      CallFuture<Integer> call =
          peer.request("call").timeout(Duration.ofMillis(300)).send(int.class);
      call.whenComplete((result, failure) -> seen.complete(List.copyOf(ended)));
      clock.advance(Duration.ofMillis(300));
      assertThat(seen.get(60, TimeUnit.SECONDS)).containsExactly(true);
    }
    assertThat(ended).hasSize(1);
  }

  /** A channel that sends nothing. */
  private final class Messages implements MessageChannel {
    private @Nullable Receiver receiver;

    @Override
    public void start(Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(1_000);
    }

    @Override
    public void send(OutgoingMessage message) {
      if (message.isCall()) {
        message.onEnd(ended::add);
      }
    }

    @Override
    public void abort(@Nullable Throwable cause) {
      Receiver to = receiver;
      receiver = null;
      if (to != null) {
        to.closed(cause);
      }
    }

    @Override
    public ChannelInfo info() {
      return new ChannelInfo("test", "test", "message");
    }
  }
}
