package dev.repartee;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** stub */
public class CallFuture<T extends @Nullable Object> extends CompletableFuture<T> {
  CallFuture() {}

  /** Waits. */
  public T await() {
    throw new UnsupportedOperationException();
  }
}
