package dev.repartee;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One request or notification on its way through the responder. */
final class Exchange {
  byte[] bytes = new byte[0];
  int paramsFrom;
  int paramsTo;

  /** Room for the places of arguments: two numbers each, the start and the end in {@link #bytes}. */
  int[] spans = new int[16];

  int[] spans(int arguments) {
    if (spans.length < 2 * arguments) {
      spans = new int[2 * arguments];
    }
    return spans;
  }

  Call call() {
    throw new UnsupportedOperationException();
  }

  void result(int value) {
    result((long) value);
  }

  void result(long value) {
    throw new UnsupportedOperationException();
  }

  void result(double value) {
    throw new UnsupportedOperationException();
  }

  void result(float value) {
    throw new UnsupportedOperationException();
  }

  void result(boolean value) {
    throw new UnsupportedOperationException();
  }

  <T extends @Nullable Object> void result(JsonType<T> type, T value) {
    throw new UnsupportedOperationException();
  }

  void nothing() {
    throw new UnsupportedOperationException();
  }

  <T extends @Nullable Object> void stage(JsonType<T> type, @Nullable CompletionStage<T> stage) {
    throw new UnsupportedOperationException();
  }
}
