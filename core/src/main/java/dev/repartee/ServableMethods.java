package dev.repartee;

import dev.repartee.json.JsonTypes;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the methods that can be served of a class that was not written for it. See {@link
 * Service#ofAny}.
 */
final class ServableMethods {
  private ServableMethods() {}

  /**
   * Returns the static methods of {@code type}, and the instance methods of {@code target} if it is
   * not null. Methods that cannot be served are reported to {@code leftOut}.
   *
   * @throws IllegalArgumentException if no method can be served
   */
  static List<RpcMethod> of(
      Class<?> type, @Nullable Object target, BiConsumer<String, String> leftOut) {
    if (target != null && !type.isInstance(target)) {
      throw new IllegalArgumentException(
          "the object is a " + target.getClass().getTypeName() + ", not a " + type.getTypeName());
    }
    List<RpcMethod> methods = new ArrayList<>();
    byName(type, target != null).forEach((name, overloads) -> {
      if (overloads.size() > 1) {
        leftOut.accept(name, overloaded(overloads));
        return;
      }
      Method method = overloads.get(0);
      try {
        Object receiver = isStatic(method) ? null : target;
        Signature signature = Signature.of(type, method, JsonTypes.standard());
        methods.add(TypedMethods.followed(receiver, type, signature));
      } catch (IllegalArgumentException e) {
        leftOut.accept(name, reason(e, Signature.where(type, method) + ": "));
      }
    });
    if (methods.isEmpty()) {
      throw TypedMethods.nothing(type);
    }
    return methods;
  }

  private static Map<String, List<Method>> byName(Class<?> type, boolean ofObject) {
    List<Method> all = Signature.candidates(
        type, method -> isStatic(method) || ofObject && Signature.isCall(type, method));
    Map<String, List<Method>> byName = new LinkedHashMap<>();
    for (Method method : TypedMethods.chosen(type, all)) {
      String name = Signature.name(method, Signature.annotation(type, method));
      byName.computeIfAbsent(name, unused -> new ArrayList<>()).add(method);
    }
    return byName;
  }

  private static boolean isStatic(Method method) {
    return Modifier.isStatic(method.getModifiers()) && !method.isSynthetic();
  }

  private static String overloaded(List<Method> overloads) {
    return overloads.stream()
        .map(TypedMethods::described)
        .collect(Collectors.joining(", ", "overloaded: ", ""));
  }

  /**
   * Returns the message without its prefix that names the method: the callback receives the name
   * apart.
   */
  private static String reason(IllegalArgumentException e, String where) {
    String message = String.valueOf(e.getMessage());
    return message.startsWith(where) ? message.substring(where.length()) : message;
  }
}
