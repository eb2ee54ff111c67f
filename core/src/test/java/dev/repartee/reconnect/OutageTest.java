package dev.repartee.reconnect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines for the operator about a lost connection. */
class OutageTest {
  private final List<String> lines = new ArrayList<>();
  private final Outage outage = new Outage("the broker", lines::add);

  private void failed(String reason) {
    outage.failed(new IOException(reason));
  }

  @Test
  void manyAttemptsWithTheSameReasonAreOneLine() {
    outage.connected();
    outage.lost(new IOException("end of stream"));
    for (int i = 0; i < 100; i++) {
      failed(i % 2 == 0 ? "refused" : "timed out");
    }
    outage.connected();
    outage.connected();
    assertThat(lines)
        .containsExactly(
            "the connection to the broker was lost: end of stream; trying again",
            "refused",
            "timed out",
            "connected to the broker again");
  }

  @Test
  void theNextLossTellsItsReasonsAgain() {
    outage.lost(new IOException("end of stream"));
    failed("refused");
    outage.connected();
    outage.lost(new IOException("end of stream"));
    failed("refused");
    assertThat(lines).hasSize(5).endsWith("refused");
  }

  @Test
  void theLinesOfAnOutageAreBoundedIfEachReasonIsDifferent() {
    outage.lost(new IOException("end of stream"));
    for (int i = 0; i < 1_000; i++) {
      failed("attempt " + i + " has failed");
    }
    assertThat(lines).hasSize(11);
  }
}
