package dev.repartee.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitingLinesTest {
  private final WaitingLines waiting = new WaitingLines();

  @Test
  void linesWaitUpToABoundOfCharactersAndTheOthersAreCounted() throws Exception {
    String large = "x".repeat(1 << 20);
    for (int i = 0; i < 5; i++) {
      waiting.add(large);
    }
    assertThat(waiting.dropped()).isEqualTo(3);
    assertThat(waiting.dropped()).isZero();
    assertThat(waiting.next()).isEqualTo(large);
    waiting.add(large);
    assertThat(waiting.dropped()).isZero();
  }

  @Test
  void oneLineMayHaveAnyLength() throws Exception {
    String huge = "x".repeat(5 << 20);
    waiting.add(huge);
    waiting.add("");
    waiting.add("a");
    assertThat(waiting.next()).isEqualTo(huge);
    waiting.add("b");
    assertThat(waiting.next()).isEqualTo("b");
    assertThat(waiting.dropped()).isEqualTo(2);
  }

  @Test
  void aThousandLinesWait() {
    for (int i = 0; i < 1_001; i++) {
      waiting.add("a");
    }
    assertThat(waiting.dropped()).isEqualTo(1);
  }
}
