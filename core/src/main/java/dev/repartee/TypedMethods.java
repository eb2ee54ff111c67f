package dev.repartee;

import dev.repartee.internal.Access;
import dev.repartee.internal.log.FailureLog;
import dev.repartee.internal.reflect.Kotlin;
import dev.repartee.json.JsonTypes;
import dev.repartee.transport.Attributes;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Turns the methods of an object into methods of a {@link Service}. */
final class TypedMethods {
  /** Whether {@link #noteUnserved} has logged a class. */
  private static final ClassValue<AtomicBoolean> TOLD = new ClassValue<>() {
    @Override
    protected AtomicBoolean computeValue(Class<?> type) {
      return new AtomicBoolean();
    }
  };

  private TypedMethods() {}

  /**
   * Returns the methods of {@code target} that {@code type} declares, its class or one of its
   * interfaces.
   *
   * @param types the mappings of their types; null for the mappings of the endpoint
   * @throws IllegalArgumentException if there is no method, or a method cannot be served; the
   *     message names the method
   */
  static List<RpcMethod> of(Object target, Class<?> type, @Nullable JsonTypes types) {
    if (required(target) instanceof Class<?> given) {
      String name = given.getSimpleName();
      throw new IllegalArgumentException(
          Modifier.isAbstract(given.getModifiers())
              ? "pass an object that implements " + name + " to Service.of, not " + name + ".class"
              : "pass an object to Service.of, not its class: new " + name + "(), not " + name
                  + ".class");
    }
    JsonTypes registry = types == null ? JsonTypes.standard() : types;
    List<Signature> signatures = new ArrayList<>();
    for (Method method : chosen(type, registry)) {
      signatures.add(Signature.of(type, method, registry));
    }
    requireDistinct(type, signatures);
    warnOfMissingNames(signatures);
    List<RpcMethod> methods = new ArrayList<>();
    for (Signature signature : signatures) {
      methods.add(
          types == null
              ? followed(target, type, signature)
              : new RpcMethod(
                  signature.name(), traits(signature), define(target, signature, registry)));
    }
    return methods;
  }

