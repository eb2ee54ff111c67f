package dev.repartee;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls and notifications that travel as one message (JSON-RPC 2.0 section 6). For one thread, and to
 * be sent once; the layers around calls see nothing of it.
 *
 * <p>The other side may bound how many stand in a batch ({@link Limits#batch} here) and how large it
 * is ({@link Limits#frameBytes}). The time of a call runs from when it was added.
 */
public final class Batch {
  /** One message of the batch; a notification has nothing pending. */
  record Element(Invocation call, @Nullable Pending<?> pending) {
    long id() {
      return pending == null ? Codec.NO_ID : pending.id;
    }
  }

  private final Peer peer;
  private final List<Element> elements = new ArrayList<>();
  private boolean sent;

  Batch(Peer peer) {
    this.peer = peer;
  }

  /**
   * Adds a call with arguments by position; its answer comes once the batch was sent, so do not wait
   * for it before.
   *
   * @throws LimitException if too many calls wait already
   * @throws DisconnectedException if the connection has ended
   */
  public <T> CallFuture<T> call(String method, Class<T> result, @Nullable Object... args) {
    return call(peer.request(method).args(args), result);
  }

  /** Adds a call with all that an invocation can say. */
  public <T> CallFuture<T> call(Invocation call, Class<T> result) {
    requireUnsent();
    Pending<T> pending = peer.caller().register(call, Types.of(result));
    elements.add(new Element(call, pending));
    return pending.future;
  }

  /** Adds a notification with arguments by position. */
  public Batch notify(String method, @Nullable Object... args) {
    requireUnsent();
    elements.add(new Element(peer.request(method).args(args), null));
    return this;
  }

  /**
   * Sends it. Calls that were cancelled or timed out before are left out; an empty batch, which the
   * specification forbids, is not sent. Where sending fails, so do all its calls.
   *
   * @throws LimitException if it is too large, or the other side does not read
   * @throws DisconnectedException if the connection has ended
   */
  public void send() {
    requireUnsent();
    sent = true;
    if (elements.isEmpty()) {
      return;
    }
    try {
      peer.caller().batch(elements);
    } catch (RuntimeException | Error e) {
      elements.forEach(element -> peer.caller().fail(element.id(), e));
      throw e;
    }
  }

  private void requireUnsent() {
    if (sent) {
      throw new IllegalStateException("this batch was sent; start another");
    }
  }
}
