package dev.repartee;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One method of one object, called in either of two ways that read the same {@link Slot}s: the exact
 * one, which neither boxes nor collects its arguments, and the one that layers stand around.
 *
 * <p>Each way is put together when it is first taken: linking a method handle costs more than most
 * programs call it for. Two threads may both do it, to the same effect, since handles are immutable.
 */
final class TypedMethod implements Invoker, Handler {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final MethodType EXACT = methodType(void.class, Exchange.class);
  private static final MethodType BOXED = methodType(Object.class, Object[].class);

  private final Signature signature;
  private final MethodHandle target;
  private final @Nullable Object receiver;

  /** What of a call it takes, if it takes that. */
  private final Class<?> callType;

  private final Arguments arguments;
  private final List<Slot> slots;
  private @Nullable MethodHandle exact;
  private @Nullable MethodHandle boxed;

  /**
   * {@code target} takes the receiver, if there is one, and the Java parameters. It is bound to the
   * receiver later, since that makes a class for most shapes.
   */
  TypedMethod(Signature signature, MethodHandle target, @Nullable Object receiver) {
    this.signature = signature;
    this.target = target;
    this.receiver = receiver;
    int callAt = signature.callAt();
    this.callType = callAt < 0 ? Call.class : signature.method().getParameterTypes()[callAt];
    this.arguments = new Arguments(signature);
    int count = arguments.count();
    this.slots = IntStream.range(0, count)
        .mapToObj(i -> new Slot(signature.arguments().get(i), i, count))
        .toList();
  }

  /** Whether every argument has a name. */
  boolean isNamed() {
    return signature.named();
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

  /** Of one exchange: split the params, read each argument, call, answer. */
  private MethodHandle compose() throws ReflectiveOperationException {
    MethodHandle bound = bound();
    int parameters = bound.type().parameterCount();
    MethodHandle[] readers = new MethodHandle[parameters];
    for (int i = 0, slot = 0; i < parameters; i++) {
      readers[i] = i == signature.callAt() ? call() : slots.get(slot++).reader();
    }
    MethodHandle call = MethodHandles.filterArguments(bound, 0, readers);
    call = MethodHandles.permuteArguments(
        call, methodType(bound.type().returnType(), Exchange.class), new int[parameters]);
    MethodHandle answered = MethodHandles.foldArguments(answer(), call);
    MethodHandle split = LOOKUP.findVirtual(TypedMethod.class, "split", EXACT).bindTo(this);
    return MethodHandles.foldArguments(answered, split);
  }

  /** Of an exchange the call, or what a protocol has made of it. */
  private MethodHandle call() throws ReflectiveOperationException {
    MethodHandle call = LOOKUP.findVirtual(Exchange.class, "call", methodType(Call.class));
    if (callType == Call.class) {
      return call;
    }
    MethodHandle as = LOOKUP.findVirtual(Call.class, "as", methodType(Object.class, Class.class));
    MethodHandle view = MethodHandles.insertArguments(as, 1, callType);
    return MethodHandles.filterReturnValue(call, view.asType(methodType(callType, Call.class)));
  }

  private MethodHandle bound() {
    return receiver == null ? target : target.bindTo(receiver);
  }

  private void split(Exchange e) {
    arguments.split(e.bytes, e.paramsFrom, e.paramsTo, e.spans(arguments.count()), e.elements);
  }

  /** What becomes of the value: (R, Exchange)void, or (Exchange)void where there is none. */
  private MethodHandle answer() throws ReflectiveOperationException {
    Class<?> returned = target.type().returnType();
    if (returned == void.class) {
      return LOOKUP.findVirtual(Exchange.class, "nothing", methodType(void.class));
    }
    MethodHandle answer;
    if (returned.isPrimitive() && returned != char.class) {
      Class<?> number = returned == byte.class || returned == short.class ? int.class : returned;
      MethodHandle result =
          LOOKUP.findVirtual(Exchange.class, "result", methodType(void.class, number));
      answer = MethodHandles.permuteArguments(
          result, methodType(void.class, number, Exchange.class), 1, 0);
    } else {
      MethodType type = methodType(void.class, Object.class, Exchange.class);
      answer = LOOKUP.findVirtual(TypedMethod.class, "answer", type).bindTo(this);
    }
    return answer.asType(methodType(void.class, returned, Exchange.class));
  }

  @SuppressWarnings("unchecked") // by the declared type of the result
  private void answer(@Nullable Object value, Exchange e) {
    boolean later = switch (signature.answer()) {
      case STAGE -> true;
      case EITHER -> value instanceof CompletionStage;
      case NOTHING, VALUE -> false;
    };
    if (later) {
      e.stage(signature.result(), (CompletionStage<@Nullable Object>) value);
    } else {
      e.result(signature.result(), value);
    }
  }

  @Override
  public @Nullable Object handle(Call call) throws Exception {
    @Nullable Object[] values = bind(call);
    MethodHandle handle = boxed;
    if (handle == null) {
      handle = bound().asSpreader(Object[].class, values.length).asType(BOXED);
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
      throw new IllegalStateException(signature.where() + " threw what is no exception", e);
    }
  }

  private @Nullable Object[] bind(Call call) {
    Json params = call.params();
    byte[] bytes = params == null ? new byte[0] : params.source();
    int[] spans = new int[2 * arguments.count()];
    arguments.split(
        bytes,
        params == null ? 0 : params.start(),
        params == null ? 0 : params.end(),
        spans,
        Inbound.UNKNOWN);
    Cursor cursor = new Cursor(bytes, 0, 0);
    @Nullable Object[] values = new @Nullable Object[signature.method().getParameterCount()];
    for (int i = 0, slot = 0; i < values.length; i++) {
      values[i] = i == signature.callAt()
          ? call.as(callType)
          : slots.get(slot++).read(cursor, bytes, spans);
    }
    return values;
  }

  @Override
  public String toString() {
    return signature.where() + Arrays.toString(signature.method().getParameterTypes());
  }
}
