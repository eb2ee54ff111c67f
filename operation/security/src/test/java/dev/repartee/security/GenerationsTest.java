package dev.repartee.security;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GenerationsTest {
  /** A key that acts when it is compared. */
  private static final class Key {
    private final int number;
    private @Nullable Runnable action;

    Key(int number) {
      this.number = number;
    }

    @Override
    public int hashCode() {
      return number;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      Runnable now = action;
      action = null;
      if (now != null) {
        now.run();
      }
      return other instanceof Key key && key.number == number;
    }
  }

  @Test
  void theLeastUsedEntriesAreForgotten() {
    Generations<Integer, String> table = new Generations<>(4);
    for (int i = 0; i < 10; i++) {
      table.put(i, "value " + i);
      assertThat(table.get(0)).isEqualTo("value 0");
      assertThat(table.size()).isLessThanOrEqualTo(4);
    }
    assertThat(table.get(1)).isNull();
  }

  /** Otherwise the failures of an address would be forgotten. */
  @Test
  void aValueThatIsReplacedDuringALookUpIsNotRestored() {
    Generations<Key, String> table = new Generations<>(4);
    table.put(new Key(1), "before");
    table.put(new Key(2), "other");
    Key key = new Key(1);
    key.action = () -> {
      table.put(new Key(1), "after");
      table.put(new Key(3), "other");
    };
    assertThat(table.get(key)).isEqualTo("after");
    assertThat(table.get(new Key(1))).isEqualTo("after");
  }
}
