package dev.repartee.lsp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.stream.RemoteStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PartialResultsTest {
  /** A stream of the same item, again and again. */
  private static RemoteStream<Json> repeated(Json item, int times) {
    return subscriber -> {
      boolean[] cancelled = new boolean[1];
      subscriber.onSubscribe(new Flow.Subscription() {
        @Override
        public void request(long items) {}

        @Override
        public void cancel() {
          cancelled[0] = true;
        }
      });
      for (int i = 0; i < times && !cancelled[0]; i++) {
        subscriber.onNext(item);
      }
      if (!cancelled[0]) {
        subscriber.onComplete();
      }
    };
  }

  private static CompletableFuture<PartialResults<Integer>> collect(int characters, int times) {
    Json item = Json.of("x".repeat(characters));
    return PartialResults.collect(repeated(item, times), Json::length);
  }

  @Test
  void theItemsAreRead() throws Exception {
    PartialResults<Integer> results = collect(8, 3).get(60, TimeUnit.SECONDS);

    assertThat(results.items()).containsExactly(10, 10, 10);
    assertThat(results.isComplete()).isTrue();
  }

  @Test
  void moreItemsThanTheLimitFail() throws Exception {
    assertThat(collect(1, 100_000).get(60, TimeUnit.SECONDS).items()).hasSize(100_000);
    assertThatThrownBy(() -> collect(1, 100_001).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LimitException.class)
        .hasMessageContaining("100000");
  }

  @Test
  void moreBytesThanTheLimitFail() throws Exception {
    int half = (32 << 20) - 2; // without the quotes
    assertThat(collect(half, 2).get(60, TimeUnit.SECONDS).items()).hasSize(2);
    assertThatThrownBy(() -> collect(half, 3).get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LimitException.class)
        .hasMessageContaining("partialResultBytes");
  }
}
