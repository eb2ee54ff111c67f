package dev.repartee.a2a.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.RpcException;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import org.junit.jupiter.api.Test;

class MemoryPushConfigStoreTest {
  private final MemoryPushConfigStore store = new MemoryPushConfigStore();

  private static StoredPushConfig config(String task, int length) {
    TaskPushNotificationConfig to =
        new TaskPushNotificationConfig("http://example.com/").withToken("x".repeat(length));
    return new StoredPushConfig(task, "c", to.withTaskId(task).withId("c"), "1.0");
  }

  @Test
  void anAddressWithAVeryLongTokenIsRefused() {
    assertThatThrownBy(() -> store.save(config("t", 64 << 10))).isInstanceOf(RpcException.class);
    assertThat(store.list("t")).isEmpty();
  }

  @Test
  void theOldestAddressesAreEvictedWhenAllAreTooLongTogether() {
    for (int i = 0; i < 300; i++) {
      store.save(config("t" + i, 60_000));
    }
    assertThat(store.list("t0")).isEmpty();
    assertThat(store.list("t299")).hasSize(1);
  }

  @Test
  void anAddressThatIsReplacedOrDeletedCountsNoMore() {
    store.save(config("first", 60_000));
    for (int i = 0; i < 300; i++) {
      store.save(config("same", 60_000));
      store.save(config("deleted", 60_000));
      store.delete("deleted", "c");
    }
    assertThat(store.list("first")).hasSize(1);
  }
}
