package dev.repartee.benchmarks.soak;

import dev.repartee.Rpc;
import dev.repartee.RpcException;
import dev.repartee.stream.Streamed;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The methods with streams that a soak calls. Thread-safe. */
public final class StreamMethods {
  /** The code of the error that ends a broken stream. */
  static final int BROKEN = 7;

  /** The streams that were given to the engine, and those that it has closed. */
  final LongAdder opened = new LongAdder();

  final LongAdder closed = new LongAdder();

  StreamMethods() {}

  /** Returns the item with this number: the number, and {@code size} further characters. */
  static String item(int number, int size) {
    return number + " " + "x".repeat(size);
  }

  private Stream<String> items(int count, int size) {
    opened.increment();
    return IntStream.range(0, count).mapToObj(i -> item(i, size)).onClose(closed::increment);
  }

  /** A stream of a call. */
  @Rpc
  public Stream<String> rows(int count, int size) {
    return items(count, size);
  }

  /** A stream that ends with an error after {@code count} items. */
  @Rpc
  public Stream<String> broken(int count, int size) {
    return items(count + 1, size).peek(item -> {
      if (item.startsWith(count + " ")) {
        throw new RpcException(BROKEN, "broken");
      }
    });
  }

  /** A subscription. */
  @Rpc
  @Streamed(subscription = "row", unsubscribe = "leave")
  public Stream<String> enter(int count, int size) {
    return items(count, size);
  }
}
