package dev.repartee.zeromq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.limits.MemoryBudget;
import org.junit.jupiter.api.Test;

/** The memory of the replies that wait for the thread of the sockets. */
class RepliesInTransitTest {
  @Test
  void theEndOfTheThreadReturnsTheMemoryOfAllReplies() {
    int most = (int) Math.min(Integer.MAX_VALUE, MemoryBudget.ofAnswers().max() / 2);
    for (int i = 0; i < 10; i++) {
      RepliesInTransit replies = new RepliesInTransit();
      assertThat(replies.add(most)).isTrue();
      replies.clear();
    }
  }
}
