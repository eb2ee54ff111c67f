package dev.repartee.mcp.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SessionMemoryTest {
  @Test
  void anOwnerHoldsHalfAtMostInAllItsSessions() {
    SessionMemory memory = new SessionMemory(1_000, 0);
    SessionMemory.Share first = memory.share("ann");
    SessionMemory.Share second = memory.share("ann");
    assertThat(first.hold(300)).isTrue();
    assertThat(second.hold(201)).isFalse();
    assertThat(second.ownerHasRoom(201)).isFalse();
    assertThat(second.ownerHasRoom(200)).isTrue();
    assertThat(second.hold(200)).isTrue();
    assertThat(memory.share("bob").hold(500)).isTrue();
    assertThat(memory.share("eve").hold(1)).isFalse();
    assertThat(first.hold(0)).isTrue();
    assertThat(second.hold(500)).isTrue();
    assertThat(memory.owners()).containsOnly(Map.entry("ann", 500L), Map.entry("bob", 500L));
  }

  @Test
  void anOwnerWithoutSessionsIsForgotten() {
    SessionMemory memory = new SessionMemory(1_000, 100);
    SessionMemory.Share share = memory.share("ann");
    assertThat(share.hold(101)).isTrue();
    assertThat(share.hold(100)).isTrue();
    assertThat(memory.owners()).isEmpty();
  }

  @Test
  void aSmallSessionOfAConnectionBeginsEvenIfTheMemoryIsExhausted() {
    SessionMemory memory = new SessionMemory(1_000, 100);
    assertThat(memory.share("ann").hold(500)).isTrue();
    assertThat(memory.share("bob").hold(500)).isTrue();
    SessionMemory.Share small = memory.share("eve");
    assertThat(small.hold(100)).isTrue();
    assertThat(small.hold(101)).isFalse();
    assertThat(small.counted()).isZero();
  }
}
