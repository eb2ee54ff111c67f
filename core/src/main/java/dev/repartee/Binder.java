package dev.repartee;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Binds the types that this module does not bind itself: whatever is not a scalar, a string, {@link
 * Json}, an array, a list, a map or a plain record of these. Found by {@link
 * java.util.ServiceLoader} (in a module: {@code provides dev.repartee.Binder with ...}), and only
 * when the first such type is met. Thread-safe. Where several know a type, the first found binds it.
 */
public interface Binder {
  /**
   * How to read and write that type, or null if this binder does not know it. The answer may be kept
   * for as long as the type is.
   */
  @Nullable JsonType<?> bind(Type type);

  /**
   * Whether a record that bears such an annotation, be it on itself, on an interface of it or on any
   * of its members, is for this binder, and not one that is read here. Asked for annotations that are
   * neither Java's nor Repartee's.
   */
  default boolean claims(Class<? extends Annotation> annotation) {
    return false;
  }

  /**
   * The place among all binders, which are asked from the lowest to the highest and, where that is the
   * same, by the name of their class; the first that knows a type binds it.
   */
  default int order() {
    return 0;
  }
}
