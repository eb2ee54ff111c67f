package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A request id as the literal its sender chose (JSON-RPC 2.0 section 4): a string, a number or null.
 *
 * <p>{@code 1}, {@code "1"}, {@code 1.0} and {@code 12345678901234567890} are four different ids,
 * and each goes back exactly as it came.
 */
public final class Id {
  /** {@code null}: the id of an answer to a message whose id could not be read. */
  public static final Id NULL = new Id(Json.NULL);

  private final Json literal;

  private Id(Json literal) {
    this.literal = literal;
  }

  /** A number. */
  public static Id of(long id) {
    return new Id(Json.of(id));
  }

  /** A string. */
  public static Id of(String id) {
    return new Id(Json.of(id));
  }

  /**
   * The literal as it stands in JSON.
   *
   * @throws IllegalArgumentException if it is not a string, a number or null
   */
  public static Id of(Json literal) {
    return switch (literal.kind()) {
      case STRING, NUMBER -> new Id(literal);
      case NULL -> NULL;
      default ->
        throw new IllegalArgumentException("an id is a string, a number or null, not " + literal);
    };
  }

  /** The literal. */
  public Json json() {
    return literal;
  }

  /** Whether this is {@code null}. */
  public boolean isNull() {
    return literal.isNull();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Id id && literal.equals(id.literal);
  }

  @Override
  public int hashCode() {
    return literal.hashCode();
  }

  /** The literal as text: {@code 1}, {@code "1"}. */
  @Override
  public String toString() {
    return literal.toString();
  }
}
