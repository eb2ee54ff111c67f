package dev.repartee.json;

import dev.repartee.Param;
import dev.repartee.internal.Access;
import dev.repartee.internal.reflect.Generics;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@link JsonType} of one Java type and of all types it contains. An instance resolves
 * one type.
 */
final class TypeResolver {
  /** A type that may contain itself. */
  interface Part {
    /** Draws the schema from the schemas of the parts inside, which are drawn before if possible. */
    void drawSchema();

    /**
     * Checks the type when all schemas are drawn.
     *
     * @throws IllegalArgumentException if the declarations contradict each other
     */
    void check();
  }

  /** The parts met so far. A type that contains itself, directly or not, finds itself here. */
  private final Map<Type, JsonType<?>> met = new HashMap<>();

  /** The parts of this resolution, each after the parts that it contains. */
  private final List<Part> inside = new ArrayList<>();

  private final JsonTypes types;
  private int depth;

  private TypeResolver(JsonTypes types) {
    this.types = types;
  }

  /** Resolves a type as {@link JsonTypes#of(Type)} does, without its cache. */
  static JsonType<?> resolve(Type type, JsonTypes types) {
    TypeResolver resolver = new TypeResolver(types);
    JsonType<?> resolved = resolver.type(new Generics().substitute(type));
    resolver.inside.forEach(Part::drawSchema);
    resolver.inside.forEach(Part::check);
    return resolved;
  }

  /** Returns the type that writes values of a run-time class. */
  static JsonType<?> resolveFound(Class<?> type, JsonTypes types) {
    if (type == Object.class) { // declared as Object, it gets the type that calls this method
      throw new IllegalArgumentException(
          "a plain java.lang.Object has no JSON form: give a value of another class, or null");
    }
    JsonType<?> replaced = types.replacement(type, type);
    if (replaced != null) {
      return replaced;
    } else if (Iterable.class.isAssignableFrom(type) && !iteratesOverItsKind(type, type)) {
      return new ListType<>(false, types.natural());
    } else if (Map.class.isAssignableFrom(type)) {
      return new MapType<>(types.natural());
    } else if (type.isArray() && !type.getComponentType().isPrimitive()) {
      return new ArrayType(Object.class, types.natural());
    } else if (type == Optional.class) {
      return OptionalType.of(types.natural());
    } else if (CharSequence.class.isAssignableFrom(type)) {
      return types.of(CharSequence.class);
    }
    return types.of(type);
  }

  /**
   * Whether a type iterates over elements of this type or of an iterable supertype, as {@code Path}
   * and Jackson's {@code JsonNode} do. Such types are trees with a specific JSON form. Written as
   * lists, their leaves would be empty lists.
   */
  private static boolean iteratesOverItsKind(Class<?> type, @Nullable Type declared) {
    if (declared == null || Collection.class.isAssignableFrom(type)) {
      return false;
    } else if (declared instanceof ParameterizedType p && p.getRawType() == Iterable.class) {
      return p.getActualTypeArguments()[0] instanceof Class<?> element
          && Iterable.class.isAssignableFrom(element)
          && element.isAssignableFrom(type);
    }
    Class<?> raw = Generics.raw(declared);
    return iteratesOverItsKind(type, raw.getGenericSuperclass())
        || Stream.of(raw.getGenericInterfaces()).anyMatch(each -> iteratesOverItsKind(type, each));
  }

  @SuppressWarnings("unchecked") // a JsonType is only used with the Java type it was made from
  private JsonType<@Nullable Object> type(Type type) {
    if (++depth > Generics.DEPTH) {
      throw new IllegalArgumentException(type.getTypeName() + " holds types without end");
    }
    Class<?> raw = enumOr(Generics.raw(type));
    Type[] arguments =
        type instanceof ParameterizedType p ? p.getActualTypeArguments() : objects(raw);
    JsonType<?> replaced = types.replacement(type, raw);
    JsonType<?> resolved = replaced != null ? replaced : builtIn(type, raw, arguments);
    depth--;
    return (JsonType<@Nullable Object>) (resolved != null ? resolved : types.bind(type));
  }

  /** Returns the enum of a constant with a body, which has a class itself; otherwise the class. */
  private static Class<?> enumOr(Class<?> raw) {
    Class<?> parent = raw.getSuperclass();
    return parent != null && parent.isEnum() ? parent : raw;
  }

  /** Returns the type arguments of a raw class: the bounds of its type variables. */
  private static Type[] objects(Class<?> raw) {
    Generics nothing = new Generics();
    return Stream.of(raw.getTypeParameters()).map(nothing::substitute).toArray(Type[]::new);
  }

