package dev.repartee.internal.reflect;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The traces that Kotlin's compiler leaves in class files. They are searched by name, since Kotlin
 * may be absent.
 */
public final class Kotlin {
  private Kotlin() {}

  /** Returns whether a parameter of this type marks a suspend function. */
  public static boolean isContinuation(Class<?> parameter) {
    return parameter.getName().equals("kotlin.coroutines.Continuation");
  }

  /**
   * Returns whether a function of {@code type} has default values for some of its parameters. Only
   * Kotlin's compiler knows them: it compiles a second method, for calls that omit arguments.
   */
  public static boolean hasDefaultValues(Class<?> type, Method function) {
    return hasDefaultValues(type, function.getName() + "$default");
  }

  private static boolean hasDefaultValues(Class<?> type, String second) {
    Stream<Class<?>> above =
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()));
    return isKotlin(type) && declares(type, second)
        || above.anyMatch(parent -> hasDefaultValues(parent, second));
  }

  private static boolean isKotlin(Class<?> type) {
    return Arrays.stream(type.getDeclaredAnnotations())
        .anyMatch(a -> a.annotationType().getName().equals("kotlin.Metadata"));
  }

  /** Searches a class, and the nested class in which an interface has the second methods. */
  private static boolean declares(Class<?> type, String second) {
    return Stream.concat(
            Stream.of(type),
            Arrays.stream(type.getDeclaredClasses())
                .filter(nested -> nested.getSimpleName().equals("DefaultImpls")))
        .flatMap(holder -> Arrays.stream(holder.getMethods()))
        .anyMatch(method -> method.isSynthetic()
            && Modifier.isStatic(method.getModifiers())
            && method.getName().equals(second));
  }
}
