package dev.repartee;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One Java method as the wire sees it, made once from reflection. A service and a proxy read the same
 * signature, so that the two sides of an interface agree.
 *
 * @param where class and method, for sentences that a programmer reads
 * @param rpc how it is annotated, null if it is not
 * @param arguments its parameters but the one that takes the {@link Call} or {@link CallView}
 * @param callAt the index of that parameter in Java, -1 if there is none
 * @param named whether every argument has a name; it goes by position only if not
 * @param result the type of what it answers in the end
 */
record Signature(
    Method method,
    String where,
    String name,
    @Nullable Rpc rpc,
    List<Argument> arguments,
    int callAt,
    boolean named,
    Answer answer,
    JsonType<@Nullable Object> result) {

  /** How a method answers. */
  enum Answer {
    /** It returns when it is done, with nothing. */
    NOTHING,
    /** It returns a value. */
    VALUE,
    /** It returns a stage, and answers when that completes. */
    STAGE,
    /** It returns {@code Object}: only the value itself tells. */
    EITHER
  }

  /**
   * One parameter.
   *
   * @param fallback what stands for it where it is left out, null if it is required or variadic
   * @param variadic whether it takes all further positional arguments
   * @param description what it means, or empty
   */
  record Argument(
      String name,
      Class<?> raw,
      JsonType<@Nullable Object> type,
      @Nullable Json fallback,
      boolean variadic,
      String description) {
    boolean required() {
      return fallback == null && !variadic;
    }

    Json schema() {
      return Schemas.described(type.schema(), description);
    }

    @Nullable Object read(Json value) {
      return type.read(value.source(), value.start(), value.end());
    }
  }

  /**
   * The signature of a method of {@code type}.
   *
   * @throws IllegalArgumentException if it has a shape that cannot be called; the sentence names it
   */
  static Signature of(Class<?> type, Method method) {
    String where = where(type, method);
    try {
      return build(type, method, where);
    } catch (IllegalArgumentException | JsonException e) {
      throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
    }
  }

  /** Class and method, as sentences name them. */
  static String where(Class<?> type, Method method) {
    return type.getTypeName() + "." + method.getName();
  }

  private static Signature build(Class<?> type, Method method, String where) {
    Generics generics = Generics.above(type);
    Method described = described(type, method);
    Rpc rpc = described.getAnnotation(Rpc.class);
    List<Argument> arguments = new ArrayList<>();
    Parameter[] parameters = described.getParameters(); // for names and annotations only
    Class<?>[] raw = method.getParameterTypes();
    Type[] types = method.getGenericParameterTypes();
    int callAt = -1;
    boolean named = true;
    for (int i = 0; i < parameters.length; i++) {
      if (raw[i] == Call.class || CallView.class.isAssignableFrom(raw[i])) {
        require(callAt < 0, "a method takes one Call at most");
        callAt = i;
      } else {
        boolean variadic = method.isVarArgs() && i == parameters.length - 1;
        arguments.add(argument(parameters[i], raw[i], generics.substitute(types[i]), variadic));
        named &= parameters[i].isNamePresent() || !name(parameters[i]).isEmpty();
      }
    }
    requireDistinct(arguments);
    Type result = generics.substitute(method.getGenericReturnType());
    Answer answer = answer(method.getReturnType());
    return new Signature(
        method,
        where,
        name(method, rpc),
        rpc,
        List.copyOf(arguments),
        callAt,
        named,
        answer,
        type(answer == Answer.STAGE ? completed(result) : result));
  }

  /** The name on the wire of a method that is annotated so. */
  static String name(Method method, @Nullable Rpc rpc) {
    return rpc == null || rpc.value().isEmpty() ? method.getName() : rpc.value();
  }

  /** The annotation of a method of {@code type}, which may stand on the method it implements. */
  static @Nullable Rpc annotation(Class<?> type, Method method) {
    return described(type, method).getAnnotation(Rpc.class);
  }

  /** The method, or where it bears no annotation of ours the one it implements that does. */
  private static Method described(Class<?> type, Method method) {
    Method above = isDescribed(method) ? null : above(type, method, Generics.above(type));
    return above == null ? method : above;
  }

  private static @Nullable Method above(Class<?> type, Method method, Generics generics) {
    for (Class<?> parent : parents(type)) {
      for (Method other : parent.getDeclaredMethods()) {
        if (isDescribed(other) && isImplementedBy(method, other, generics)) {
          return other;
        }
      }
      Method further = above(parent, method, generics);
      if (further != null) {
        return further;
      }
    }
    return null;
  }

  private static List<Class<?>> parents(Class<?> type) {
    List<Class<?>> parents = new ArrayList<>(Arrays.asList(type.getInterfaces()));
    if (type.getSuperclass() != null) {
      parents.add(type.getSuperclass());
    }
    return parents;
  }

  /** Whether {@code method} has the name and, with type variables resolved, the parameters of it. */
  private static boolean isImplementedBy(Method method, Method other, Generics generics) {
    return method.getName().equals(other.getName())
        && Arrays.equals(
            method.getParameterTypes(),
            Arrays.stream(other.getGenericParameterTypes())
                .map(type -> Generics.raw(generics.substitute(type)))
                .toArray());
  }

  private static boolean isDescribed(Method method) {
    return method.isAnnotationPresent(Rpc.class)
        || Arrays.stream(method.getParameters()).anyMatch(p -> p.isAnnotationPresent(Param.class));
  }

  private static Argument argument(Parameter parameter, Class<?> raw, Type type, boolean variadic) {
    String given = name(parameter);
    String name = given.isEmpty() ? parameter.getName() : given;
    try {
      Param param = parameter.getAnnotation(Param.class);
      Json fallback = TypeResolver.fallback(param, Generics.raw(type));
      require(
          !variadic || fallback == null, "a variadic parameter has no default: it may be empty");
      String description = param == null ? "" : param.description();
      Argument argument = new Argument(name, raw, type(type), fallback, variadic, description);
      if (fallback != null) {
        argument.read(fallback);
      }
      return argument;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("parameter '" + name + "': " + e.getMessage(), e);
    } catch (JsonException e) {
      throw new IllegalArgumentException(
          "the default of parameter '" + name + "' does not fit: " + e.getMessage(), e);
    }
  }

  private static String name(AnnotatedElement parameter) {
    Param param = parameter.getAnnotation(Param.class);
    return param == null ? "" : param.value();
  }

  private static void requireDistinct(List<Argument> arguments) {
    Set<String> names = new HashSet<>();
    for (Argument argument : arguments) {
      require(names.add(argument.name()), "two parameters have the name '" + argument.name() + "'");
    }
  }

  private static Answer answer(Class<?> returned) {
    if (returned == void.class) {
      return Answer.NOTHING;
    } else if (CompletionStage.class.isAssignableFrom(returned)) {
      return Answer.STAGE;
    }
    return returned == Object.class ? Answer.EITHER : Answer.VALUE;
  }

  /** Returns the type of a stage's result; {@code Object} where it is not declared. */
  private static Type completed(Type stage) {
    return Generics.above(stage).substitute(CompletionStage.class.getTypeParameters()[0]);
  }

  @SuppressWarnings("unchecked") // used for values of that type only
  private static JsonType<@Nullable Object> type(Type type) {
    return (JsonType<@Nullable Object>) Types.of(type);
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** The methods of a type that may go over the wire, in an order that every JVM agrees on. */
  static List<Method> candidates(Class<?> type) {
    return candidates(type, method -> isCall(type, method));
  }

  /** The public methods of a type that pass, in that order. */
  static List<Method> candidates(Class<?> type, Predicate<Method> passes) {
    List<Method> candidates = new ArrayList<>();
    for (Method method : type.getMethods()) {
      if (passes.test(method)) {
        candidates.removeIf(other -> isNarrowed(other, method));
        if (candidates.stream().noneMatch(other -> isNarrowed(method, other))) {
          candidates.add(method);
        }
      }
    }
    candidates.sort(Signature::order);
    return candidates;
  }

  private static int order(Method one, Method other) {
    int byName = one.getName().compareTo(other.getName());
    return byName != 0 ? byName : one.toString().compareTo(other.toString());
  }

  /** Whether a public method of that type is meant for the wire. */
  static boolean isCall(Class<?> type, Method method) {
    return !Modifier.isStatic(method.getModifiers())
        && !method.isSynthetic() // bridges among them
        && !isOfObject(method)
        && !isClose(type, method);
  }

  private static boolean isOfObject(Method method) {
    return Arrays.stream(Object.class.getDeclaredMethods())
        .anyMatch(other -> other.getName().equals(method.getName())
            && Arrays.equals(other.getParameterTypes(), method.getParameterTypes()));
  }

  /** Whether {@code other} is the same method with the same or a narrower type of result. */
  private static boolean isNarrowed(Method method, Method other) {
    return method.getName().equals(other.getName())
        && Arrays.equals(method.getParameterTypes(), other.getParameterTypes())
        && method.getReturnType().isAssignableFrom(other.getReturnType());
  }

  /** Whether it is the {@code close()} of a resource, which ends this side and is no call. */
  static boolean isClose(Class<?> type, Method method) {
    return AutoCloseable.class.isAssignableFrom(type)
        && method.getName().equals("close")
        && method.getParameterCount() == 0
        && annotation(type, method) == null;
  }
}
