package dev.repartee.benchmarks.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs each contestant briefly; the process of a contestant checks all outputs. */
@Tag("ci")
class RunsTest {
  @ParameterizedTest
  @EnumSource
  void everyRunEndsWithItsOutput(Runs.Kind kind) throws Exception {
    assertThat(RunsMain.rate(kind, 50, Duration.ofMillis(1))).isPositive();
  }

  @ParameterizedTest
  @EnumSource
  void runsThatWaitEndWhenTheyAreReleased(Runs.Kind kind) throws Exception {
    assertThat(RunsMain.bytes(kind, 50)).isFinite();
  }
}
