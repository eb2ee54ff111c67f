package dev.repartee.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.benchmarks.load.Address;
import dev.repartee.benchmarks.load.Contestant;
import dev.repartee.benchmarks.load.Sample;
import dev.repartee.benchmarks.load.Shape;
import dev.repartee.benchmarks.load.Workload;
import dev.repartee.benchmarks.peers.Contestants;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs every contestant over its own transport, in this process; the clients check the counted answers. */
@Tag("ci")
class ContestantTest {
  private static final Duration BRIEF = Duration.ofMillis(20);
  private static final List<Shape> SHAPES = List.of(new Shape(2, 1), new Shape(2, 8));

  static Stream<Arguments> contestantsAndWorkloads() {
    return Contestants.all().stream()
        .flatMap(contestant -> Arrays.stream(Workload.values())
            .filter(w -> SHAPES.stream().anyMatch(s -> contestant.plays(w, s)))
            .map(workload -> Arguments.of(contestant.name(), workload)));
  }

  @ParameterizedTest
  @MethodSource("contestantsAndWorkloads")
  void answersAsExpectedInEveryShapeItPlays(String name, Workload workload) throws Exception {
    Contestant contestant = Contestants.named(name);
    String lack = contestant.lacks(Runtime.version().feature());
    assumeTrue(lack == null, () -> name + " is left out, since this is missing: " + lack);
    Address server = contestant.serve(workload);
    for (Shape shape : SHAPES) {
      if (contestant.plays(workload, shape)) {
        Sample sample = contestant.client().run(server, workload, shape, BRIEF);
        assertThat(sample.rate()).isNotNegative();
        assertThat(Sample.of(sample.line())).isEqualTo(sample);
      }
    }
  }
}
