package dev.repartee.internal.reflect;

import java.lang.reflect.Array;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Replaces type variables by their types. */
public final class Generics {
  /**
   * The limit of nested types. A finite type has fewer levels; a generic record can grow without
   * end, as in {@code record R<T>(R<List<T>> next)}.
   */
  public static final int DEPTH = 32;

  /** A class with its type arguments; unlike the JDK's, a record with equals and hashCode. */
  public record Parameterized(Class<?> raw, List<Type> arguments) implements ParameterizedType {
    @Override
    public Type[] getActualTypeArguments() {
      return arguments.toArray(Type[]::new);
    }

    @Override
    public Type getRawType() {
      return raw;
    }

    @Override
    public @Nullable Type getOwnerType() {
      return raw.getDeclaringClass();
    }

    @Override
    public String toString() {
      return raw.getTypeName()
          + arguments.stream().map(Type::getTypeName).collect(Collectors.joining(", ", "<", ">"));
    }
  }

  /** The types of the type variables. */
  private final Map<TypeVariable<?>, Type> known = new HashMap<>();

  /**
   * Returns the types of all type variables that a type without variables fixes: the variables of
   * its class and of all its supertypes.
   */
  public static Generics above(Type type) {
    Class<?> raw = raw(type);
    Generics generics =
        type instanceof ParameterizedType p ? of(raw, p.getActualTypeArguments()) : new Generics();
    generics.climb(raw);
    return generics;
  }

  private void climb(Class<?> type) {
    Stream.concat(
            Stream.ofNullable(type.getGenericSuperclass()), Stream.of(type.getGenericInterfaces()))
        .forEach(parent -> {
          if (parent instanceof ParameterizedType p && p.getRawType() instanceof Class<?> raw) {
            bind(raw, p.getActualTypeArguments());
          }
          climb(raw(parent));
        });
  }

  /** Returns the types of a class's own type variables for the given type arguments. */
  public static Generics of(Class<?> raw, Type[] arguments) {
    Generics generics = new Generics();
    generics.bind(raw, arguments);
    return generics;
  }

  private void bind(Class<?> raw, Type[] arguments) {
    TypeVariable<?>[] variables = raw.getTypeParameters();
    for (int i = 0; i < arguments.length; i++) {
      known.put(variables[i], substitute(arguments[i]));
    }
  }

  /** Returns the type without variables and wildcards; an unknown one becomes its upper bound. */
  public Type substitute(Type type) {
    return substitute(type, 0);
  }

  private Type substitute(Type type, int depth) {
    if (depth > DEPTH) {
      return Object.class; // a bound that refers to its own variable: T extends Comparable<T>
    }
    if (type instanceof ParameterizedType p) {
      Stream<Type> arguments = Stream.of(p.getActualTypeArguments());
      return new Parameterized(
          raw(p), arguments.map(a -> substitute(a, depth + 1)).toList());
    } else if (type instanceof GenericArrayType array) {
      Type component = substitute(array.getGenericComponentType(), depth + 1);
      return component instanceof Class<?> c ? c.arrayType() : new ArrayOf(component);
    } else if (type instanceof WildcardType wildcard) {
      return substitute(wildcard.getUpperBounds()[0], depth + 1);
    } else if (type instanceof TypeVariable<?> variable) {
      Type bound = known.get(variable);
      return bound != null ? bound : substitute(variable.getBounds()[0], depth + 1);
    }
    return type;
  }

  /** An array of a generic type. */
  private record ArrayOf(Type component) implements GenericArrayType {
    @Override
    public Type getGenericComponentType() {
      return component;
    }

    @Override
    public String toString() {
      return component.getTypeName() + "[]";
    }
  }

  /** Returns the erasure of a type without variables. */
  public static Class<?> raw(Type type) {
    if (type instanceof ParameterizedType p) {
      return raw(p.getRawType());
    }
    return type instanceof GenericArrayType array
        ? Array.newInstance(raw(array.getGenericComponentType()), 0).getClass()
        : (Class<?>) type;
  }
}
