package dev.repartee.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.internal.FakeClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The clocks of a connection, with a time that the tests set. */
class TimeLimitsTest {
  private final FakeClock clock = new FakeClock();
  private final Limits limits = Limits.builder()
      .clock(clock)
      .firstByteTimeout(Duration.ofSeconds(10))
      .idleTimeout(Duration.ofSeconds(60))
      .drainTimeout(Duration.ofSeconds(30))
      .build();

  private final State state = new State();
  private final TimeLimits times = new TimeLimits(limits, state);

  private static final class State implements TimeLimits.Connection {
    boolean due;
    int held;
    long received;
    boolean idle;

    boolean pingable;
    boolean reading = true;
    int pings;

    @Nullable Object unread;

    @Override
    public boolean isReading() {
      return reading;
    }

    @Override
    public boolean ping() {
      pings++;
      return pingable;
    }

    @Override
    public boolean isMessageDue() {
      return due;
    }

    @Override
    public int held() {
      return held;
    }

    @Override
    public long received() {
      return received;
    }

    @Override
    public boolean isIdle() {
      return idle;
    }

    @Override
    public @Nullable Object unread() {
      return unread;
    }
  }

  private TimeLimits.@Nullable Limit after(int seconds) {
    clock.advance(Duration.ofSeconds(seconds).minusNanos(clock.nanos()));
    return times.passed();
  }

  @Test
  void aMessageThatDoesNotArriveEndsTheConnection() {
    state.due = true;
    assertThat(after(0)).isNull();
    assertThat(after(9)).isNull();
    assertThat(after(11)).isEqualTo(TimeLimits.Limit.FIRST_BYTE);
  }

  @Test
  void theTimeOfAMessageStartsWhenItIsFoundToBeDue() {
    assertThat(after(0)).isNull();
    state.received = 70_000;
    state.held = 70_000;
    state.due = true; // no limit ran before, so nothing called passed() meanwhile
    assertThat(after(100)).isNull();
    assertThat(after(109)).isNull();
    assertThat(after(111)).isEqualTo(TimeLimits.Limit.FIRST_BYTE);
  }

  @Test
  void aSmallMessageMustGrowBySixteenKibibytesInEachPeriod() {
    state.due = true;
    assertThat(after(0)).isNull();
    state.received = 16 << 10;
    assertThat(after(11)).isNull();
    state.received += (16 << 10) - 1;
    assertThat(after(20)).isNull();
    assertThat(after(22)).isEqualTo(TimeLimits.Limit.FIRST_BYTE);
  }

  @Test
  void aLargeMessageMustGrowByAnEighthOfItsMemoryInEachPeriod() {
    state.due = true;
    state.held = 8 << 20;
    assertThat(after(0)).isNull();
    state.received = 1 << 20;
    assertThat(after(11)).isNull();
    state.received += (1 << 20) - 1;
    assertThat(after(22)).isEqualTo(TimeLimits.Limit.FIRST_BYTE);
  }

  @Test
  void aCompleteMessageGivesTheNextOneTheWholeTime() {
    state.due = true;
    assertThat(after(0)).isNull();
    assertThat(after(9)).isNull();
    times.completed();
    assertThat(after(11)).isNull();
    assertThat(after(12)).isNull();
    assertThat(after(21)).isNull();
    assertThat(after(23)).isEqualTo(TimeLimits.Limit.FIRST_BYTE);
  }

  @Test
  void silenceCountsOnlyWhileTheConnectionIsIdle() {
    assertThat(after(61)).isNull();
    state.idle = true;
    assertThat(after(120)).isNull();
    assertThat(after(122)).isEqualTo(TimeLimits.Limit.IDLE);
  }

  @Test
  void anyByteEndsTheSilence() {
    state.idle = true;
    assertThat(after(59)).isNull();
    state.received = 1;
    assertThat(after(61)).isNull();
    assertThat(after(122)).isEqualTo(TimeLimits.Limit.IDLE);
  }

  @Test
  void outputThatMovesHasTheWholeTimeAgain() {
    state.unread = 0L;
    assertThat(after(0)).isNull();
    assertThat(after(29)).isNull();
    state.unread = 1L;
    assertThat(after(31)).isNull();
    assertThat(after(60)).isNull();
    assertThat(after(62)).isEqualTo(TimeLimits.Limit.DRAIN);
  }

  @Test
  void newOutputAfterAnEmptyQueueHasTheWholeTime() {
    state.unread = 0L;
    assertThat(after(0)).isNull();
    state.unread = null;
    assertThat(after(29)).isNull();
    state.unread = 0L;
    assertThat(after(31)).isNull();
    assertThat(after(62)).isEqualTo(TimeLimits.Limit.DRAIN);
  }

  @Test
  void aLimitRunsWhileItsConditionHolds() {
    TimeLimits withoutIdle = new TimeLimits(Limits.DEFAULT, state);
    assertThat(withoutIdle.isRunning()).isFalse();
    state.due = true;
    assertThat(withoutIdle.isRunning()).isTrue();
    state.due = false;
    state.unread = 0L;
    assertThat(withoutIdle.isRunning()).isTrue();
    assertThat(times.isRunning()).as("an idle timeout always runs").isTrue();
  }

  @Test
  void theReasonNamesThePeerTheTimeAndTheLimit() {
    assertThat(TimeLimits.Limit.DRAIN.reason("127.0.0.1:80", limits))
        .hasMessage(
            "127.0.0.1:80 read nothing of the queued output for 30000 ms, the limit drainTimeout");
  }

  /** Looks at the clock in each second, as a connection does. */
  private TimeLimits.@Nullable Limit everySecond(int from, int to) {
    TimeLimits.Limit passed = null;
    for (int second = from; second <= to && passed == null; second++) {
      passed = after(second);
    }
    return passed;
  }

  @Test
  void aPeerThatIsSilentForTwoIntervalsIsDead() {
    state.pingable = true;
    assertThat(everySecond(1, 59)).isNull();
    assertThat(state.pings).isEqualTo(1);
    assertThat(everySecond(60, 64)).isEqualTo(TimeLimits.Limit.PING);
  }

  @Test
  void aPeerIsPingedInEachIntervalAlsoWhileItSends() {
    state.pingable = true;
    for (int second = 1; second <= 200; second++) {
      state.received++;
      assertThat(after(second)).isNull();
    }
    assertThat(state.pings).isEqualTo(6);
  }

  @Test
  void silenceIsNoSignOfDeathWhereThereAreNoPingsOrThisSideDoesNotReadOrWasSuspended() {
    assertThat(everySecond(1, 200)).isNull();
    state.pingable = true;
    state.reading = false;
    assertThat(everySecond(201, 400)).isNull();
    state.reading = true;
    assertThat(after(1_000)).isNull();
    assertThat(everySecond(1_001, 1_100)).isEqualTo(TimeLimits.Limit.PING);
  }
}
