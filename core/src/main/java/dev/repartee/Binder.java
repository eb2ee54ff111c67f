package dev.repartee;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Binds the types that this module does not bind itself: whatever is not a scalar, a string, {@link
 * Json}, an array, a list, a map or a plain record of these. Found by {@link
 * java.util.ServiceLoader}, and only when the first such type is met.
 */
public interface Binder {
  /** How to read and write that type, or null if this binder does not know it. */
  @Nullable JsonType<?> bind(Type type);
}
