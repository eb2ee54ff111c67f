package dev.repartee;

import dev.repartee.json.JsonType;
import dev.repartee.json.JsonTypes;
import dev.repartee.json.JsonWriter;
import dev.repartee.stream.RemoteStream;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A method of a client proxy: sends its arguments as a call and returns the result. */
final class ProxyMethod {
  private final Signature signature;
  private final boolean notification;
  private final boolean byName;
  private final boolean idempotent;

  /** The index in the Java parameters of each argument that is sent. */
  private final int[] indices;

  /**
   * Creates a method of a proxy for {@code type}.
   *
   * @throws IllegalArgumentException if the method cannot be called remotely; the message names it
   */
  ProxyMethod(Class<?> type, Method method, JsonTypes types) {
    this.signature = Signature.of(type, method, types);
    Rpc rpc = signature.rpc();
    this.notification = rpc != null && rpc.notification();
    this.byName = rpc != null && rpc.named();
    this.idempotent = rpc != null && rpc.idempotent();
    this.indices = new int[signature.arguments().size()];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = signature.callAt() < 0 || i < signature.callAt() ? i : i + 1;
    }
    require(
        !notification || signature.answer() == Signature.Answer.NOTHING,
        "a notification has no answer, so the method must return void");
    require(
        !byName || signature.named(),
        "arguments are sent by name, so its parameters need names: compile with -parameters or"
            + " annotate them with @Param");
    require(
        signature.answer() != Signature.Answer.STAGE
            || method.getReturnType().isAssignableFrom(CallFuture.class),
        "the answer comes as a CallFuture: return that, CompletableFuture or CompletionStage");
    require(
        signature.streaming() == null
            || method.getReturnType().isAssignableFrom(RemoteStream.class),
        "the items come as a RemoteStream: return that or Flow.Publisher");
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalArgumentException(signature.where() + ": " + otherwise);
    }
  }

  @Nullable Object invoke(Peer peer, @Nullable Object[] values) throws Exception {
    CallBuilder call = peer.request(signature.name());
    if (signature.form() == Signature.Form.WHOLE) {
      call.params(whole(values[indices[0]]));
    } else if (indices.length > 0) {
      call.params(byName ? out -> named(out, values) : out -> positional(out, values));
    }
    if (idempotent) {
      call.idempotent();
    }
    if (notification) {
      call.sendNotification();
      return null;
    }
    if (signature.streaming() != null) {
      return call.streaming(signature.streaming()).stream(items());
    }
    CallFuture<@Nullable Object> answer = call.send(signature.result());
    if (signature.answer() == Signature.Answer.STAGE) {
      return answer;
    }
    try {
      return answer.await();
    } catch (RemoteRpcException e) {
      throw raised(peer, e);
    }
  }

  @SuppressWarnings("unchecked") // a stream has no null items
  private JsonType<Object> items() {
    return (JsonType<Object>) (JsonType<?>) signature.result();
  }

  /** Returns the exception to throw for a received error. */
  private Exception raised(Peer peer, RemoteRpcException received) {
    Exception raised = peer.options().raised(received);
    boolean allowed = raised instanceof RuntimeException
        || Stream.of(signature.method().getExceptionTypes())
            .anyMatch(declared -> declared.isInstance(raised));
    return raised != null && allowed ? raised : received;
  }

  /**
   * Writes the arguments in order. Empty optionals and an empty variadic argument at the end are
   * left out; an empty optional before another argument is written as null.
   */
  private void positional(JsonWriter out, @Nullable Object[] values) {
    List<Signature.Argument> arguments = signature.arguments();
    int count = indices.length;
    while (count > 0 && isLeftOut(arguments.get(count - 1), values[indices[count - 1]])) {
      count--;
    }
    out.put('[');
    for (int i = 0; i < count; i++) {
      out.ascii(i > 0 ? "," : "");
      Signature.Argument argument = arguments.get(i);
      Object value = values[indices[i]];
      if (argument.variadic() && value != null) {
        out.elements(argument.type(), value);
      } else {
        argument.type().write(out, value);
      }
    }
    out.put(']');
  }

  /** Returns the params as a whole, or null if there are none. */
  private @Nullable Params whole(@Nullable Object value) {
    JsonType<@Nullable Object> type = signature.arguments().get(0).type();
    return value == null || type.isAbsent(value) ? null : out -> type.write(out, value);
  }

  private void named(JsonWriter out, @Nullable Object[] values) {
    out.put('{');
    boolean first = true;
    for (int i = 0; i < indices.length; i++) {
      Signature.Argument argument = signature.arguments().get(i);
      Object value = values[indices[i]];
      if (!isLeftOut(argument, value)) {
        out.ascii(first ? "" : ",").string(argument.name()).put(':');
        argument.type().write(out, value);
        first = false;
      }
    }
    out.put('}');
  }

  private static boolean isLeftOut(Signature.Argument argument, @Nullable Object value) {
    if (argument.variadic()) {
      return value == null || Array.getLength(value) == 0;
    }
    return argument.type().isAbsent(value);
  }
}
