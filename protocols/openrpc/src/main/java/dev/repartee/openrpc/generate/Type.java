package dev.repartee.openrpc.generate;

import dev.repartee.json.Json;

/** A type of values, without the conventions of a language. */
sealed interface Type {
  Any ANY = new Any();

  /** Any JSON value. */
  record Any() implements Type {}

  /** A string, number, boolean or null. */
  enum Scalar implements Type {
    STRING,
    INTEGER,
    NUMBER,
    BOOLEAN,
    NULL
  }

  /** One value; in languages without such types the type of this value. */
  record Constant(Json value) implements Type {
    /** Returns the type of the value. */
    Type general() {
      return switch (value.kind()) {
        case STRING -> Scalar.STRING;
        case NUMBER -> SchemaShape.isInteger(value) ? Scalar.INTEGER : Scalar.NUMBER;
        case BOOLEAN -> Scalar.BOOLEAN;
        case NULL -> Scalar.NULL;
        case ARRAY -> new ListOf(ANY);
        case OBJECT -> new MapOf(ANY);
      };
    }
  }

  /** An array. */
  record ListOf(Type items) implements Type {}

  /** An object whose members all have one type. */
  record MapOf(Type values) implements Type {}

  /** A value of a type, or null. */
  record OrNull(Type type) implements Type {
    static Type of(Type type) {
      return type instanceof OrNull || type instanceof Any || type == Scalar.NULL
          ? type
          : new OrNull(type);
    }
  }

  /** A declared type. */
  record Named(Declaration declaration) implements Type {}

  /** Returns this type without null as a value. */
  default Type present() {
    return this instanceof OrNull nullable ? nullable.type : this;
  }

  /** Returns whether null is a value. */
  default boolean allowsNull() {
    return this instanceof OrNull
        || this == Scalar.NULL
        || this instanceof Named named
            && named.declaration.body() instanceof Body.Alias alias
            && alias.type() instanceof OrNull;
  }
}
