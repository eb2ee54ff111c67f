package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * A handler with Java parameters. It binds them to the params of the call, then runs. A {@link
 * Layer} may read the arguments between these steps ({@link Call#arguments}); the handler then
 * reuses them, and the params are read once.
 */
interface BindingHandler extends Handler {
  /**
   * Reads one argument for each Java parameter.
   *
   * @throws RpcException invalid params (-32602) if the params do not fit
   */
  @Nullable Object[] bind(Call call);

  /** Runs with arguments of {@link #bind}. */
  @Nullable Object run(@Nullable Object[] arguments) throws Exception;

  /**
   * Returns the name of an argument in the params of a call; empty if it is the params as a
   * whole, or the call.
   */
  String argumentName(Call call, int index);

  /** Returns the params as a whole, if the handler reads them so; null otherwise. */
  @Nullable WholeParams whole();

  @Override
  default @Nullable Object handle(Call call) throws Exception {
    return run(call.argumentsOf(this));
  }
}
