package dev.repartee.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.RpcException;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CatalogTest {
  private final AtomicInteger changes = new AtomicInteger();
  private final Catalog<Thing> catalog = new Catalog<>(Thing::name, changes::incrementAndGet);

  private record Thing(String name, String text) {}

  private Json page(@Nullable String cursor) {
    return catalog.page("things", cursor, 3, 40, thing -> Json.of(thing.text())).build();
  }

  private static @Nullable String cursor(Json page) {
    Json cursor = page.get("nextCursor");
    return cursor == null ? null : cursor.as(String.class);
  }

  private void fill(int count) {
    for (int i = 0; i < count; i++) {
      catalog.add(new Thing("n" + i, "thing " + i));
    }
  }

  @Test
  void allPagesTogetherAreTheListInOrder() {
    fill(7);
    List<Json> all = new ArrayList<>();
    String cursor = null;
    do {
      Json page = page(cursor);
      List<Json> things = page.get("things").elements();
      assertThat(things).hasSizeBetween(1, 3);
      all.addAll(things);
      cursor = cursor(page);
    } while (cursor != null);
    assertThat(all).hasSize(7).doesNotHaveDuplicates();
    assertThat(all.get(6)).isEqualTo(Json.of("thing 6"));
  }

  @Test
  void aPageEndsBeforeItIsTooLargeForAMessage() {
    catalog.add(new Thing("a", "x".repeat(50)));
    catalog.add(new Thing("b", "x".repeat(15)));
    catalog.add(new Thing("c", "x".repeat(15)));
    catalog.add(new Thing("d", "x".repeat(15)));
    List<Integer> sizes = new ArrayList<>();
    String cursor = null;
    do {
      Json page = page(cursor);
      sizes.add(page.get("things").elements().size());
      cursor = cursor(page);
    } while (cursor != null);
    assertThat(sizes).containsExactly(1, 2, 1);
  }

  @Test
  void aListThatFitsAPageHasNoCursor() {
    assertThat(page(null)).isEqualTo(Json.parse("{\"things\":[]}"));
    fill(3);
    assertThat(cursor(page(null))).isNull();
  }

  @Test
  void aCursorContinuesAtItsEntryThoughTheListGrew() {
    fill(5);
    String cursor = cursor(page(null));
    catalog.add(new Thing("later", "later"));
    assertThat(page(cursor).get("things"))
        .isEqualTo(Json.of(List.of("thing 3", "thing 4", "later")));
  }

  @Test
  void anInvalidCursorAndOneOfARemovedEntryAreRejected() {
    fill(5);
    String cursor = cursor(page(null));
    catalog.remove("n2");
    for (String wrong : List.of(cursor, "!", "bm9uZQ")) {
      assertThatExceptionOfType(RpcException.class)
          .isThrownBy(() -> page(wrong))
          .satisfies(e -> assertThat(e.code()).isEqualTo(-32602));
    }
  }

  @Test
  void everyChangeIsReported() {
    fill(2);
    assertThat(catalog.remove("n0")).isTrue();
    assertThat(catalog.remove("n0")).isFalse();
    assertThat(changes).hasValue(3);
  }
}
