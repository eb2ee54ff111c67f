package dev.repartee;

import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.json.UnsafeJson;
import dev.repartee.message.ParsedFrame;
import java.util.Objects;

/**
 * An exchange that is served immediately, on the reading thread. It points into the read buffer,
 * and the thread reuses it for the next message: nothing is allocated.
 *
 * <p>It serves only methods with a {@link MethodInvoker}, and only if user code gets no reference to
 * the exchange: there are no layers ({@link ServerContext#isSeen}), or the checks of the only layer
 * accept the params ({@link ServerContext#accepted}). No other thread sees it: it needs neither a
 * lock nor a claim. It is not registered with the {@link Scheduler}, cannot be cancelled and has no
 * deadline.
 */
final class BorrowedExchange extends Exchange {
  BorrowedExchange() {
    super(ParsedFrame.SPANS);
  }

  /** Serves the message that the element points at. Throws nothing. */
  void serve(Connection connection, Element element, RpcMethod method) {
    pointAt(connection, element, method);
    takeSpans(element.frame, 0);
    try {
      Objects.requireNonNull(method.invoker()).invoke(this);
    } catch (Throwable t) {
      fail(t);
    }
    release();
  }

  @Override
  boolean claimAnswer() {
    return true;
  }

  @Override
  void count(int bytes) {
    connection().scheduler().calls().sentInline(bytes);
  }

  @Override
  Json json(int from, int to) {
    return UnsafeJson.copy(bytes, from, to);
  }

  /**
   * Returns a new call, for the listener or for a layer that handles a result. No handler of such a
   * method has a {@link Call} parameter.
   */
  @Override
  Call call() {
    return call(null, new Cancellation(), Clock.NEVER, connection().attributes());
  }
}
