package dev.repartee.json;

import static java.util.Comparator.comparingInt;

import dev.repartee.internal.Providers;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The installed {@link Binder}s, which are loaded when the first type needs one. */
final class Binders {
  /** Loads the binders once, when this class is initialized. */
  private static final class Installed {
    static final List<Binder> ALL = load();

    private static List<Binder> load() {
      List<Binder> all = Providers.of(Binder.class);
      all.sort(comparingInt(Binder::order).thenComparing(b -> b.getClass().getName()));
      return List.copyOf(all);
    }
  }

  private Binders() {}

  static List<Binder> installed() {
    return Installed.ALL;
  }

  /**
   * Returns the binding of a record with these annotations; null if no binder claims the record.
   */
  static @Nullable JsonType<?> claim(Type type, Set<Class<? extends Annotation>> annotations) {
    if (annotations.isEmpty()) {
      return null; // does not load the binders
    }
    for (Binder binder : Installed.ALL) {
      JsonType<?> bound = annotations.stream().anyMatch(binder::claims) ? binder.bind(type) : null;
      if (bound != null) {
        return bound;
      }
    }
    return null;
  }

  /**
   * Returns the binding of a type by the first binder that knows it.
   *
   * @throws IllegalArgumentException if no binder knows the type
   */
  static JsonType<?> bind(Type type) {
    for (Binder binder : Installed.ALL) {
      @Nullable JsonType<?> bound = binder.bind(type);
      if (bound != null) {
        return bound;
      }
    }
    throw new IllegalArgumentException("cannot bind "
        + type.getTypeName()
        + " to JSON: put a Binder (repartee-jackson) on the class path, or use"
        + " dev.repartee.json.Json");
  }
}
