package dev.repartee.a2a.server;

import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.A2aJson;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.json.Json;
import dev.repartee.message.Id;
import dev.repartee.transport.DisconnectedException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A stream of the events of a task to one client. Each event is a response to the same request. The
 * last event is the result of the call, and the engine sends it.
 *
 * <p>The lock of the {@link LiveTask} orders the events. Any thread may complete {@link #result}.
 */
final class Subscriber {
  private final A2aJson codec;
  private final Id id;
  private final StreamReply reply;
  private final boolean endsWhenInterrupted;
  private final BiConsumer<String, TaskStatus> sending;
  private final CompletableFuture<Json> result = new CompletableFuture<>();

  /**
   * Creates a subscriber.
   *
   * @param id the id of the request
   * @param endsWhenInterrupted whether the stream ends when the task waits for its client
   * @param sending receives the id and the state of the task just before an event with both is sent
   */
  Subscriber(
      A2aJson codec,
      Id id,
      StreamReply reply,
      boolean endsWhenInterrupted,
      BiConsumer<String, TaskStatus> sending) {
    this.codec = codec;
    this.id = id;
    this.reply = reply;
    this.endsWhenInterrupted = endsWhenInterrupted;
    this.sending = sending;
    reply.expectStream();
  }

  /** Returns the future of the last event. */
  CompletableFuture<Json> result() {
    return result;
  }

  /** Sends an event. Returns false if the stream is over. */
  boolean send(StreamResponse event) {
    if (result.isDone()) { // completed as well if the client has disconnected
      return false;
    } else if (event instanceof Task task) {
      sending.accept(task.id(), task.status());
    } else if (event instanceof TaskStatusUpdateEvent update) {
      sending.accept(update.taskId(), update.status());
    }
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

  /** Waits for room in the write queue of the client. Returns false after the time. */
  boolean awaitRoom(long time, TimeUnit unit) throws InterruptedException {
    try {
      return result.isDone() || reply.awaitRoom(time, unit);
    } catch (DisconnectedException e) {
      result.cancel(false);
      return true;
    }
  }

  /** Ends the stream because the server closes. */
  void closing() {
    result.completeExceptionally(
        Errors.unsupported("the server is closing; subscribe again later"));
  }

  /** Ends the stream because its client does not read it. */
  void lag(int bytes) {
    result.completeExceptionally(Errors.busy("outboundBytes", bytes));
  }
}
