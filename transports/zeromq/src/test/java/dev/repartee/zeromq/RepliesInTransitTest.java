package dev.repartee.zeromq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.limits.MemoryBudget;
import org.junit.jupiter.api.Test;

/** The memory of the replies that wait for the thread of the sockets. */
class RepliesInTransitTest {
  @Test
  void theRepliesToOthersPassThoughClientsThatDoNotReadHaveExhaustedTheBudget() {
    MemoryBudget budget = MemoryBudget.ofAnswers();
    MemoryBudget.Share unread = budget.share(0);
    unread.holdAnyway(budget.max());
    try {
      RepliesInTransit replies = new RepliesInTransit();
      int quarter = (int) Math.min(Integer.MAX_VALUE, budget.max() / 4);
      assertThat(replies.add(quarter)).isTrue();
      assertThat(replies.add(100_000)).isFalse();
      replies.remove(quarter);
      assertThat(replies.add(100_000)).isTrue();
      replies.clear();
    } finally {
      unread.hold(0);
    }
  }

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
