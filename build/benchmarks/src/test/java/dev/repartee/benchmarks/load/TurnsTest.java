package dev.repartee.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final Turns<String> turns = new Turns<>("a test", List.of("a", "b"));
  private final List<String> order = new ArrayList<>();

  @Test
  void everySecondRoundRunsInReverseOrder() throws IOException {
    turns.rounds(3, order::add);
    assertThat(String.join("", order)).isEqualTo("baabba");
  }

  @Test
  void theWarmUpEndsWhenNoRateImproves() throws IOException {
    double[] rates = {1, 2, 2.05, 2, 2};
    turns.warmUp(5, 2, competitor -> {
      order.add(competitor);
      return competitor.equals("a") ? rates[order.size() / 2] : 1;
    });
    assertThat(String.join("", order))
        .as("the third and fourth round are no faster")
        .isEqualTo("abababab");
  }
}
