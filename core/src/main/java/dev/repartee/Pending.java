package dev.repartee;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A call of ours that waits for its answer. */
final class Pending<T extends @Nullable Object> implements Output.Awaited {
  final long id;
  final long due;
  final String method;
  final JsonType<T> type;
  final @Nullable Consumer<Json> progress;
  private final Caller caller;
  final CallFuture<T> future;

  /** The next in the same bucket of the {@link Caller}'s table. */
  @Nullable Pending<?> next;

  Pending(Caller caller, long id, long due, Invocation call, JsonType<T> type) {
    this.caller = caller;
    this.id = id;
    this.due = due;
    this.method = call.method;
    this.type = type;
    this.progress = call.progress;
    this.future = new CallFuture<>(call.method, () -> caller.cancelled(this), caller.spin);
  }

  @Override
  public boolean isAwaited() {
    return caller.isAwaited(id);
  }

  @Override
  public void fail(RuntimeException cause) {
    caller.fail(id, cause);
  }

  /** Ends the call with what the answer holds. */
  void answer(Inbound in, int i) {
    try {
      if (in.isFlawed(i)) {
        throw new ProtocolException(Flaw.of(in, i));
      } else if (in.resultFrom(i) != in.resultTo(i)) {
        future.complete(type.read(in.bytes(), in.resultFrom(i), in.resultTo(i)));
      } else {
        future.completeExceptionally(new RpcException(in.error(i)));
      }
    } catch (ProtocolException e) {
      future.completeExceptionally(new ProtocolException(
          "the answer to '" + method + "' is no response: " + e.getMessage()));
    } catch (JsonException e) {
      future.completeExceptionally(
          new JsonException("the result of '" + method + "': " + e.getMessage()));
    } catch (Throwable e) {
      future.completeExceptionally(e);
    }
  }
}
