package dev.repartee.benchmarks.soak;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A short form of {@code build/benchmarks/soak --restarts}. The system properties {@code
 * repartee.restarts} and {@code repartee.rate} make it longer.
 */
@Tag("ci")
class RestartSoakTest {
  private static final int ROUNDS = Integer.getInteger("repartee.restarts", 1);
  private static final int RATE = Integer.getInteger("repartee.rate", 200);

  @ParameterizedTest
  @CsvSource({
    "TCP, TERMINATED",
    "HTTP, TERMINATED",
    "WS, TERMINATED",
    "TCP, KILLED",
    "HTTP, KILLED",
    "WS, KILLED"
  })
  void aRestartLosesNoCallThatWasNotInFlight(RestartSoak.Scheme scheme, RestartSoak.End end)
      throws Exception {
    Account account = RestartSoak.run(scheme, end, ROUNDS, RATE);
    assertThat(account.addsUp()).as(account.table()).isTrue();
  }
}
