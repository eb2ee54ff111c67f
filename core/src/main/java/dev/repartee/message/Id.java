package dev.repartee.message;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A request id (JSON-RPC 2.0 section 4): a string, a number or null. Keeps the literal that its
 * sender wrote, and compares by it.
 *
 * <p>With an envelope such as JSON-RPC 1.0 the id of a received request may be any JSON value.
 *
 * <p>{@code 1}, {@code "1"}, {@code 1.0} and {@code 12345678901234567890} are four different ids.
 * Each is sent back exactly as it was received. Immutable.
 */
public final class Id {
  /** The id {@code null}, as in the response to a message without a readable id. */
  public static final Id NULL = new Id(Json.NULL);

  private final Json literal;

  private Id(Json literal) {
    this.literal = literal;
  }

  /** Returns a number as an id. */
  public static Id of(long id) {
    return new Id(Json.of(id));
  }

  /** Returns a string as an id. */
  public static Id of(String id) {
    return new Id(Json.of(id));
  }

  /**
   * Returns a JSON value as an id.
   *
   * @throws IllegalArgumentException if the value is not a string, a number or null
   */
  public static Id of(Json literal) {
    return switch (literal.kind()) {
      case STRING, NUMBER -> new Id(literal);
      case NULL -> NULL;
      default ->
        throw new IllegalArgumentException("an id is a string, a number or null, not " + literal);
    };
  }

  /** Returns the id of a received message: in envelopes such as JSON-RPC 1.0 any value. */
  public static Id received(Json literal) {
    return literal.isNull() ? NULL : new Id(literal);
  }

  /** Returns the id as a JSON value. */
  public Json json() {
    return literal;
  }

  /** Returns whether this is the id {@code null}. */
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

  /** Returns the JSON literal: {@code 1}, {@code "1"}. */
  @Override
  public String toString() {
    return literal.toString();
  }
}
