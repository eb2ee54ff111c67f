package dev.repartee.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.limits.MemoryBudget;
import dev.repartee.testkit.memory.HeldWatch;
import dev.repartee.transport.FrameQueue;
import dev.repartee.transport.OutboundFrame;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests the limits of the write queue {@link FrameQueue}. */
class FrameQueueTest {
  private static final int MAX = 1 << 20;

  private final FrameQueue<OutboundFrame> frames = FrameQueue.served(MAX, "the client");

  private static OutboundFrame small() {
    OutboundFrame frame = new OutboundFrame(1, 1).initiate();
    frame.put('1');
    return frame;
  }

  @Test
  void aQueueOfSmallFramesIsFullBeforeItsObjectsTakeMuchMoreThanItsLimit() throws Exception {
    int count = 0;
    for (; frames.awaitRoom(0, TimeUnit.SECONDS); count++) {
      frames.append(small());
    }
    assertThat(count).isLessThan(MAX / 100);
    for (OutboundFrame frame = frames.next(); frame != null; frame = frames.next()) {
      frames.left(frame);
    }
    assertThat(frames.awaitRoom(0, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theObjectsOfSmallFramesAreChargedToTheMemoryBudget() throws Exception {
    MemoryBudget held = MemoryBudget.ofAnswers();
    HeldWatch.await(held, 0, 0); // connections of earlier tests may just end
    for (int i = 0; i < 10_000; i++) {
      frames.append(small());
    }
    assertThat(held.held()).isGreaterThan(1_000_000);
    for (OutboundFrame frame = frames.next(); frame != null; frame = frames.next()) {
      frames.left(frame);
    }
    assertThat(held.held()).isZero();
  }
}
