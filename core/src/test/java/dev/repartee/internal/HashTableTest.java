package dev.repartee.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HashTableTest {
  private static final class Item extends HashTable.Entry<Item> {}

  private final HashTable<Item> table = new HashTable<>();

  private Item add(long key) {
    Item item = new Item();
    table.add(key, item);
    return item;
  }

  @Test
  void anEmptyTableFindsNothing() {
    Item item = new Item();
    assertThat(table.find(0)).isNull();
    assertThat(table.contains(item)).isFalse();
    assertThat(table.remove(item)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 5, 6, 13, 100})
  void theEntriesOfOneKeyAreFoundFromTheNewestToTheOldest(int others) {
    Item oldest = add(7);
    Item middle = add(7);
    Item newest = add(7);
    for (int i = 0; i < others; i++) {
      add(7 + (1L << 32) * (i + 1)); // another key in the same bucket
    }
    assertThat(table.find(7)).isSameAs(newest);
    assertThat(table.next(newest)).isSameAs(middle);
    assertThat(table.next(middle)).isSameAs(oldest);
    assertThat(table.next(oldest)).isNull();
  }

  @Test
  void anEntryIsRemovedOnceWhereverItIsInItsBucket() {
    for (int removed = 0; removed < 3; removed++) {
      Item[] items = {add(1), add(1), add(1)};
      Item gone = items[removed];
      assertThat(table.contains(gone)).isTrue();
      assertThat(table.remove(gone)).isTrue();
      assertThat(table.contains(gone)).isFalse();
      assertThat(table.remove(gone)).isFalse();
      Set<Item> left = new HashSet<>();
      table.forEach(left::add);
      assertThat(left).hasSize(table.size()).hasSize(2).doesNotContain(gone);
      left.forEach(table::remove);
      assertThat(table.size()).isZero();
    }
  }
}
