package dev.repartee.stream;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of items of the other side. Nothing is sent before a subscriber subscribes. Each
 * subscriber gets a separate stream, with the same params.
 *
 * <p>A subscriber gets its signals one after the other, on threads that may block. Cancelling the
 * subscription ends the stream at the other side. {@code onError} receives the failures of a call:
 * an {@code RpcException} if the other side ended the stream with an error, a {@link
 * dev.repartee.transport.DisconnectedException} if the connection has ended, a {@link
 * dev.repartee.json.JsonException} if an item does not fit the type, a {@link LaggedException}
 * under {@link Overflow#CLOSE}.
 *
 * @param <T> the type of the items
 */
public interface RemoteStream<T> extends Flow.Publisher<T> {
  /**
   * Opens a stream and passes each item to a consumer, which may block: under {@link Overflow#WAIT}
   * the other side waits for it.
   *
   * @return a future that completes with null after the last item, or fails as {@code onError}
   *     does. Do not wait for it on a {@linkplain dev.repartee.transport.ReadingThread thread that
   *     reads}. Completing it early, for example with {@code cancel}, ends the stream. An exception
   *     of the consumer ends the stream, and the future fails with it
   */
  default CompletableFuture<@Nullable Void> forEach(Consumer<? super T> consumer) {
    ForEach<T> each = new ForEach<>(consumer);
    subscribe(each);
    return each.done;
  }
}
