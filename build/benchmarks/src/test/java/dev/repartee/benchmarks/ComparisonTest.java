package dev.repartee.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.benchmarks.report.Statistics;
import org.junit.jupiter.api.Test;

class ComparisonTest {
  @Test
  void aRatioHasNoVerdictIfItsIntervalContainsOneOrItIsCloseToOne() {
    assertThat(Comparison.verdict(1.10, new Statistics.Interval(0.99, 1.2))).isEmpty();
    assertThat(Comparison.verdict(1.10, new Statistics.Interval(1.05, 1.2))).contains("faster");
    assertThat(Comparison.verdict(0.90, new Statistics.Interval(0.8, 0.95))).contains("slower");
    assertThat(Comparison.verdict(1.01, new Statistics.Interval(1.005, 1.02))).isEmpty();
  }
}
