package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.framing.Receiver;
import dev.repartee.transport.Channel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Connections with a channel that cannot start, for example because no thread can be created. */
class FailedStartTest {
  private final List<String> told = new ArrayList<>();
  private final Error failure = new OutOfMemoryError("no thread");

  private final Listener listener = new Listener() {
    @Override
    public void connected(Peer peer) {
      told.add("connected");
    }

    @Override
    public void disconnected(Peer peer, @Nullable Throwable cause) {
      told.add("disconnected: " + cause);
    }
  };

  private void open(Channel channel) {
    assertThatThrownBy(() -> Peer.open(
            channel, Service.NONE, Options.builder().listener(listener).build()))
        .isSameAs(failure);
    assertThat(told).containsExactly("connected", "disconnected: " + failure);
  }

  @Test
  void theListenerIsNotifiedThatTheConnectionEnded() {
    List<@Nullable Throwable> aborts = new ArrayList<>();
    open(new KeepingChannel() {
      @Override
      public void start(Receiver receiver) {
        throw failure;
      }

      @Override
      public void abort(@Nullable Throwable cause) {
        aborts.add(cause);
      }
    });
    assertThat(aborts).containsExactly(failure);
  }

  @Test
  void theListenerIsNotifiedOnceByAChannelThatReportsItsEndTwice() {
    open(new KeepingChannel() {
      @Override
      public void start(Receiver receiver) {
        receiver.closed(failure);
        throw failure;
      }
    });
  }
}
