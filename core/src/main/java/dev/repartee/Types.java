package dev.repartee;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

final class Types {
  /** Writes whatever comes, by its class at run time. */
  static final JsonType<@Nullable Object> DYNAMIC =
      new JsonType<>() {
        @Override
        public @Nullable Object read(byte[] bytes, int from, int to) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void write(Output out, @Nullable Object value) {
          Types.write(out, value);
        }
      };

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
