package dev.repartee.stream.flow;

import dev.repartee.internal.UserCode;
import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/** The forms of a stream that a handler may return. For the engine. */
public final class Publishers {
  private Publishers() {}

  /** Returns whether a result of this type is a stream of items. */
  public static boolean isStream(Class<?> type) {
    return Flow.Publisher.class.isAssignableFrom(type)
        || BaseStream.class.isAssignableFrom(type)
        || Iterator.class.isAssignableFrom(type);
  }

  /** Returns whether a value is a stream of items. */
  public static boolean isStream(@Nullable Object value) {
    return value instanceof Flow.Publisher
        || value instanceof BaseStream
        || value instanceof Iterator;
  }

  /**
   * Returns a stream as a publisher for one subscriber. An iteration runs on the executor while
   * there is demand, and keeps no thread in between. A {@link BaseStream}, and an iterator that is
   * {@link AutoCloseable}, is closed at its end.
   *
   * @throws IllegalArgumentException if the value is not a stream
   */
  public static Flow.Publisher<?> of(@Nullable Object value, Executor executor) {
    if (value instanceof Flow.Publisher<?> publisher) {
      return publisher;
    } else if (value instanceof BaseStream<?, ?> stream) {
      return new Iteration<>(stream.iterator(), stream, executor);
    } else if (value instanceof Iterator<?> iterator) {
      return new Iteration<>(
          iterator, iterator instanceof AutoCloseable source ? source : null, executor);
    }
    throw new IllegalArgumentException("a stream is a Flow.Publisher, Stream or Iterator, not "
        + (value == null ? "null" : "a " + value.getClass().getTypeName()));
  }

  /** Releases a stream that will have no subscriber. A publisher may have others, and stays. */
  public static void discard(@Nullable Object value) {
    if ((value instanceof BaseStream || value instanceof Iterator)
        && value instanceof AutoCloseable source) {
      UserCode.close(source);
    }
  }
}
