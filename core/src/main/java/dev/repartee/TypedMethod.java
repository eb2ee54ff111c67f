package dev.repartee;

import static java.lang.invoke.MethodType.methodType;

import dev.repartee.access.Allow;
import dev.repartee.internal.reflect.Javadoc;
import dev.repartee.json.Json;
import dev.repartee.json.JsonReader;
import dev.repartee.json.UnknownMembers;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.ParsedFrame;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A Java method of one object that serves calls. There are two ways to call it, and both decode the
 * arguments with the same {@link ArgumentReader}s. {@link #invoke} runs without boxing and without
 * an array of arguments, by one method handle of type (Exchange)void. {@link #bind} reads a {@link
 * Call} and boxes its arguments, and {@link #run} calls the method with them and returns the
 * result; they run inside {@linkplain Layer layers}.
 *
 * <p>Each method handle is composed when it is first needed, since linking one costs more than most
 * programs save by it. Two threads may compose the same handle in parallel; this is harmless, since
 * method handles are immutable and either one will do.
 */
final class TypedMethod implements MethodInvoker, BindingHandler {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodType EXACT = methodType(void.class, Exchange.class);
  private static final MethodType BOXED = methodType(Object.class, Object[].class);

  /**
   * Whether {@link Allow} is anywhere in a class, its superclasses and interfaces. Without it the
   * annotations of a method are not read: a server may create a service for each connection.
   */
  private static final ClassValue<Boolean> RESTRICTED = new ClassValue<>() {
    @Override
    protected Boolean computeValue(Class<?> type) {
      return Signature.isPresent(Allow.class, type);
    }
  };

  private final Signature signature;
  private final MethodHandle target;
  private final @Nullable Object receiver;

  /**
   * The type of the parameter that receives the call: {@link Call} or a {@link CallView}; {@link
   * Call} if there is no such parameter.
   */
  private final Class<?> callType;

  /** Whether the method reads any params from its {@link Call}, and has no parameters. */
  private final boolean any;

  private final Arguments arguments;
  private final List<ArgumentReader> readers;
  private final @Nullable Allow allow;

  /** The handle of {@link #invoke}, null until it is composed. */
  private @Nullable MethodHandle exact;

  /** The handle of {@link #run}, null until it is composed. */
  private @Nullable MethodHandle boxed;

  /** The result of {@link #annotated}, null until it is needed. */
  private @Nullable List<AnnotatedElement> annotated;

  /**
   * Makes a method that is linked later: binding the receiver generates a class for most
   * signatures.
   *
   * @param target a method handle whose parameters are the receiver, if the method is not static,
   *     and the Java parameters
   * @param receiver the object to call the method on, null for a static method
   */
  TypedMethod(Signature signature, MethodHandle target, @Nullable Object receiver) {
    this.signature = signature;
    this.target = target;
    this.receiver = receiver;
    int callAt = signature.callAt();
    this.callType = callAt < 0 ? Call.class : signature.method().getParameterTypes()[callAt];
    this.any = callAt >= 0 && callType == Call.class && signature.arguments().isEmpty();
    this.arguments = new Arguments(signature, any);
    int count = arguments.count();
    boolean whole = signature.form() == Signature.Form.WHOLE;
    this.readers = IntStream.range(0, count)
        .mapToObj(i -> new ArgumentReader(signature.arguments().get(i), i, count, whole))
        .toList();
    this.allow = RESTRICTED.get(type()) ? annotation(Allow.class) : null;
  }

  /** Returns whether the params may be an object. */
  boolean takesObject() {
    return any || signature.named() || signature.form() != Signature.Form.SEPARATE;
  }

  @Override
  public @Nullable WholeParams whole() {
    return signature.form() == Signature.Form.WHOLE
        ? new WholeParams(signature.arguments().get(0).type())
        : null;
  }

  /** Returns whether the method accepts any params. */
  boolean takesAny() {
    return any;
  }

  @Override
  public void invoke(Exchange exchange) throws Throwable {
    MethodHandle handle = exact;
    if (handle == null) {
      handle = compose();
      exact = handle;
    }
    handle.invokeExact(exchange);
  }

  /**
   * Composes the handle of {@link #invoke}: it splits the params, reads each argument, calls the
   * method and answers. In the types below, P1 to Pn are the Java parameters and R is the return
   * type.
   */
  private MethodHandle compose() throws ReflectiveOperationException {
    MethodHandle bound = bound(); // (P1, ..., Pn)R
    int parameters = bound.type().parameterCount();
    MethodHandle[] filters = new MethodHandle[parameters];
    for (int i = 0, next = 0; i < parameters; i++) {
      filters[i] = i == signature.callAt() ? call() : readers.get(next++).reader(); // (Exchange)Pi
    }
    // (Exchange, ..., Exchange)R: each argument is read from a separate exchange
    MethodHandle call = MethodHandles.filterArguments(bound, 0, filters);
    // (Exchange)R: all of them are the same exchange
    call = MethodHandles.permuteArguments(
        call, methodType(bound.type().returnType(), Exchange.class), new int[parameters]);
    // (Exchange)void: calls, then passes the result (none for void) and the exchange to answer()
    MethodHandle answered = MethodHandles.foldArguments(answer(), call);
    // (TypedMethod, Exchange)void
    MethodHandle split = LOOKUP.findVirtual(TypedMethod.class, "split", EXACT);
    // (Exchange)void: splits the params before all this
    return MethodHandles.foldArguments(answered, split.bindTo(this));
  }

  /** Returns a handle that reads the call, or a protocol's view of it, from an exchange. */
  private MethodHandle call() throws ReflectiveOperationException {
    MethodHandle call = Exchange.callHandle(); // (Exchange)Call
    if (callType == Call.class) {
      return call;
    }
    // (Call, Class)Object
    MethodHandle as = LOOKUP.findVirtual(Call.class, "as", methodType(Object.class, Class.class));
    // (Call)Object
    MethodHandle view = MethodHandles.insertArguments(as, 1, callType);
    // (Exchange)V, where V is the CallView
    return MethodHandles.filterReturnValue(call, view.asType(methodType(callType, Call.class)));
  }

  private MethodHandle bound() {
    return receiver == null ? target : target.bindTo(receiver);
  }

  /** Finds the arguments in the params. Called by the handle of {@link #invoke}. */
  private void split(Exchange e) {
    arguments.split(
        e.bytes,
        e.paramsFrom,
        e.paramsTo,
        e.spans(arguments.count()),
        e.elements,
        e.cursor.unknown());
  }

  /**
   * Returns the handle that answers with the returned value: (R, Exchange)void, or (Exchange)void
   * if the method returns void.
   */
  private MethodHandle answer() throws ReflectiveOperationException {
    Class<?> returned = target.type().returnType();
    if (returned == void.class) {
      return Exchange.nothingHandle(); // (Exchange)void
    }
    MethodHandle answer;
    if (returned.isPrimitive() && returned != char.class) {
      Class<?> number = returned == byte.class || returned == short.class ? int.class : returned;
      // (Exchange, N)void -> (N, Exchange)void, where N is the type of number that represents R
      answer = MethodHandles.permuteArguments(
          Exchange.resultHandle(number), methodType(void.class, number, Exchange.class), 1, 0);
    } else {
      MethodType type = methodType(void.class, Object.class, Exchange.class);
      // (TypedMethod, Object, Exchange)void -> (Object, Exchange)void
      answer = LOOKUP.findVirtual(TypedMethod.class, "answer", type).bindTo(this);
    }
    // (R, Exchange)void
    return answer.asType(methodType(void.class, returned, Exchange.class));
  }

  /**
   * Answers with an object, or with the stage that completes with it. Called by the handle of
   * {@link #invoke}.
   */
  @SuppressWarnings("unchecked") // by the declared result type
  private void answer(@Nullable Object value, Exchange e) {
    boolean later = switch (signature.answer()) {
      case STAGE -> true;
      case EITHER -> value instanceof CompletionStage;
      case NOTHING, VALUE, STREAM -> false;
    };
    // A method that may answer later is detached; its exchange is owned.
    if (later) {
      ((OwnedExchange) e).stage(signature.result(), (CompletionStage<@Nullable Object>) value);
    } else if (signature.answer() == Signature.Answer.STREAM) {
      ServedStream.open((OwnedExchange) e, value);
    } else {
      e.result(signature.result(), value);
    }
  }

  @Override
  public @Nullable Object run(@Nullable Object[] values) throws Exception {
    MethodHandle handle = boxed;
    if (handle == null) {
      handle = bound().asSpreader(Object[].class, values.length).asType(BOXED); // (Object[])Object
      boxed = handle;
    }
    try {
      Object value = (Object) handle.invokeExact(values);
      if (value == null && signature.answer() == Signature.Answer.STAGE) {
        throw new IllegalStateException(signature.where() + " returned null for a stage");
      }
      return value;
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(
          signature.where() + " threw a Throwable that is neither Exception nor Error", e);
    }
  }

  @Override
  public @Nullable Object[] bind(Call call) {
    return bind(call.params(), call.unknownParams(), call);
  }

  /**
   * Checks that params fit the method.
   *
   * @throws RpcException if they do not
   */
  void requireFit(@Nullable Json params) {
    bind(params, UnknownMembers.REFUSE, null);
  }

  /** Reads the arguments; the argument for the call is null if there is no call. */
  private @Nullable Object[] bind(
      @Nullable Json params, UnknownMembers unknown, @Nullable Call call) {
    byte[] bytes = params == null ? new byte[0] : UnsafeJson.array(params);
    int[] spans = new int[2 * arguments.count()];
    arguments.split(bytes, 0, bytes.length, spans, ParsedFrame.UNKNOWN, unknown);
    JsonReader cursor = new JsonReader(bytes, 0, 0).unknown(unknown);
    @Nullable Object[] values = new @Nullable Object[signature.method().getParameterCount()];
    for (int i = 0, next = 0; i < values.length; i++) {
      values[i] = i == signature.callAt()
          ? call == null ? null : call.as(callType)
          : readers.get(next++).read(cursor, bytes, spans);
    }
    return values;
  }

  @Override
  public String argumentName(Call call, int index) {
    int callAt = signature.callAt();
    if (index == callAt || signature.form() == Signature.Form.WHOLE) {
      return "";
    }
    String name = signature
        .arguments()
        .get(callAt >= 0 && index > callAt ? index - 1 : index)
        .name();
    return isWhole(call.params()) ? "" : name;
  }

  /** Returns whether params are the only argument itself: an object without the name of it. */
  boolean isWhole(@Nullable Json params) {
    return signature.form() == Signature.Form.EITHER
        && params != null
        && params.kind() == Json.Kind.OBJECT
        && params.get(signature.arguments().get(0).name()) == null;
  }

  /** Returns the arguments of the Java method, without the {@link CallView}. */
  List<Signature.Argument> declared() {
    return signature.arguments();
  }

  Method java() {
    return signature.method();
  }

  @Nullable Object receiver() {
    return receiver;
  }

  /** Returns the elements that {@link RpcMethod#annotation} searches. */
  List<AnnotatedElement> annotated() {
    List<AnnotatedElement> elements = annotated;
    if (elements == null) {
      elements = Signature.annotated(type(), signature.method());
      annotated = elements;
    }
    return elements;
  }

  /** Returns the class of the receiver; of a static method its class. */
  private Class<?> type() {
    return receiver == null ? signature.method().getDeclaringClass() : receiver.getClass();
  }

  /** Returns {@link RpcMethod#annotation}. */
  <A extends Annotation> @Nullable A annotation(Class<A> annotation) {
    for (AnnotatedElement element : annotated()) {
      A found = element.getAnnotation(annotation);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** Returns the restriction of the callers; null if there is none. */
  @Nullable Allow allow() {
    return allow;
  }

  /**
   * Returns a text of the Javadoc of the method, or of a method that it overrides or implements; an
   * empty text if there is none.
   *
   * @param part see {@link Javadoc#method}
   */
  String javadoc(String part) {
    for (AnnotatedElement element : annotated()) {
      String text = element instanceof Method method
          ? Javadoc.of(method.getDeclaringClass()).method(method, part)
          : "";
      if (!text.isEmpty()) {
        return text;
      }
    }
    return "";
  }

  /** Returns the Javadoc of an argument, or an empty text. */
  String javadocOf(int argument) {
    int callAt = signature.callAt();
    return javadoc("#" + (callAt >= 0 && argument >= callAt ? argument + 1 : argument));
  }

  @Override
  public String toString() {
    return signature.where() + Arrays.toString(signature.method().getParameterTypes());
  }
}
