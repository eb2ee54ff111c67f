package dev.repartee.lsp;

import dev.repartee.RemoteRpcException;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.lsp.types.LSPErrorCodes;
import dev.repartee.message.RpcError;
import dev.repartee.stream.RemoteStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The collected partial results of a request; see {@link LspClient#collect}.
 *
 * @param items the items, in order; unmodifiable
 * @param isComplete whether these are all results; false if the request was cancelled
 */
public record PartialResults<T>(List<T> items, boolean isComplete) {
  private static final int MOST = 100_000;

  /** The maximum size of the JSON of all items in bytes. */
  private static final int MOST_BYTES = 64 << 20;

  /** Wraps the items. */
  public PartialResults {
    items = Collections.unmodifiableList(items);
  }

  /** Collects the items, which are counted as JSON and then read. */
  static <T> CompletableFuture<PartialResults<T>> collect(
      RemoteStream<Json> stream, Function<Json, T> read) {
    List<T> items = new ArrayList<>(); // written by one thread at a time
    long[] bytes = new long[1];
    CompletableFuture<@Nullable Void> end = stream.forEach(item -> {
      bytes[0] += item.length();
      if (items.size() == MOST) {
        throw new LimitException("partialResults", MOST);
      } else if (bytes[0] > MOST_BYTES) {
        throw new LimitException("partialResultBytes", MOST_BYTES);
      }
      items.add(read.apply(item));
    });
    CompletableFuture<PartialResults<T>> all = end.handle((done, failure) -> {
      if (failure == null) {
        return new PartialResults<>(items, true);
      }
      if (failure instanceof RemoteRpcException refused && isCancelled(refused.code())) {
        return new PartialResults<>(items, false);
      }
      throw failure instanceof RuntimeException unchecked
          ? unchecked
          : new java.util.concurrent.CompletionException(failure);
    });
    all.whenComplete((result, failure) -> {
      if (all.isCancelled()) {
        end.cancel(true);
      }
    });
    return all;
  }

  private static boolean isCancelled(int code) {
    return code == RpcError.CANCELLED || code == LSPErrorCodes.SERVER_CANCELLED.value();
  }
}
