package dev.repartee.json;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Binds Java types to JSON that this module does not bind itself: all types except scalars,
 * strings, {@link Json}, arrays, lists, maps and plain records of these.
 *
 * <p>Binders are found by {@link java.util.ServiceLoader} (in a module: {@code provides
 * dev.repartee.json.Binder with ...}). They are loaded when the first type needs one. If several
 * binders know a type, the one with the lowest {@link #order()} binds it. Implementations must be
 * thread-safe.
 */
public interface Binder {
  /**
   * Returns the reader and writer of a type; null if this binder does not know the type. The result
   * may be cached for the lifetime of the type.
   */
  @Nullable JsonType<?> bind(Type type);

  /**
   * Returns whether this binder binds the records that have this annotation: on the record, on one
   * of its interfaces or on one of its members. All other records are bound by this module. Called
   * only for annotations that belong neither to Java nor to Repartee.
   */
  default boolean claims(Class<? extends Annotation> annotation) {
    return false;
  }

  /**
   * Returns the installed binders in the order in which they are asked, for a binder that has to
   * leave types inside of its own to others. Do not call it in the constructor of a binder.
   */
  static List<Binder> installed() {
    return Binders.installed();
  }

  /**
   * Returns the priority of this binder. Binders are asked in ascending order, and binders with the
   * same order by class name. The first one that knows a type binds it.
   */
  default int order() {
    return 0;
  }
}
