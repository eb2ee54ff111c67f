package dev.repartee.json;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A binder of one class; see {@link Binder#of}.
 *
 * @param type the class, not a primitive one: core reads and writes primitives without a mapping
 */
record ClassBinder(Class<?> type, JsonType<?> mapping) implements Binder {
  ClassBinder {
    if (type.isPrimitive()) {
      throw new IllegalArgumentException(
          "no binder can replace the primitive type " + type + "; use your own class");
    }
  }

  @Override
  public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
    return type == this.type ? mapping : null;
  }

  @Override
  public boolean replaces(Class<?> type) {
    return type == this.type;
  }
}
