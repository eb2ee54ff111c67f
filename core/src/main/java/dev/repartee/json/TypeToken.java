package dev.repartee.json;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;

/**
 * A generic type that is known at run time: {@code new TypeToken<List<Block>>() {}}. Immutable and
 * thread-safe; two tokens of the same type are equal.
 *
 * @param <T> the type
 */
public abstract class TypeToken<T> {
  private final Type type;

  /**
   * Creates the token of the type argument.
   *
   * @throws IllegalArgumentException if the subclass has no type argument
   */
  protected TypeToken() {
    if (!(getClass().getGenericSuperclass() instanceof ParameterizedType own)
        || own.getRawType() != TypeToken.class) {
      throw new IllegalArgumentException(
          "a TypeToken needs a type argument: new TypeToken<List<String>>() {}");
    }
    this.type = own.getActualTypeArguments()[0];
  }

  /** Returns the type. */
  public final Type type() {
    return type;
  }

  @Override
  public final boolean equals(Object other) {
    return other instanceof TypeToken<?> that && type.equals(that.type);
  }

  @Override
  public final int hashCode() {
    return type.hashCode();
  }

  @Override
  public final String toString() {
    return type.getTypeName();
  }
}
