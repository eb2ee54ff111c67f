package dev.repartee;

import static java.util.Comparator.comparingInt;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The {@link Binder}s that are installed, looked for when the first type needs one. */
final class Binders {
  /** Loaded once, by the first thread that comes here. */
  private static final class Installed {
    static final List<Binder> ALL = load();

    private static List<Binder> load() {
      List<Binder> all = Providers.of(Binder.class);
      all.sort(comparingInt(Binder::order).thenComparing(b -> b.getClass().getName()));
      return all;
    }
  }

  private Binders() {}

  /** How a binder reads and writes a record that bears these annotations; null if none claims it. */
  static @Nullable JsonType<?> claim(Type type, Set<Class<? extends Annotation>> annotations) {
    if (annotations.isEmpty()) {
      return null; // nothing to look for binders for
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
   * How some binder reads and writes that type.
   *
   * @throws IllegalArgumentException if none knows it
   */
  static JsonType<?> bind(Type type) {
    for (Binder binder : Installed.ALL) {
      @Nullable JsonType<?> bound = binder.bind(type);
      if (bound != null) {
        return bound;
      }
    }
    throw new IllegalArgumentException("nothing knows how "
        + type.getTypeName()
        + " looks as JSON: put a Binder (repartee-jackson) on the class path, or use"
        + " dev.repartee.Json");
  }
}
