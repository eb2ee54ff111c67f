package dev.repartee.json;

import static java.util.Comparator.comparingInt;

import dev.repartee.internal.Providers;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The binders of a registry: its own and the installed ones, which are loaded when the first type
 * needs one.
 */
final class Binders {
  /** Loads the installed binders once, when this class is initialized. */
  private static final class Installed {
    static final List<Binder> ALL = load();

    private static List<Binder> load() {
      List<Binder> all = Providers.of(Binder.class);
      all.sort(comparingInt(Binder::order).thenComparing(b -> b.getClass().getName()));
      return List.copyOf(all);
    }
  }

  /** The binders that were given to the registry, the last one first. */
  private final List<Binder> own;

  /** All binders in the order of their priority; null until they are needed. */
  private volatile @Nullable List<Binder> all;

  Binders(List<Binder> own) {
    this.own = List.copyOf(own);
  }

  /** Returns whether there are only installed binders. */
  boolean areInstalled() {
    return own.isEmpty();
  }

  Binders with(Binder binder) {
    List<Binder> more = new ArrayList<>();
    more.add(binder);
    more.addAll(own);
    return new Binders(more);
  }

  List<Binder> all() {
    List<Binder> known = all;
    if (known == null) {
      List<Binder> found = new ArrayList<>(own);
      found.addAll(Installed.ALL);
      found.sort(comparingInt(Binder::order)); // stable: own binders remain before installed ones
      known = List.copyOf(found);
      all = known;
    }
    return known;
  }

  /**
   * Returns the binding of a class by the binder that replaces core's mapping; null if none does.
   */
  @Nullable JsonType<?> replacement(Type type, Class<?> raw, JsonTypes types) {
    for (Binder binder : own) {
      JsonType<?> bound =
          !raw.isPrimitive() && binder.replaces(raw) ? binder.bind(type, types) : null;
      if (bound != null) {
        return bound;
      }
    }
    return null;
  }

  /**
   * Returns the binding of a record with these annotations; null if no binder claims the record.
   */
  @Nullable JsonType<?> claim(Type type, Set<Class<? extends Annotation>> annotations, JsonTypes types) {
    if (annotations.isEmpty()) {
      return null; // does not load the binders
    }
    for (Binder binder : all()) {
      JsonType<?> bound =
          annotations.stream().anyMatch(binder::claims) ? binder.bind(type, types) : null;
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
  JsonType<?> bind(Type type, JsonTypes types) {
    JsonType<?> bound = find(type, types);
    if (bound != null) {
      return bound;
    }
    throw new IllegalArgumentException("cannot bind "
        + type.getTypeName()
        + " to JSON: no Binder knows it; give one to the options or the service, "
        + (hasJackson() ? "" : "put repartee-jackson on the class path for more types, ")
        + "or use dev.repartee.json.Json");
  }

  /** Returns the binding of a type by the first binder that knows it; null if none does. */
  @Nullable JsonType<?> find(Type type, JsonTypes types) {
    for (Binder binder : all()) {
      JsonType<?> bound = binder.bind(type, types);
      if (bound != null) {
        return bound;
      }
    }
    return null;
  }

  private static boolean hasJackson() {
    return Installed.ALL.stream()
        .anyMatch(binder -> binder.getClass().getName().startsWith("dev.repartee.jackson."));
  }

  /** Returns a binder of exactly one class; see {@link Binder#of}. */
  static Binder of(Class<?> type, JsonType<?> mapping) {
    return new OfClass(type, mapping);
  }

  /**
   * A binder of one class; see {@link Binder#of}.
   *
   * @param type the class, not a primitive one: core reads and writes primitives without a mapping
   */
  private record OfClass(Class<?> type, JsonType<?> mapping) implements Binder {
    OfClass {
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
}
