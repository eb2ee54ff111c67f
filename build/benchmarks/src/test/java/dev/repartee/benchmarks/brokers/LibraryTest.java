package dev.repartee.benchmarks.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.repartee.benchmarks.load.Caller;
import dev.repartee.broker.server.BrokerServer;
import java.io.Closeable;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs the competitors of each broker that is installed; the driver checks the answers. */
@Tag("ci")
class LibraryTest {
  private static final Duration BRIEF = Duration.ofMillis(20);

  @ParameterizedTest
  @EnumSource
  void everyCompetitorAnswers(Broker broker) throws Exception {
    String missing = broker.missing();
    assumeTrue(missing == null, missing);
    try (BrokerServer server = broker.start()) {
      for (Competitor competitor : Competitor.of(broker)) {
        answers(server, competitor + "-quick", competitor.library, 0);
        answers(server, competitor + "-slow", competitor.library, 2);
      }
    }
  }

  private static void answers(BrokerServer server, String service, Library library, int bound)
      throws Exception {
    try (Closeable worker = library.serve(server.uri(service, 0), bound);
        Caller caller = library.connect(server.uri(service))) {
      assertThat(worker).isNotNull();
      assertThat(caller.call()).isTrue();
      assertThat(caller.sample(1, BRIEF).rate()).isNotNegative();
      assertThat(caller.sample(8, BRIEF).rate()).isNotNegative();
    }
  }
}
