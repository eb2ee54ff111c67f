package dev.repartee.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The events of a connection that is opened again; a connection is a number here. */
class ReconnectionTest {
  private static final int MOST = 4;

  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  /** The actions in the methods {@code opened}, in turn. */
  private final Queue<Consumer<Consumer<IOException>>> setups = new ArrayDeque<>();

  private int opened;
  private volatile Consumer<IOException> ended;

  private final Reconnection<Integer> connection = new Reconnection<>(
      "reconnect",
      ended -> {
        this.ended = ended;
        if (++opened == MOST) {
          throw new IOException("too many");
        }
        return opened;
      },
      number -> seen.add("ended " + number),
      new Reconnection.User<>() {
        @Override
        public void opened(Integer number) throws IOException {
          seen.add("opened " + number);
          Consumer<Consumer<IOException>> setup = setups.poll();
          if (setup != null) {
            setup.accept(ended);
          }
        }

        @Override
        public void lost(IOException cause) {
          seen.add("lost: " + cause.getMessage());
        }

        @Override
        public void failed(IOException cause) {
          seen.add("failed: " + cause.getMessage());
        }
      });

  private void sees(String... events) throws InterruptedException {
    for (String event : events) {
      assertThat(seen.poll(60, TimeUnit.SECONDS)).isEqualTo(event);
    }
  }

  @Test
  void aLostConnectionIsOpenedAgain() throws Exception {
    connection.open();
    Consumer<IOException> first = ended;
    first.accept(new IOException("cut"));
    first.accept(new IOException("cut twice"));
    sees("opened 1", "ended 1", "lost: cut", "opened 2");
    connection.close();
  }

  @Test
  void aConnectionThatEndsWhileItIsSetUpIsLostForItsUserToo() throws Exception {
    setups.addAll(List.of(ended -> {}, ended -> ended.accept(new IOException("at once"))));
    connection.open();
    ended.accept(new IOException("cut"));
    sees("opened 1", "ended 1", "lost: cut", "opened 2", "ended 2", "lost: at once", "opened 3");
    connection.close();
  }

  @Test
  void theFirstConnectionFailsIfItEndsWhileItIsSetUp() throws Exception {
    setups.add(ended -> ended.accept(new IOException("at once")));
    assertThatThrownBy(connection::open).hasMessage("at once");
    sees("opened 1", "ended 1");
  }

  @Test
  void aFailureOfAnAttemptIsReported() throws Exception {
    setups.addAll(List.of(ended -> {}, ended -> {
      throw new IllegalStateException("outer", new IOException("inner"));
    }));
    connection.open();
    connection.lose(1, new IOException("a fault"));
    connection.lose(7, new IOException("not in use"));
    sees(
        "opened 1", "ended 1", "lost: a fault", "opened 2", "ended 2", "failed: inner", "opened 3");
    connection.close();
  }
}
