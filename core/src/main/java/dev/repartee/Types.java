package dev.repartee;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

final class Types {
  private Types() {}

  static <T> JsonType<T> of(Class<T> type) {
    throw new UnsupportedOperationException();
  }

  static JsonType<?> of(Type type) {
    throw new UnsupportedOperationException();
  }

  static void write(Output out, @Nullable Object value) {
    throw new UnsupportedOperationException();
  }
}
