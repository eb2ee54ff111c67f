package dev.repartee.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class LineQueueTest {
  @Test
  void anInterruptedThreadStillWaitsForTheLines() {
    List<String> written = new CopyOnWriteArrayList<>();
    LineQueue queue = LineQueue.start("lines", 10, written::add, left -> "gap");
    queue.add("a line");
    Thread.currentThread().interrupt();
    queue.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(written).containsExactly("a line");
  }
}
