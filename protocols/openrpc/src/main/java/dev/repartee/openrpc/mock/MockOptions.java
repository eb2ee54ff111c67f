package dev.repartee.openrpc.mock;

import java.util.function.BiConsumer;

/** The options of a {@link MockService}. Immutable. */
public final class MockOptions {
  /** Seed 0, three items of each stream, and warnings that are dropped. */
  public static final MockOptions DEFAULT = new MockOptions(0, 3, (method, warning) -> {});

  private final long seed;
  private final int items;
  private final BiConsumer<String, String> warnings;

  private MockOptions(long seed, int items, BiConsumer<String, String> warnings) {
    this.seed = seed;
    this.items = items;
    this.warnings = warnings;
  }

  /**
   * Returns these options with a seed of the generated values. The same document and seed give the
   * same values.
   */
  public MockOptions seed(long seed) {
    return new MockOptions(seed, items, warnings);
  }

  /**
   * Returns these options with the number of items of each stream.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  public MockOptions items(int items) {
    if (items < 0) {
      throw new IllegalArgumentException("a stream cannot have " + items + " items");
    }
    return new MockOptions(seed, items, warnings);
  }

  /**
   * Returns these options with a receiver of warnings: the name of a method and a sentence about
   * it. {@link MockService#of} calls it, on its thread.
   */
  public MockOptions warnings(BiConsumer<String, String> warnings) {
    return new MockOptions(seed, items, warnings);
  }

  long seed() {
    return seed;
  }

  int items() {
    return items;
  }

  void warn(String method, String warning) {
    warnings.accept(method, warning);
  }
}