  /**
   * Returns the notifications among the methods of an interface, to describe them.
   *
   * @throws IllegalArgumentException if there is none, or a type of one cannot be bound
   */
  static List<RpcMethod> notifications(Class<?> type) {
    List<RpcMethod> found = new ArrayList<>();
    for (Method method : Signature.candidates(type)) {
      Rpc rpc = Signature.annotation(type, method);
      if (rpc != null && rpc.notification()) {
        found.add(followed(null, type, Signature.of(type, method, JsonTypes.standard())));
      }
    }
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          type.getTypeName() + " has no method with @Rpc(notification = true)");
    }
    return found;
  }

  /** Returns the object to serve; throws a NullPointerException that names it if it is null. */
  static <T> T required(@Nullable T target) {
    return Objects.requireNonNull(target, "the object to serve is null");
  }

  /**
   * Returns the method of a service that calls {@code target}, or a static method if {@code target}
   * is null. It follows the registry of the endpoint that serves it.
   */
  static RpcMethod followed(@Nullable Object target, Class<?> type, Signature signature) {
    Method implementation = signature.method();
    return new RpcMethod(
        signature.name(),
        traits(signature),
        define(target, signature, JsonTypes.standard()),
        types -> define(target, Signature.of(type, implementation, types), types));
  }

  /** Returns the annotated methods, or all methods if none is annotated. */
  private static List<Method> chosen(Class<?> type, JsonTypes types) {
    List<Method> all = Signature.candidates(type);
    List<Method> chosen = chosen(type, all);
    if (chosen.isEmpty()) {
      throw nothing(type);
    }
    noteUnserved(type, all, chosen, types);
    return chosen;
  }

  static List<Method> chosen(Class<?> type, List<Method> all) {
    List<Method> annotated =
        all.stream().filter(m -> Signature.annotation(type, m) != null).toList();
    return annotated.isEmpty() ? all : annotated;
  }

  static IllegalArgumentException nothing(Class<?> type) {
    return new IllegalArgumentException(
        type.getTypeName() + " has no public method that could be served");
  }

  /**
   * Logs a hint for the author of a class, once: its annotated methods exclude others that could be
   * served. Not if the annotations are in an interface: a class that implements it may have any
   * other methods. Methods of an interface of this toolkit, such as the callbacks of a language
   * server, are not named: the toolkit calls them.
   */
  private static void noteUnserved(
      Class<?> type, List<Method> all, List<Method> served, JsonTypes types) {
    if (served.size() == all.size()
        || served.stream().noneMatch(method -> method.isAnnotationPresent(Rpc.class))) {
      return;
    }
    System.Logger log = System.getLogger(FailureLog.NAME);
    if (!log.isLoggable(System.Logger.Level.INFO) || !TOLD.get(type).compareAndSet(false, true)) {
      return;
    }
    String unserved = all.stream()
        .filter(method -> !served.contains(method)
            && !isOfToolkit(type, method)
            && isServable(type, method, types))
        .map(Method::getName)
        .collect(Collectors.joining(", "));
    if (!unserved.isEmpty()) {
      log.log(
          System.Logger.Level.INFO,
          type.getTypeName() + ": not served, because other methods have @Rpc: " + unserved
              + "; annotate them, too, to serve them");
    }
  }

  /** Returns whether an interface of this toolkit declares a method of {@code type}. */
  private static boolean isOfToolkit(Class<?> type, Method method) {
    return Signature.annotated(type, method).stream()
        .anyMatch(element -> element instanceof Method declared
            && declared.getDeclaringClass().isInterface()
            && declared.getDeclaringClass().getName().startsWith("dev.repartee."));
  }

  /** Returns whether a method could be served, and is not just the accessor of a record. */
  private static boolean isServable(Class<?> type, Method method, JsonTypes types) {
    if (type.isRecord()
        && Arrays.stream(type.getRecordComponents())
            .anyMatch(component -> method.equals(component.getAccessor()))) {
      return false;
    }
    try {
      Signature.of(type, method, types);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Logs a hint for the author of a class, not its callers: the compiler has not kept the names of
   * parameters, and callers can pass params by position only.
   */
  private static void warnOfMissingNames(List<Signature> signatures) {
    String nameless = signatures.stream()
        .filter(s -> !s.named() && s.form() == Signature.Form.SEPARATE)
        .map(Signature::where)
        .collect(Collectors.joining(", "));
    if (!nameless.isEmpty()) {
      System.getLogger(FailureLog.NAME)
          .log(
              System.Logger.Level.WARNING,
              nameless + ": callers can give the params by position only, since the class file has"
                  + " no names of parameters; compile with the option -parameters (Kotlin:"
                  + " -java-parameters), or annotate the"
                  + " parameters with @Param");
    }
  }

  private static void requireDistinct(Class<?> type, List<Signature> signatures) {
    Map<String, Signature> seen = new HashMap<>();
    for (Signature signature : signatures) {
      Signature other = seen.put(signature.name(), signature);
      if (other != null) {
        throw new IllegalArgumentException(type.getTypeName()
            + " has two methods for the name '"
            + signature.name()
            + "', "
            + described(other.method())
            + " and "
            + described(signature.method())
            + ": JSON-RPC has no overloads, so give one of them another name with @Rpc");
      }
    }
  }

  static String described(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes())
            .map(Class::getSimpleName)
            .collect(Collectors.joining(", ", "(", ")"));
  }

  private static Traits traits(Signature signature) {
    Rpc rpc = signature.rpc();
    boolean nothing = signature.answer() == Signature.Answer.NOTHING;
    return new Traits(
        signature.docs(),
        lane(signature),
        Attributes.NONE,
        signature.streaming(),
        rpc != null && rpc.idempotent(),
        rpc != null && rpc.notification() && nothing);
  }

  private static RpcMethod.Definition define(
      @Nullable Object target, Signature signature, JsonTypes types) {
    try {
      RpcMethod.requireFree(signature.name());
      requireOptionalLast(signature);
      requireStatedDefaults(target, signature);
      TypedMethod typed = new TypedMethod(signature, Access.handle(signature.method()), target);
      requireFit(signature, typed, types);
      boolean later = switch (signature.answer()) {
        case STAGE, STREAM, EITHER -> true;
        case NOTHING, VALUE -> false;
      };
      return new RpcMethod.Definition(
          parameters(typed, signature),
          signature.result(),
          new Execution.OfJava(typed, later || signature.callAt() >= 0),
          types);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(signature.where() + ": " + e.getMessage(), e);
    }
  }

  private static void requireOptionalLast(Signature signature) {
    String optional = null;
    for (Signature.Argument argument : signature.arguments()) {
      if (argument.required() && optional != null) {
        throw new IllegalArgumentException("the parameter '"
            + argument.name()
            + "' is required but follows the optional '"
            + optional
            + "', which a call by position could then not leave out");
      }
      optional = argument.required() ? null : argument.name();
    }
  }

  /** Refuses default values that only Kotlin's compiler knows, since every call would need them. */
  private static void requireStatedDefaults(@Nullable Object target, Signature signature) {
    Method method = signature.method();
    Class<?> type = target == null ? method.getDeclaringClass() : target.getClass();
    if (signature.arguments().stream().allMatch(Signature.Argument::required)
        && Kotlin.hasDefaultValues(type, method)) {
      throw new IllegalArgumentException(
          "the class file does not contain the default values of its Kotlin parameters; callers"
              + " could not leave these out. State them in JSON too, as in"
              + " @Param(defaultsTo = \"10\"), or remove them");
    }
  }

  /** Refuses types of errors without a mapping, and examples that do not fit the method. */
  private static void requireFit(Signature signature, TypedMethod typed, JsonTypes types) {
    signature.docs().requireTypes(types);
    for (MethodDocs.Example example : signature.docs().examples()) {
      example.requireFit(typed::requireFit, signature.result());
    }
  }

  private static @Nullable Lane lane(Signature signature) {
    Rpc rpc = signature.rpc();
    Lane[] lanes = rpc == null ? new Lane[0] : rpc.lane();
    if (lanes.length > 1) {
      throw new IllegalArgumentException(
          signature.where() + ": a method runs in one lane, not in " + lanes.length);
    }
    return lanes.length == 0 ? null : lanes[0];
  }

  private static @Nullable List<RpcMethod.Parameter> parameters(
      TypedMethod method, Signature signature) {
    WholeParams whole = method.whole();
    if (whole != null) {
      return RpcMethod.Parameter.of(whole);
    }
    return method.takesAny()
        ? null
        : signature.arguments().stream().map(TypedMethods::parameter).toList();
  }

  private static RpcMethod.Parameter parameter(Signature.Argument argument) {
    return new RpcMethod.Parameter(
        argument.name(), argument.required(), argument.variadic(), argument.schema());
  }
}
