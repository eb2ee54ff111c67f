package dev.repartee.benchmarks.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs each contestant briefly; the process of a contestant checks all outputs. */
@Tag("any-jdk")
class RunsTest {
  @ParameterizedTest
  @EnumSource
  void everyRunEndsWithItsOutput(Contestant contestant) throws Exception {
    assertThat(RunsMain.rate(contestant, 50, Duration.ofMillis(1))).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void runsThatWaitEndWhenTheyAreReleased(Contestant contestant) throws Exception {
    assertThat(RunsMain.bytes(contestant, 50)).isFinite();
  }
}
