package dev.repartee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OutboxTest {
  @Test
  void anErrorOfAStepIsReportedAndTheNextStepFollows() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    Outbox outbox = new Outbox("test", 1_000, e -> events.add(String.valueOf(e.getMessage())));
    outbox.add(1, () -> {
      throw new OutOfMemoryError("for this message");
    });
    outbox.add(1, () -> events.add("next"));
    assertThat(events.poll(60, TimeUnit.SECONDS)).contains("for this message");
    assertThat(events.poll(60, TimeUnit.SECONDS)).isEqualTo("next");
    outbox.close(() -> {});
  }
}
