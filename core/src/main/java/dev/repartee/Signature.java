package dev.repartee;

import dev.repartee.internal.reflect.Generics;
import dev.repartee.internal.reflect.Kotlin;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonReader;
import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.Schemas;
import dev.repartee.stream.Streamed;
import dev.repartee.stream.Streaming;
import dev.repartee.stream.flow.Publishers;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Predicate;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One Java method as it appears on the wire, read from reflection once. Services and proxies build
 * the same signature: both sides of an interface agree.
 *
 * @param where class and method, for error messages
 * @param rpc its annotation, null if it has none
 * @param docs the texts of its annotations for {@code rpc.discover}
 * @param arguments its parameters without the {@link CallView}
 * @param callAt the index of the {@link CallView} among the Java parameters, -1 if there is none
 * @param form the relation of the arguments to the params
 * @param named whether every argument has a name; if not, params must be given by position
 * @param result the type of the result; for a stage, the type it completes with, and for a stream
 *     the type of its items
 * @param streaming the options of a stream, null for other results
 */
record Signature(
    Method method,
    String where,
    String name,
    @Nullable Rpc rpc,
    MethodDocs docs,
    List<Argument> arguments,
    int callAt,
    Form form,
    boolean named,
    Answer answer,
    JsonType<@Nullable Object> result,
    @Nullable Streaming streaming) {

  private static final byte[] NO_ELEMENTS = {'[', ']'};

  /** The relation of the arguments to the params of a request. */
  enum Form {
    /** Each argument is one of the params. */
    SEPARATE,
    /** As {@link #SEPARATE}; but an object that is not the only argument by name is its value. */
    EITHER,
    /** The only argument is the params as a whole. */
    WHOLE
  }

  /** How a method returns its result. */
  enum Answer {
    /** The method returns {@code void}; the result is null. */
    NOTHING,
    /** The method returns the result. */
    VALUE,
    /** The method returns a {@link CompletionStage}, which completes with the result. */
    STAGE,
    /** The method returns a stream; the result is the type of its items. */
    STREAM,
    /**
     * The method returns {@code Object}: the result, or at run time a {@link CompletionStage} of
     * it.
     */
    EITHER
  }

  /**
   * One argument.
   *
   * @param fallback the value of an omitted argument; null if the argument is required or variadic
   * @param variadic whether it consumes all further positional arguments
   * @param description its description for the schema, or empty
   * @param deprecated whether callers should stop passing it
   */
  record Argument(
      String name,
      Class<?> raw,
      JsonType<@Nullable Object> type,
      @Nullable Json fallback,
      boolean variadic,
      String description,
      boolean deprecated) {
    boolean required() {
      return fallback == null && !variadic;
    }

    /** Returns this argument as the params as a whole. */
    Argument whole(WholeParams params) {
      return new Argument(name, raw, type, params.empty(), false, description, deprecated);
    }

    Json schema() {
      return Schemas.annotated(type.schema(), description, deprecated);
    }

    @Nullable Object read(Json value) {
      return value.as(type);
    }
  }

  /**
   * Returns the signature of a method of {@code type}.
   *
   * @param types the mappings of the types of its parameters and its result
   * @throws IllegalArgumentException if the method cannot be called remotely; the message names the
   *     method
   */
  static Signature of(Class<?> type, Method method, JsonTypes types) {
    String where = where(type, method);
    try {
      return build(type, method, where, types);
    } catch (IllegalArgumentException | JsonException e) {
      throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
    }
  }

  /** Returns class and method as error messages name them. */
  static String where(Class<?> type, Method method) {
    return type.getTypeName() + "." + method.getName();
  }

  private static Signature build(Class<?> type, Method method, String where, JsonTypes types) {
    Generics generics = Generics.above(type);
    Method described = described(type, method);
    Rpc rpc = described.getAnnotation(Rpc.class);
    List<Argument> arguments = new ArrayList<>();
    Parameter[] parameters = described.getParameters(); // for names and annotations only
    Class<?>[] raw = method.getParameterTypes();
    Type[] declared = method.getGenericParameterTypes();
    int callAt = -1;
    boolean named = true;
    for (int i = 0; i < parameters.length; i++) {
      require(
          !Kotlin.isContinuation(raw[i]),
          "a suspend function cannot be called remotely; return a CompletableFuture instead");
      if (CallView.class.isAssignableFrom(raw[i])) {
        require(callAt < 0, "a method has at most one Call parameter");
        callAt = i;
      } else {
        boolean variadic = method.isVarArgs() && i == parameters.length - 1;
        arguments.add(
            argument(parameters[i], raw[i], generics.substitute(declared[i]), variadic, types));
        named &= parameters[i].isNamePresent() || !name(parameters[i]).isEmpty();
      }
    }
    requireDistinct(arguments);
    Form form = form(rpc, arguments, named);
    Type result = generics.substitute(method.getGenericReturnType());
    Answer answer = answer(method.getReturnType());
    Type value = answer == Answer.STAGE ? completed(result) : result;
    Streaming streaming = streaming(described, answer, Generics.raw(value));
    if (answer == Answer.STREAM) {
      value = item(result);
    }
    return new Signature(
        method,
        where,
        name(method, rpc),
        rpc,
        MethodDocs.of(method, described, rpc),
        List.copyOf(arguments),
        callAt,
        form,
        named,
        answer,
        type(value, types),
        streaming);
  }

  /**
   * Returns the options of a method that returns a stream; null if it returns none.
   *
   * @param value the type of the result; for a stage, the type it completes with
   */
  private static @Nullable Streaming streaming(Method described, Answer answer, Class<?> value) {
    Streamed streamed = described.getAnnotation(Streamed.class);
    boolean stream = answer == Answer.STREAM;
    require(
        stream || !Publishers.isStream(value),
        "a stream is returned as it is, not as the value of a stage");
    require(
        stream || streamed == null,
        "@Streamed needs a result that is a stream: a Flow.Publisher, Stream or Iterator");
    return stream ? Streaming.of(streamed) : null;
  }

  /** Returns the type of the items of a stream, {@code Object} if it is raw. */
  private static Type item(Type stream) {
    Class<?> raw = Generics.raw(stream);
    Class<?> base = Flow.Publisher.class.isAssignableFrom(raw)
        ? Flow.Publisher.class
        : BaseStream.class.isAssignableFrom(raw) ? BaseStream.class : Iterator.class;
    return Generics.above(stream).substitute(base.getTypeParameters()[0]);
  }

  /** Returns the wire name of a method, given its annotation. */
  static String name(Method method, @Nullable Rpc rpc) {
    return rpc == null || rpc.value().isEmpty() ? method.getName() : rpc.value();
  }

  /**
   * Returns the annotation of a method of {@code type}; it may be on the method that this one
   * implements.
   */
  static @Nullable Rpc annotation(Class<?> type, Method method) {
    return described(type, method).getAnnotation(Rpc.class);
  }

  /**
   * Returns the method that carries our annotations: the method itself, or if it has none, a method
   * that it implements or overrides; the method itself if neither has any.
   */
  private static Method described(Class<?> type, Method method) {
    return isDescribed(method)
        ? method
        : overridden(type, method).filter(Signature::isDescribed).findFirst().orElse(method);
  }

  /**
   * Returns the elements with annotations for a method of {@code type}, nearest first: the method,
   * the methods that it overrides or implements, and then the class, its superclasses and all
   * interfaces.
   */
  static List<AnnotatedElement> annotated(Class<?> type, Method method) {
    List<AnnotatedElement> elements = new ArrayList<>(List.of(method));
    overridden(type, method).forEach(elements::add);
    elements.addAll(hierarchy(type));
    return List.copyOf(elements);
  }

  /** Returns whether an element in {@link #annotated} of any method has this annotation. */
  static boolean isPresent(Class<? extends Annotation> annotation, Class<?> type) {
    return hierarchy(type).stream()
        .flatMap(c -> Stream.concat(Stream.of(c), Arrays.stream(c.getDeclaredMethods())))
        .anyMatch(element -> element.isAnnotationPresent(annotation));
  }

  /** Returns the other methods that a method of {@code type} overrides or implements. */
  private static Stream<Method> overridden(Class<?> type, Method method) {
    Generics generics = Generics.above(type);
    return hierarchy(type).stream()
        .flatMap(declaring -> Arrays.stream(declaring.getDeclaredMethods()))
        .filter(other -> !other.equals(method) && isOverridden(method, other, generics));
  }

  /** Returns a class, its superclasses, and all interfaces of these. */
  private static Set<Class<?>> hierarchy(Class<?> type) {
    Set<Class<?>> types = new LinkedHashSet<>();
    for (Class<?> c = type; c != null; c = c.getSuperclass()) {
      types.add(c);
    }
    List.copyOf(types).forEach(c -> addInterfaces(c, types));
    return types;
  }

  private static void addInterfaces(Class<?> type, Set<Class<?>> all) {
    for (Class<?> parent : type.getInterfaces()) {
      if (all.add(parent)) {
        addInterfaces(parent, all);
      }
    }
  }

  private static boolean isOverridden(Method method, Method other, Generics generics) {
    return !Modifier.isStatic(method.getModifiers())
        && !Modifier.isStatic(other.getModifiers())
        && !Modifier.isPrivate(other.getModifiers())
        && (isImplementedBy(method, other, generics)
            || method.getName().equals(other.getName())
                && Arrays.equals(method.getParameterTypes(), other.getParameterTypes()));
  }

  /**
   * Whether {@code method} has the name and, with type variables resolved, the parameter types of
   * {@code other}.
   */
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
        || method.isAnnotationPresent(Streamed.class)
        || method.getAnnotationsByType(Rpc.Error.class).length > 0
        || method.getAnnotationsByType(Rpc.Example.class).length > 0
        || Arrays.stream(method.getParameters()).anyMatch(p -> p.isAnnotationPresent(Param.class));
  }

  private static Argument argument(
      Parameter parameter, Class<?> raw, Type type, boolean variadic, JsonTypes types) {
    String given = name(parameter);
    String name = given.isEmpty() ? types.naming().name(parameter.getName()) : given;
    try {
      Param param = parameter.getAnnotation(Param.class);
      JsonType<@Nullable Object> mapping = type(type, types);
      Json fallback = param == null || param.defaultsTo().isEmpty()
          ? mapping.absent()
          : Json.parse(param.defaultsTo());
      require(
          !variadic || fallback == null, "a variadic parameter has no default: it may be empty");
      Argument argument = new Argument(
          name,
          raw,
          mapping,
          fallback,
          variadic,
          param == null ? "" : param.description(),
          parameter.isAnnotationPresent(Deprecated.class));
      // Reads the default value now, so that a default that does not fit fails at the start.
      if (fallback != null) {
        argument.read(fallback);
      }
      if (variadic) {
        new JsonReader(NO_ELEMENTS, 0, NO_ELEMENTS.length).rest(mapping); // fails here, if ever
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

  private static Form form(@Nullable Rpc rpc, List<Argument> arguments, boolean named) {
    boolean single = arguments.size() == 1 && !arguments.get(0).variadic();
    if (rpc != null && rpc.paramsObject()) {
      require(
          single, "paramsObject needs exactly one parameter besides the Call, not a variadic one");
      Argument only = arguments.get(0);
      arguments.set(0, only.whole(new WholeParams(only.type()).requireStructured()));
      return Form.WHOLE;
    }
    return single && isObject(arguments.get(0), named) ? Form.EITHER : Form.SEPARATE;
  }

  /**
   * Returns whether an object can be distinguished from the argument by name: no member has that
   * name.
   */
  private static boolean isObject(Argument argument, boolean named) {
    WholeParams params = new WholeParams(argument.type());
    return params.hasMembers() && !(named && params.hasMember(argument.name()));
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
    } else if (Publishers.isStream(returned)) {
      return Answer.STREAM;
    }
    return returned == Object.class ? Answer.EITHER : Answer.VALUE;
  }

  /** Returns the result type of a stage, {@code Object} if the stage is raw. */
  private static Type completed(Type stage) {
    return Generics.above(stage).substitute(CompletionStage.class.getTypeParameters()[0]);
  }

  @SuppressWarnings("unchecked") // the result is only used for values of that type
  private static JsonType<@Nullable Object> type(Type type, JsonTypes types) {
    return (JsonType<@Nullable Object>) types.of(type);
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /**
   * Returns the methods of a type that can be called remotely, in an order that does not depend on
   * the JVM.
   */
  static List<Method> candidates(Class<?> type) {
    return candidates(type, method -> isCall(type, method));
  }

  /**
   * Returns the public methods of a type that pass the test, sorted by name and signature. Of
   * methods that differ only in the return type, the one with the narrowest return type is kept.
   */
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

  /** Whether a public method of {@code type} can be called remotely. */
  static boolean isCall(Class<?> type, Method method) {
    return !Modifier.isStatic(method.getModifiers())
        && !method.isSynthetic() // includes bridge methods
        && !isOfObject(method)
        && !isClose(type, method);
  }

  private static boolean isOfObject(Method method) {
    return Arrays.stream(Object.class.getDeclaredMethods())
        .anyMatch(other -> other.getName().equals(method.getName())
            && Arrays.equals(other.getParameterTypes(), method.getParameterTypes()));
  }

  /**
   * Whether {@code other} has the same name and parameters as {@code method} and the same or a
   * narrower return type.
   */
  private static boolean isNarrowed(Method method, Method other) {
    return method.getName().equals(other.getName())
        && Arrays.equals(method.getParameterTypes(), other.getParameterTypes())
        && method.getReturnType().isAssignableFrom(other.getReturnType());
  }

  /**
   * Whether the method is the {@code close()} of a resource, which closes this side and is no
   * remote call.
   */
  static boolean isClose(Class<?> type, Method method) {
    return AutoCloseable.class.isAssignableFrom(type)
        && method.getName().equals("close")
        && method.getParameterCount() == 0
        && annotation(type, method) == null;
  }
}