  private @Nullable JsonType<?> builtIn(Type type, Class<?> raw, Type[] arguments) {
    JsonType<?> plain = raw == Object.class ? types.natural() : ScalarType.of(raw);
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
    if (raw.isEnum()) {
      return constants(raw);
    }
    OneOf oneOf = raw.getAnnotation(OneOf.class);
    return oneOf != null || raw.isRecord() ? named(type, raw, arguments, oneOf) : null;
  }

  private @Nullable JsonType<?> named(
      Type type, Class<?> raw, Type[] arguments, @Nullable OneOf oneOf) {
    JsonType<?> known = met.get(type);
    if (known != null) {
      return known;
    }
    JsonType<?> claimed = types.claim(type, raw);
    if (claimed != null) {
      return claimed;
    } else if (oneOf != null) {
      return oneOf(type, raw, arguments, oneOf);
    }
    return raw.isAnnotationPresent(Inline.class)
        ? inline(type, raw, arguments)
        : record(type, raw, arguments);
  }

  /** Returns the type of an enum: of a binder that knows it, unless a constant has a name of ours. */
  private JsonType<?> constants(Class<?> raw) {
    Map<String, String> names = new HashMap<>();
    for (Field field : raw.getDeclaredFields()) {
      OneOf.Name name = field.getAnnotation(OneOf.Name.class);
      if (name != null && field.isEnumConstant()) {
        names.put(field.getName(), name.value());
      }
    }
    JsonType<?> bound = names.isEmpty() ? types.bindIfKnown(raw) : null;
    return bound == null ? new EnumType(raw, types, names) : bound;
  }

  private static boolean isName(Type key) {
    return key == String.class || key == CharSequence.class || key == Object.class;
  }

  private JsonType<?> record(Type type, Class<?> raw, Type[] arguments) {
    RecordComponent[] components = raw.getRecordComponents();
    RecordType<?> made = new RecordType<>(type, types, constructor(raw, components));
    met.put(type, made);
    Generics generics = Generics.of(raw, arguments);
    List<Component> described = new ArrayList<>();
    Alternatives.tags(raw)
        .forEach((member, name) -> described.add(Component.tag(member, described.size(), name)));
    int tags = described.size();
    for (RecordComponent component : components) {
      described.add(component(raw, component, described.size(), generics));
    }
    requireDistinct(raw, described);
    made.describe(described, tags);
    inside.add(made);
    return made;
  }

  private JsonType<?> inline(Type type, Class<?> raw, Type[] arguments) {
    RecordComponent[] components = raw.getRecordComponents();
    if (components.length != 1) {
      throw new IllegalArgumentException(raw.getTypeName()
          + ": a record with @Inline has one component, not " + components.length);
    }
    InlineType<?> made = new InlineType<>(
        type, types, constructor(raw, components), Access.handle(components[0].getAccessor()));
    met.put(type, made);
    Component only = component(raw, components[0], 0, Generics.of(raw, arguments));
    made.describe(only.type, only.fallback);
    inside.add(made);
    return made;
  }

  private JsonType<?> oneOf(Type type, Class<?> raw, Type[] arguments, OneOf oneOf) {
    OneOfType made = new OneOfType(type, types, oneOf.member());
    met.put(type, made);
    List<OneOfType.Alternative> described = new ArrayList<>();
    for (Class<?> permitted : Alternatives.permitted(raw)) {
      try {
        JsonType<@Nullable Object> mapping = type(Alternatives.bind(permitted, raw, arguments));
        described.add(new OneOfType.Alternative(permitted, Alternatives.name(permitted), mapping));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            raw.getTypeName() + ": permitted type " + permitted.getSimpleName() + ": "
                + e.getMessage(),
            e);
      }
    }
    made.describe(described);
    inside.add(made);
    return made;
  }

  /** Refuses two members of one name, which a naming or a {@link Param} may give. */
  private static void requireDistinct(Class<?> raw, List<Component> components) {
    Set<String> names = new HashSet<>();
    for (Component component : components) {
      if (!names.add(component.name)) {
        throw new IllegalArgumentException(
            raw.getTypeName() + ": two components have the name '" + component.name + "' in JSON");
      }
    }
  }

  private Component component(
      Class<?> raw, RecordComponent component, int slot, Generics generics) {
    Type type = generics.substitute(component.getGenericType());
    Param param = component.getAnnotation(Param.class);
    String where = raw.getTypeName() + ": component '" + component.getName() + "'";
    try {
      JsonType<@Nullable Object> mapping = type(type);
      return new Component(
          param == null || param.value().isEmpty()
              ? types.naming().name(component.getName())
              : param.value(),
          component.getName(),
          slot,
          mapping,
          param == null || param.defaultsTo().isEmpty()
              ? mapping.absent()
              : Json.parse(param.defaultsTo()),
          param == null ? "" : param.description(),
          component.getAccessor().isAnnotationPresent(Deprecated.class),
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
