package dev.repartee.broker;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.internal.FakeClock;
import java.io.IOException;
import java.time.Duration;
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
  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  private final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();

  /** The usual pauses; the clock has timers only for {@link #pause}. */
  private final BlockingQueue<Duration> pauses = new LinkedBlockingQueue<>();

  /** The actions in the methods {@code opened}, in turn. */
  private final Queue<Consumer<Consumer<IOException>>> setups = new ArrayDeque<>();

  private volatile Duration pause = Duration.ZERO;
  private volatile boolean isFaulty;
  private volatile boolean isExhausted;
  private int opened;
  private volatile Consumer<IOException> ended;

  /**
   * The newest connection at each reading of the clock: when it becomes the current one, and when
   * it has ended.
   */
  private final BlockingQueue<Integer> looks = new LinkedBlockingQueue<>();

  private final FakeClock clock = new FakeClock() {
    @Override
    public long nanos() {
      long now = super.nanos();
      looks.add(opened); // from now on the test may change the time
      return now;
    }
  };

  private final Reconnection<Integer> connection = new Reconnection<>(
      this::start,
      ended -> {
        this.ended = ended;
        return ++opened;
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
          failIfFaulty();
        }

        @Override
        public void failed(IOException cause) {
          seen.add("failed: " + cause.getMessage());
          failIfFaulty();
        }

        @Override
        public Duration pause(IOException cause, Duration usual) {
          pauses.add(usual);
          return pause;
        }
      },
      clock);

  private void start(Runnable task) {
    if (isExhausted) {
      isExhausted = false;
      throw new OutOfMemoryError("by design");
    }
    Thread thread = new BrokerThread(task, "reconnect");
    threads.add(thread);
    thread.start();
  }

  private void failIfFaulty() {
    if (isFaulty) {
      throw new IllegalStateException("by design");
    }
  }

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

  @Test
  void anotherAttemptFollowsAnError() throws Exception {
    setups.addAll(List.of(ended -> {}, ended -> {
      throw new NoClassDefFoundError("a class");
    }));
    connection.open();
    ended.accept(new IOException("cut"));
    sees("opened 1", "ended 1", "lost: cut", "opened 2", "ended 2", "failed: a class", "opened 3");
    connection.close();
  }

  @Test
  void anAttemptFollowsAReportThatFails() throws Exception {
    isFaulty = true;
    setups.addAll(List.of(ended -> {}, ended -> {
      throw new IllegalStateException("setup");
    }));
    connection.open();
    ended.accept(new IOException("cut"));
    sees("opened 1", "ended 1", "lost: cut", "opened 2", "ended 2", "failed: setup", "opened 3");
    connection.close();
  }

  @Test
  void anAttemptFollowsAThreadThatDoesNotStart() throws Exception {
    isExhausted = true;
    connection.open();
    ended.accept(new IOException("cut"));
    sees("opened 1", "ended 1", "lost: cut", "opened 2");
    connection.close();
  }

  @Test
  void theNextAttemptFollowsThePause() throws Exception {
    pause = Duration.ofNanos(1);
    connection.open();
    ended.accept(new IOException("cut"));
    sees("opened 1", "ended 1", "lost: cut");
    assertThat(clock.awaitTimer()).isEqualTo(pause);
    assertThat(seen).isEmpty();
    clock.advance(pause);
    sees("opened 2");
    connection.close();
  }

  @Test
  void closeEndsAPause() throws Exception {
    pause = Duration.ofHours(1);
    connection.open();
    ended.accept(new IOException("cut"));
    sees("opened 1", "ended 1", "lost: cut");
    assertThat(clock.awaitTimer()).isEqualTo(pause);
    connection.close();
    threads.remove().join(60_000);
    assertThat(clock.timers()).isZero();
  }

  @Test
  void thePausesGrowWhileConnectionsEndAtOnce() throws Exception {
    connection.open();
    for (int i = 0; i < 10; i++) {
      loses(0);
    }
    connection.close();
    List<Duration> all = List.copyOf(pauses);
    assertThat(all).hasSize(10);
    assertThat(all.subList(0, 6)).isSorted().doesNotHaveDuplicates();
    assertThat(all.get(0)).isBetween(ofMillis(50), ofMillis(100));
    assertThat(all.get(9)).isBetween(ofMillis(2_500), ofMillis(5_000));
  }

  @Test
  void noPauseFollowsTheLossOfALastingConnection() throws Exception {
    connection.open();
    loses(0);
    loses(0);
    loses(4_999);
    loses(5_000);
    loses(0);
    connection.close();
    List<Duration> all = List.copyOf(pauses);
    assertThat(all.get(2)).isGreaterThan(all.get(0));
    assertThat(all.get(3)).isEqualTo(Duration.ZERO);
    assertThat(all.get(4)).isBetween(ofMillis(50), ofMillis(100));
  }

  /**
   * Ends a connection that has lasted for this number of milliseconds, and waits for the next one.
   */
  private void loses(long millis) throws InterruptedException {
    int last = opened;
    clock.advance(ofMillis(millis));
    looks.clear();
    ended.accept(new IOException("cut"));
    sees("opened " + last, "ended " + last, "lost: cut");
    assertThat(looks.poll(60, TimeUnit.SECONDS)).isEqualTo(last);
    assertThat(looks.poll(60, TimeUnit.SECONDS)).isEqualTo(last + 1);
  }
}
