package dev.repartee.security;

import java.util.concurrent.CompletableFuture;

/** The source of a JWK set. Thread-safe; nothing blocks. */
interface KeySource {
  /**
   * Returns the present keys. The stage fails with a refusal if there are none, because the source
   * was never read, or not for long.
   */
  CompletableFuture<KeySet> current();

  /**
   * Returns the keys for a token with a key that is not in a set, read again if this is due.
   *
   * @param missed the set without the key
   * @return a stage of {@code missed} itself if there are no other keys. It fails with a refusal if
   *     the source cannot be read
   */
  CompletableFuture<KeySet> after(KeySet missed);

  /** Returns the keys of a file. */
  static KeySource of(WatchedFile<KeySet> file) {
    return new KeySource() {
      @Override
      public CompletableFuture<KeySet> current() {
        return CompletableFuture.completedFuture(file.value());
      }

      @Override
      public CompletableFuture<KeySet> after(KeySet missed) {
        return CompletableFuture.completedFuture(missed);
      }
    };
  }
}
