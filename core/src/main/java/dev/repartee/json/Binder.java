package dev.repartee.json;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Base64;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Binds Java types to JSON that this module does not bind itself: all types except scalars,
 * strings, {@link Json}, arrays, lists, maps and plain records of these, and sealed interfaces with
 * {@link OneOf}. An enum that no binder knows is its name.
 *
 * <p>A binder is given to an endpoint ({@code Options.Builder.binder}) or to a {@link JsonTypes},
 * or it is installed for the whole process: {@link java.util.ServiceLoader} finds it (in a module:
 * {@code provides dev.repartee.json.Binder with ...}). Installed binders are loaded when the first
 * type needs one. If several binders know a type, the one with the lowest {@link #order()} binds
 * it. Implementations must be thread-safe.
 *
 * <p>{@link #of} and {@link #text} make binders of one class:
 *
 * <pre>{@code
 * Binder hex = Binder.text(
 *     Quantity.class, "a quantity such as 0x1f", Quantity::parse, Quantity::toString);
 * Options options = Options.builder().binder(hex).build();
 * }</pre>
 */
public interface Binder {
  /**
   * Returns the reader and writer of a type; null if this binder does not know the type. The result
   * may be cached for the lifetime of the type.
   *
   * @param types the registry that asks. Types inside of the type are its to bind; do not resolve
   *     the type itself with it
   */
  @Nullable JsonType<?> bind(Type type, JsonTypes types);

  /**
   * Returns whether this binder binds the records that have this annotation: on the record, on one
   * of its interfaces or on one of its members. All other records are bound by this module. Called
   * only for annotations that belong neither to Java nor to Repartee.
   */
  default boolean claims(Class<? extends Annotation> annotation) {
    return false;
  }

  /**
   * Returns whether this binder, and not this module, binds a class such as {@code byte[]} or a
   * record. Called for the binders that were given to a {@link JsonTypes}, not for installed ones,
   * and never for primitive types.
   */
  default boolean replaces(Class<?> type) {
    return false;
  }

  /**
   * Returns the priority of this binder. Binders are asked in ascending order. Of binders with the
   * same order those given to the registry are asked before the installed ones, and among the given
   * ones the last; installed ones are asked by class name. The first binder that knows a type binds
   * it.
   */
  default int order() {
    return 0;
  }

  /**
   * Returns a binder of exactly one class, without its subclasses. Given to a registry, it also
   * replaces the mapping that this module has for the class.
   *
   * @throws IllegalArgumentException if the class is a primitive type
   */
  static <T> Binder of(Class<T> type, JsonType<? extends @Nullable T> mapping) {
    return Binders.of(type, mapping);
  }

  /**
   * Returns a binder of exactly one class with values that are strings, as {@link #of} does. If
   * {@code read} throws an exception, the value is refused as one that does not fit the type. JSON
   * {@code null} is Java's null.
   *
   * @param form the form of the strings for error messages, such as {@code "a quantity such as
   *     0x1f"}
   * @param read makes a value of the text; throws an exception for a text in another form
   * @param write returns the text of a value
   * @throws IllegalArgumentException if the class is a primitive type
   */
  static <T> Binder text(
      Class<T> type, String form, Function<String, ? extends T> read, Function<T, String> write) {
    return of(type, new TextType<>(form, read, write));
  }

  /**
   * Returns a binder that reads and writes {@code byte[]} as a string in Base64 (RFC 4648 section
   * 4) instead of an array of numbers.
   */
  static Binder base64() {
    return text(
        byte[].class,
        "a string in Base64",
        Base64.getDecoder()::decode,
        Base64.getEncoder()::encodeToString);
  }
}
