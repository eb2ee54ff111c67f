package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpinTest {
  private final Spin spin = new Spin();
  private int looks;

  private boolean nothing() {
    looks++;
    return false;
  }

  /** Returns the number of waits without a poll before the next one that polls, in vain. */
  private int skipped() {
    int waits = 0;
    looks = 0;
    while (true) {
      assertThat(spin.finds(this::nothing)).isFalse();
      if (looks > 0) {
        return waits;
      }
      waits++;
    }
  }

  @Test
  void anEventThatIsThereIsFoundAtTheFirstPoll() {
    for (int i = 0; i < 100; i++) {
      assertThat(spin.finds(() -> ++looks > 0)).isTrue();
    }
    assertThat(looks).isEqualTo(100);
  }

  @Test
  void pollingGetsRarerWhileItFindsNothing() {
    List<Integer> skipped = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      skipped.add(skipped());
    }
    assertThat(skipped).containsExactly(0, 1, 2, 4, 8, 16, 16, 16);
  }

  @Test
  void anEventFoundTooLateCountsAsAFailedPoll() {
    assertThat(spin.finds(this::late)).isTrue();
    assertThat(skipped()).isEqualTo(1);
    assertThat(skipped()).isEqualTo(2);
  }

  /** Succeeds at the second poll, as if other threads had the CPU after the first one. */
  private boolean late() {
    if (looks++ == 0) {
      return false;
    }
    long end = System.nanoTime() + Spin.NANOS;
    while (System.nanoTime() - end < 0) {
      Thread.onSpinWait();
    }
    return true;
  }

  @Test
  void onlyOneLooksAtATime() {
    assertThat(spin.finds(() -> {
          assertThat(spin.finds(() -> ++looks > 0)).isFalse();
          return true;
        }))
        .isTrue();
    assertThat(looks).isZero();
  }

  @Test
  void aPollThatThrowsLetsTheNextThreadPoll() {
    assertThatThrownBy(() -> spin.finds(() -> {
          throw new IOException("broken");
        }))
        .isInstanceOf(IOException.class);
    assertThat(spin.finds(() -> ++looks > 0)).isTrue();
  }

  @Test
  void pollingIsRegularAgainOnceItFindsAnEvent() {
    for (int i = 0; i < 6; i++) {
      skipped();
    }
    looks = 0;
    while (!spin.finds(() -> ++looks > 0)) {
      assertThat(looks).isZero();
    }
    assertThat(skipped()).isZero();
  }
}
