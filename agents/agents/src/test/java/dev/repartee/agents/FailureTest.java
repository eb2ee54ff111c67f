package dev.repartee.agents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.CallTimeoutException;
import dev.repartee.transport.DisconnectedException;
import org.junit.jupiter.api.Test;

class FailureTest {
  @Test
  void aTaskThatCertainlyDidNotRunIsNotLost() {
    assertThat(kind(DisconnectedException.unsent("no", "the queue is full", null)))
        .isEqualTo(Failure.Kind.UNREACHABLE);
    assertThat(kind(new DisconnectedException("no", null))).isEqualTo(Failure.Kind.LOST);
    assertThat(kind(new CallTimeoutException("no"))).isEqualTo(Failure.Kind.TIMEOUT);
  }

  private static Failure.Kind kind(Exception e) {
    return Failure.of(e).kind();
  }
}
