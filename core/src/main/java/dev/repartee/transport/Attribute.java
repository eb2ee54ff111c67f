package dev.repartee.transport;

/**
 * A typed key of {@link Attributes}. Each key is different from all others, also from a key with
 * the same name. Only code that has the key can read or replace the value.
 *
 * @param <T> the type of the value
 */
public final class Attribute<T> {
  private final String name;

  private Attribute(String name) {
    this.name = name;
  }

  /** Creates a key. The name is for people; see {@link #toString}. */
  public static <T> Attribute<T> named(String name) {
    return new Attribute<>(name);
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
