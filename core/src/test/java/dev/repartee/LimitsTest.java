package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitsTest {
  @Test
  void countsArePositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.DEFAULT.withFrameBytes(0))
        .withMessage("the limit frameBytes is at least 1, not 0");
  }

  @Test
  void timesAreNotNegative() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.DEFAULT.withIdleTimeout(Duration.ofMillis(-1)))
        .withMessage("the time idleTimeout is from zero to 106751 days, not PT-0.001S");
  }

  @Test
  void timesFitIntoNanoseconds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Limits.DEFAULT.withCallTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
  }

  @Test
  void copyDiffersInOneLimitOnly() {
    Limits changed = Limits.DEFAULT.withBatch(7);
    assertThat(changed.batch()).isEqualTo(7);
    assertThat(changed.withBatch(Limits.DEFAULT.batch())).isEqualTo(Limits.DEFAULT);
  }
}
