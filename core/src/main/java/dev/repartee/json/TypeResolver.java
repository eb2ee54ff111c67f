package dev.repartee.json;

import dev.repartee.internal.Access;
import dev.repartee.internal.Generics;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@link JsonType} of one Java type and of all types it contains. An instance resolves
 * one type.
 */
final class TypeResolver {
  /**
   * The records met so far. A record that contains itself, directly or not, finds its own type
   * here.
   */
  private final Map<Type, RecordType<?>> records = new HashMap<>();

  /** The records of this resolution, each after the records that it contains. */
  private final List<RecordType<?>> inside = new ArrayList<>();

  private int depth;

  /** Resolves a type as {@link Types#of(Type)} does, without its cache. */
  static JsonType<?> resolve(Type type) {
    TypeResolver resolver = new TypeResolver();
    JsonType<?> resolved = resolver.type(new Generics().substitute(type));
    resolver.inside.forEach(RecordType::complete);
    return resolved;
  }

  @SuppressWarnings("unchecked") // a JsonType is only used with the Java type it was made from
  private JsonType<@Nullable Object> type(Type type) {
    if (++depth > Generics.DEPTH) {
      throw new IllegalArgumentException(type.getTypeName() + " holds types without end");
    }
    Class<?> raw = Generics.raw(type);
    Type[] arguments =
        type instanceof ParameterizedType p ? p.getActualTypeArguments() : objects(raw);
    JsonType<?> resolved = builtIn(type, raw, arguments);
    depth--;
    return (JsonType<@Nullable Object>) (resolved != null ? resolved : Binders.bind(type));
  }

  /** Returns the type arguments of a raw class: the bounds of its type variables. */
  private static Type[] objects(Class<?> raw) {
    Generics nothing = new Generics();
    return Stream.of(raw.getTypeParameters()).map(nothing::substitute).toArray(Type[]::new);
  }

  private @Nullable JsonType<?> builtIn(Type type, Class<?> raw, Type[] arguments) {
    JsonType<?> plain = raw == Object.class ? NaturalType.INSTANCE : ScalarType.of(raw);
    if (plain != null) {
      return plain;
    } else if (type instanceof GenericArrayType array) {
      return new ArrayType(raw.getComponentType(), type(array.getGenericComponentType()));
    } else if (raw.isArray()) {
      return new ArrayType(raw.getComponentType(), type(raw.getComponentType()));
    } else if (raw == Optional.class) {
      return OptionalType.of(type(arguments[0]));
    } else if (OptionalType.is(raw)) {
      return OptionalType.of(raw);
    } else if (Map.class.isAssignableFrom(raw)) {
      boolean ours = raw.isAssignableFrom(LinkedHashMap.class) && isName(arguments[0]);
      return ours ? new MapType<>(type(arguments[1])) : null;
    } else if (Iterable.class.isAssignableFrom(raw)) {
      boolean list = raw.isAssignableFrom(ArrayList.class);
      boolean set = raw.isAssignableFrom(LinkedHashSet.class);
      return list || set ? new ListType<>(!list, type(arguments[0])) : null;
    }
    return raw.isRecord() ? record(type, raw, arguments) : null;
  }

  private static boolean isName(Type key) {
    return key == String.class || key == CharSequence.class || key == Object.class;
  }

  private JsonType<?> record(Type type, Class<?> raw, Type[] arguments) {
    RecordType<?> known = records.get(type);
    if (known != null) {
      return known;
    }
    JsonType<?> claimed = Binders.claim(type, Annotations.foreign(raw));
    if (claimed != null) {
      return claimed;
    }
    RecordComponent[] components = raw.getRecordComponents();
    RecordType<?> made = new RecordType<>(constructor(raw, components));
    records.put(type, made);
    Generics generics = Generics.of(raw, arguments);
    List<Component> described = new ArrayList<>();
    for (RecordComponent component : components) {
      described.add(component(raw, component, described.size(), generics));
    }
    made.describe(described);
    inside.add(made);
    return made;
  }

  private Component component(
      Class<?> raw, RecordComponent component, int slot, Generics generics) {
    Type type = generics.substitute(component.getGenericType());
    Param param = component.getAnnotation(Param.class);
    String where = raw.getTypeName() + ": component '" + component.getName() + "'";
    try {
      JsonType<@Nullable Object> mapping = type(type);
      return new Component(
          param == null || param.value().isEmpty() ? component.getName() : param.value(),
          slot,
          mapping,
          param == null || param.defaultsTo().isEmpty()
              ? mapping.absent()
              : Json.parse(param.defaultsTo()),
          param == null ? "" : param.description(),
          Access.handle(component.getAccessor()));
    } catch (IllegalArgumentException | JsonException e) {
      throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
    }
  }

  private static MethodHandle constructor(Class<?> raw, RecordComponent[] components) {
    try {
      Class<?>[] types =
          Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
      Constructor<?> constructor = raw.getDeclaredConstructor(types);
      constructor.trySetAccessible();
      return MethodHandles.lookup().unreflectConstructor(constructor).asFixedArity();
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw Access.refused(raw, "the constructor of " + raw.getTypeName(), e);
    }
  }
}
