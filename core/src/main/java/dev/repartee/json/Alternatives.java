package dev.repartee.json;

import dev.repartee.internal.reflect.Generics;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the declarations of {@link OneOf} from Java types. */
final class Alternatives {
  private Alternatives() {}

  /**
   * Returns the permitted types of an interface with {@link OneOf}.
   *
   * @throws IllegalArgumentException if the interface is not sealed, or permits another type than a
   *     record, an enum or an interface with {@link OneOf}
   */
  static Class<?>[] permitted(Class<?> type) {
    if (!type.isSealed() || !type.isInterface()) {
      throw new IllegalArgumentException(
          type.getTypeName() + ": @OneOf belongs on a sealed interface");
    }
    Class<?>[] permitted = type.getPermittedSubclasses();
    for (Class<?> each : permitted) {
      if (!each.isRecord() && !each.isEnum() && !each.isAnnotationPresent(OneOf.class)) {
        throw new IllegalArgumentException(type.getTypeName() + " permits " + each.getSimpleName()
            + ", which is neither a record, an enum nor a sealed interface with @OneOf");
      }
    }
    return permitted;
  }

  /** Returns a permitted type; its type arguments are derived from the interface. */
  static Type bind(Class<?> permitted, Class<?> above, Type[] arguments) {
    TypeVariable<?>[] variables = permitted.getTypeParameters();
    if (variables.length == 0) {
      return permitted;
    }
    Map<TypeVariable<?>, Type> known = new HashMap<>();
    for (Type parent : permitted.getGenericInterfaces()) {
      if (parent instanceof ParameterizedType p && p.getRawType() == above) {
        for (int i = 0; i < arguments.length; i++) {
          if (p.getActualTypeArguments()[i] instanceof TypeVariable<?> variable) {
            known.put(variable, arguments[i]);
          }
        }
      }
    }
    Generics unknown = new Generics();
    List<Type> bound = new ArrayList<>();
    for (TypeVariable<?> variable : variables) {
      Type type = known.get(variable);
      bound.add(type == null ? unknown.substitute(variable) : type);
    }
    return new Generics.Parameterized(permitted, bound);
  }

  /**
   * Returns the members that name a record in its JSON, with their values, the outermost interface
   * first.
   *
   * @throws IllegalArgumentException if two interfaces give one member different values
   */
  static Map<String, String> tags(Class<?> record) {
    Map<String, String> tags = new LinkedHashMap<>();
    collect(record, Map.of(), tags);
    List<String> members = new ArrayList<>(tags.keySet());
    Collections.reverse(members);
    Map<String, String> ordered = new LinkedHashMap<>();
    members.forEach(member -> ordered.put(member, tags.get(member)));
    return ordered;
  }

  /**
   * Collects the members of the interfaces above a type.
   *
   * @param below the members on the path from the record to the type
   */
  private static void collect(Class<?> type, Map<String, String> below, Map<String, String> tags) {
    for (Class<?> parent : type.getInterfaces()) {
      OneOf oneOf = parent.getAnnotation(OneOf.class);
      if (oneOf == null) {
        continue;
      }
      Map<String, String> path = new HashMap<>(below);
      String member = oneOf.member();
      if (!member.isEmpty()) {
        // An interface with the same member lends its names to the one above it.
        String name = path.computeIfAbsent(member, absent -> name(type));
        String other = tags.putIfAbsent(member, name);
        if (other != null && !other.equals(name)) {
          throw new IllegalArgumentException("the member '" + member + "' would have two values, '"
              + other + "' and '" + name + "'");
        }
      }
      collect(parent, path, tags);
    }
  }

  /** Returns the name of a permitted type in JSON. */
  static String name(Class<?> type) {
    OneOf.Name given = type.getAnnotation(OneOf.Name.class);
    if (given != null) {
      return given.value();
    }
    String simple = type.getSimpleName();
    int capitals = 0;
    while (capitals < simple.length() && Character.isUpperCase(simple.charAt(capitals))) {
      capitals++;
    }
    // The last capital of several belongs to the next word: HTTPCall has the words HTTP and Call.
    int first = capitals > 1 && capitals < simple.length() ? capitals - 1 : capitals;
    return simple.substring(0, first).toLowerCase(Locale.ROOT) + simple.substring(first);
  }
}
