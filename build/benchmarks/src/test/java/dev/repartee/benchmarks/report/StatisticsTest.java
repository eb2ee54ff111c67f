package dev.repartee.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  @Test
  void theMedianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
    assertThat(Statistics.median(DoubleStream.of(4, 1, 3, 2))).isEqualTo(2.5);
    assertThat(Statistics.median(DoubleStream.of(9, 1, 2))).isEqualTo(2);
  }

  @Test
  void theSpreadIsTheMedianDistanceFromTheMedian() {
    assertThat(Statistics.spread(DoubleStream.of(90, 100, 120))).isEqualTo(0.1);
  }

  @Test
  void aQuantileIsTheLeastValueThatThisPartOfAllValuesDoesNotExceed() {
    DoubleStream values = DoubleStream.of(4, 1, 3, 2);
    assertThat(Statistics.quantile(values, 0.75)).isEqualTo(3);
    assertThat(Statistics.quantile(DoubleStream.of(5), 0.95)).isEqualTo(5);
  }

  @Test
  void forNineValuesTheMedianLiesBetweenTheSecondAndTheEighth() {
    assertThat(Statistics.medianInterval(DoubleStream.of(1, 2, 3, 4, 5, 6, 7, 8, 9)))
        .isEqualTo(new Statistics.Interval(2, 8));
  }

  @Test
  void forSixValuesOrFewerTheIntervalOfTheMedianIsTheirFullRange() {
    assertThat(Statistics.medianInterval(DoubleStream.of(6, 5, 4, 3, 2, 1)))
        .isEqualTo(new Statistics.Interval(1, 6));
    assertThat(Statistics.medianInterval(DoubleStream.of(3, 2)))
        .isEqualTo(new Statistics.Interval(2, 3));
  }
}
