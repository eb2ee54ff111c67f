package dev.repartee.a2a.server;

import dev.repartee.Id;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.MessageCodec;
import dev.repartee.json.Json;
import dev.repartee.transport.DisconnectedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the events of a task to one client. Each event is a response to the same request; the
 * last one is the result of the call, which the engine sends.
 *
 * <p>The lock of the {@link LiveTask} orders the events. {@link #result} may be completed by any
 * thread.
 */
final class Subscriber {
  private final MessageCodec codec;
  private final Id id;
  private final StreamReply reply;
  private final boolean endsWhenInterrupted;
  private final CompletableFuture<Json> result = new CompletableFuture<>();

  /**
   * {@code id} is that of the request; {@code endsWhenInterrupted} tells whether the stream ends
   * when the task waits for its client.
   */
  Subscriber(MessageCodec codec, Id id, StreamReply reply, boolean endsWhenInterrupted) {
    this.codec = codec;
    this.id = id;
    this.reply = reply;
    this.endsWhenInterrupted = endsWhenInterrupted;
    reply.expectStream();
  }

  /** Returns the future of the last event. */
  CompletableFuture<Json> result() {
    return result;
  }

  /** Sends an event. Returns false if the stream is over. */
  boolean send(StreamResponse event) {
    if (isLast(event)) {
      result.complete(codec.event(event, true));
      return false;
    }
    try {
      reply.event(id, codec.event(event, isInterruption(event)));
      return !result.isDone();
    } catch (DisconnectedException e) {
      result.cancel(false);
      return false;
    }
  }

  private boolean isLast(StreamResponse event) {
    TaskState state = state(event);
    return event instanceof Message
        || state != null && state.isTerminal()
        || isInterruption(event) && endsWhenInterrupted;
  }

  private static boolean isInterruption(StreamResponse event) {
    return event instanceof TaskStatusUpdateEvent update
        && update.status().state().isInterrupted();
  }

  private static @Nullable TaskState state(StreamResponse event) {
    if (event instanceof Task task) {
      return task.state();
    }
    return event instanceof TaskStatusUpdateEvent update ? update.status().state() : null;
  }

  /** Waits until the client has read enough; returns false if it did not do so in time. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    try {
      return result.isDone() || reply.awaitRoom(time, unit);
    } catch (DisconnectedException e) {
      result.cancel(false);
      return true;
    }
  }

  /** Ends the stream, because the server closes. */
  void closing() {
    result.completeExceptionally(Errors.unsupported("the server closes; subscribe again later"));
  }

  /** Ends the stream, because its client does not read it. */
  void lag(int bytes) {
    result.completeExceptionally(Errors.busy("outboundBytes", bytes));
  }
}
