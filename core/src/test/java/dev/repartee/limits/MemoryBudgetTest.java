package dev.repartee.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private final MemoryBudget held = new MemoryBudget(100);

  @Test
  void theSumOfAllSharesIsBounded() {
    MemoryBudget.Share one = held.share(0);
    MemoryBudget.Share other = held.share(0);
    assertThat(one.hold(60)).isTrue();
    assertThat(other.hold(41)).isFalse();
    assertThat(other.hold(40)).isTrue();
    assertThat(held.held()).isEqualTo(100);
  }

  @Test
  void aShareThatCannotGrowKeepsItsSize() {
    MemoryBudget.Share share = held.share(0);
    assertThat(share.hold(30)).isTrue();
    assertThat(share.hold(101)).isFalse();
    assertThat(share.counted()).isEqualTo(30);
    assertThat(held.held()).isEqualTo(30);
  }

  @Test
  void aShareThatShrinksReturnsTheRest() {
    MemoryBudget.Share share = held.share(0);
    assertThat(share.hold(80)).isTrue();
    assertThat(share.hold(20)).isTrue();
    assertThat(held.held()).isEqualTo(20);
    assertThat(share.hold(0)).isTrue();
    assertThat(held.held()).isZero();
  }

  @Test
  void aSmallMessageIsNotCountedAndNeverRefused() {
    assertThat(held.share(0).hold(100)).isTrue();
    MemoryBudget.Share small = held.share(10);
    assertThat(small.hold(10)).isTrue();
    assertThat(small.hold(11)).isFalse();
    assertThat(held.held()).isEqualTo(100);
  }

  @Test
  void bytesThatCannotBeRefusedMayExceedTheBoundAndAreReturned() {
    MemoryBudget.Share share = held.share(0);
    share.holdAnyway(250);
    assertThat(held.held()).isEqualTo(250);
    assertThat(held.share(0).hold(1)).isFalse();
    share.holdAnyway(0);
    assertThat(held.held()).isZero();
  }

  @Test
  void concurrentSharesNeverExceedTheBoundAndReturnAll() throws Exception {
    Thread[] threads = new Thread[4];
    boolean[] passed = new boolean[threads.length];
    for (int t = 0; t < threads.length; t++) {
      int me = t;
      threads[t] = new Thread(() -> {
        MemoryBudget.Share share = held.share(0);
        for (int i = 0; i < 50_000; i++) {
          share.hold(i * 7 % 60);
          passed[me] |= held.held() > held.max();
        }
        share.hold(0);
      });
      threads[t].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(passed).containsOnly(false);
    assertThat(held.held()).isZero();
  }

  @Test
  void theBoundIsAQuarterOfTheHeap() {
    assertThat(MemoryBudget.bound(null, 256 << 20)).isEqualTo(64 << 20);
  }

  @Test
  void aPropertySetsTheBound() {
    assertThat(MemoryBudget.bound("1000", 4L << 30)).isEqualTo(1_000);
    assertThatThrownBy(() -> MemoryBudget.bound("1G", 4L << 30))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the system property repartee.heldBytes is a number of bytes, such as 67108864,"
            + " not '1G'");
  }
}
