package dev.repartee.reconnect;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void theLongestPauseGrowsUpToTheMaximum() {
    Backoff backoff = Backoff.DEFAULT.initial(ofMillis(100)).factor(3).max(ofSeconds(2));
    assertThat(IntStream.rangeClosed(1, 5).mapToObj(n -> backoff.delay(n, 0.5)))
        .containsExactly(ofMillis(50), ofMillis(150), ofMillis(450), ofSeconds(1), ofSeconds(1));
    assertThat(backoff.delay(Integer.MAX_VALUE, 0.5)).isEqualTo(ofSeconds(1));
  }

  @Test
  void aPauseIsNeverZero() {
    assertThat(Backoff.DEFAULT.delay(1, 0)).isEqualTo(ofMillis(1));
    assertThat(Backoff.DEFAULT.initial(Duration.ofNanos(1)).delay(1, 0.9)).isEqualTo(ofMillis(1));
  }

  @Test
  void aTransportWaitsAtLeastHalfOfTheLongestPause() {
    assertThat(Backoff.DEFAULT.initial(ofMillis(100)).delay(2))
        .isBetween(ofMillis(100), ofMillis(200));
  }

  @Test
  void attemptsEndAfterTheirNumberOrTheirTime() {
    assertThat(Backoff.DEFAULT.isOver(1_000_000, Duration.ofDays(1_000))).isFalse();
    Backoff number = Backoff.DEFAULT.attempts(3);
    assertThat(number.isOver(2, ofSeconds(0))).isFalse();
    assertThat(number.isOver(3, ofSeconds(0))).isTrue();
    Backoff time = Backoff.DEFAULT.giveUpAfter(ofSeconds(10));
    assertThat(time.isOver(100, ofSeconds(9))).isFalse();
    assertThat(time.isOver(1, ofSeconds(10))).isTrue();
  }

  @Test
  void valuesThatWouldLoopAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Backoff.DEFAULT.initial(Duration.ZERO))
        .withMessage("the time initial has to be positive");
    assertThatIllegalArgumentException().isThrownBy(() -> Backoff.DEFAULT.max(Duration.ZERO));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Backoff.DEFAULT.stableAfter(ofMillis(-1)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Backoff.DEFAULT.factor(0.5))
        .withMessageContaining("not 0.5");
    assertThatIllegalArgumentException().isThrownBy(() -> Backoff.DEFAULT.factor(Double.NaN));
    assertThatIllegalArgumentException().isThrownBy(() -> Backoff.DEFAULT.attempts(0));
  }
}
