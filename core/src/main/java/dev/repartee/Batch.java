package dev.repartee;

import dev.repartee.json.Json;
import dev.repartee.json.JsonType;
import dev.repartee.json.TypeToken;
import dev.repartee.limits.LimitException;
import dev.repartee.limits.Limits;
import dev.repartee.message.Codec;
import dev.repartee.transport.Headers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch of calls and notifications that are sent as one message (JSON-RPC 2.0 section 6). Not
 * thread-safe. A batch can be sent once.
 *
 * <p>Each call and notification passes through {@link Options#callLayers()} when it is added. A
 * call that a layer passes on after {@link #send}, because it repeats the call or has waited for a
 * token, is sent on its own. With such layers, a call that cannot be added fails its future instead
 * of throwing an exception.
 *
 * <p>The peer may limit the number of elements in a batch ({@link Limits#batch} in this library)
 * and its size ({@link Limits#frameBytes}). The time-out of a call starts when the call is added.
 */
public final class Batch {
  /** One element of the batch; {@code pending} is null for a notification. */
  record Element(CallBuilder call, @Nullable Pending<?> pending) {
    long id() {
      return pending == null ? Codec.NO_ID : pending.id();
    }
  }

  private final Peer peer;
  private final List<Element> elements = new ArrayList<>();

  // Guarded by elements, like them: layers may add calls on other threads.
  private boolean sent;
  private Headers headers = Headers.NONE;

  Batch(Peer peer) {
    this.peer = peer;
  }

  /**
   * Adds a call with arguments by position. The response cannot arrive before {@link #send}.
   * Waiting for the returned future before that throws {@link IllegalStateException}, also on
   * another thread: pass the future on after sending, or use its callbacks. A wait with a time
   * limit fails after that time.
   *
   * @param result the type of the result
   * @param args values that {@link Json#of} can write
   * @throws LimitException if {@link Limits#pendingCalls} calls are pending
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   * @throws IllegalStateException if the batch was sent before
   */
  public <T> CallFuture<T> callAsync(String method, Class<T> result, @Nullable Object... args) {
    return callAsync(peer.request(method).args(args), result);
  }

  /**
   * Adds a call with the params, time-out and progress consumer of a {@link CallBuilder}.
   *
   * @throws IllegalArgumentException if the call has headers: a batch is one message, and {@link
   *     #header} sets its headers
   * @throws LimitException if {@link Limits#pendingCalls} calls are pending
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   * @throws IllegalStateException if the batch was sent before
   */
  public <T> CallFuture<T> callAsync(CallBuilder call, Class<T> result) {
    return callAsync(call, peer.types().of(result));
  }

  /**
   * Adds a call with a result of a generic type; see {@link #callAsync(String, Class, Object...)}.
   */
  public <T> CallFuture<T> callAsync(String method, TypeToken<T> result, @Nullable Object... args) {
    return callAsync(peer.request(method).args(args), result);
  }

  /** Adds a call with a result of a generic type; see {@link #callAsync(CallBuilder, Class)}. */
  public <T> CallFuture<T> callAsync(CallBuilder call, TypeToken<T> result) {
    return callAsync(call, peer.types().of(result));
  }

  private <T> CallFuture<T> callAsync(CallBuilder call, JsonType<T> result) {
    requireUnsent();
    if (!call.headers.isEmpty()) {
      throw new IllegalArgumentException("the call of '" + call.method + "' has the headers "
          + call.headers + ", but a batch is one message; set them with Batch.header");
    }
    return peer.caller().layers().add(this, call, result, peer);
  }

  /**
   * Adds a header to the message of this batch; see {@link CallBuilder#header}. Headers that layers
   * set for its calls belong to the message, too: the last value of a name is sent.
   *
   * @throws IllegalArgumentException if the header is not allowed
   * @throws IllegalStateException if the batch was sent before
   */
  public Batch header(String name, String value) {
    synchronized (elements) {
      requireUnsent();
      headers = MessageHeaders.with(headers, name, value);
    }
    return this;
  }

  /**
   * Adds a call behind the layers; if the batch was sent, sends the call on its own, with the
   * headers of the batch.
   */
  <T extends @Nullable Object> CallFuture<T> add(CallBuilder call, JsonType<T> result) {
    synchronized (elements) {
      if (!sent) {
        Headers all = MessageHeaders.with(headers, call.headers);
        Pending<T> pending = peer.caller().register(call, result);
        headers = all;
        pending.inUnsentBatch = true;
        elements.add(new Element(call, pending));
        return pending.future;
      }
    }
    return peer.caller().request(call.under(headers), result);
  }

  /** Adds a notification behind the layers; if the batch was sent, sends it on its own. */
  void add(CallBuilder call) {
    synchronized (elements) {
      if (!sent) {
        headers = MessageHeaders.with(headers, call.headers);
        elements.add(new Element(call, null));
        return;
      }
    }
    peer.caller().notification(call.under(headers));
  }

  /**
   * Adds a notification with arguments by position.
   *
   * @throws IllegalStateException if the batch was sent before
   */
  public Batch notify(String method, @Nullable Object... args) {
    requireUnsent();
    peer.caller().layers().add(this, peer.request(method).args(args), peer);
    return this;
  }

  /**
   * Sends the batch. Calls that were cancelled or timed out before are left out. An empty batch,
   * which the specification forbids, is not sent. If sending fails, all calls of the batch fail
   * too.
   *
   * @throws LimitException if the batch is too large, or if the write queue stays full for {@link
   *     Limits#drainTimeout} because the peer does not read
   * @throws dev.repartee.transport.DisconnectedException if the connection has ended
   * @throws IllegalStateException if the batch was sent before
   */
  public void send() {
    synchronized (elements) {
      requireUnsent();
      sent = true; // nothing more is added
    }
    for (Element element : elements) {
      if (element.pending() != null) {
        element.pending().inUnsentBatch = false;
      }
    }
    if (elements.isEmpty()) {
      return;
    }
    try {
      peer.caller().batch(elements, headers);
    } catch (RuntimeException | Error e) {
      for (Element element : elements) {
        if (element.pending() != null) {
          peer.caller().fail(element.pending(), e);
        }
      }
      throw e;
    }
  }

  boolean isSent() {
    synchronized (elements) {
      return sent;
    }
  }

  private void requireUnsent() {
    synchronized (elements) {
      if (sent) {
        throw new IllegalStateException("this batch was sent; start another");
      }
    }
  }
}
