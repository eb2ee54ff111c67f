package dev.repartee;

import org.jspecify.annotations.Nullable;

/** How the calls of an {@link RpcMethod} run. */
sealed interface Execution {
  /** Returns the handler, which runs inside layers, and for calls without an {@link #invoker}. */
  Handler handler();

  /**
   * Returns the invoker, which calls a method without boxing; null if there is only the handler.
   */
  default @Nullable MethodInvoker invoker() {
    return null;
  }

  /**
   * Returns whether the exchange may be used after the invocation has returned, because the method
   * has a {@link Call} parameter or answers later.
   */
  default boolean isDetached() {
    return true;
  }

  /** A Java method. */
  record OfJava(TypedMethod method, boolean isDetached) implements Execution {
    @Override
    public Handler handler() {
      return method;
    }

    @Override
    public MethodInvoker invoker() {
      return method;
    }
  }

  /** A handler, which may keep its call. */
  record OfHandler(Handler handler) implements Execution {}

  /**
   * A method of this library about the connection, such as {@code rpc.ping}. It runs on the reader,
   * before queued messages, and is answered above {@link dev.repartee.limits.Limits#runningCalls}.
   */
  record Control(Handler handler) implements Execution {}

  /**
   * The handler of the messages that no method of the service serves; see {@link Service#other}.
   */
  record OfOthers(Handler handler) implements Execution {}

  /** Calls of a method that does not exist. They fail behind the layers. */
  record Unknown() implements Execution {
    @Override
    public Handler handler() {
      throw new IllegalStateException("only layers run for an unknown method");
    }
  }

  /** Runs on the reader, before queued messages and without layers; for example cancellation. */
  record Immediate(MethodInvoker invoker) implements Execution {
    private static final Handler UNUSED = call -> null;

    @Override
    public Handler handler() {
      return UNUSED;
    }

    @Override
    public boolean isDetached() {
      return false;
    }
  }
}
