package dev.repartee.a2a.client;

import dev.repartee.ProtocolException;
import dev.repartee.RemoteRpcException;
import dev.repartee.ReparteeException;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.Operation;
import dev.repartee.framing.SseReader;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.transport.DisconnectedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a task, or the message of an answer without a task. The stream reads an event when
 * the caller requests it; a slow caller therefore slows down the agent.
 *
 * <pre>{@code
 * try (EventStream events = client.stream(Message.user("Write a poem"))) {
 *   for (StreamResponse event : events) {
 *     System.out.println(event);
 *   }
 * }
 * }</pre>
 *
 * <p>If the connection is lost before the task has ended, the stream subscribes to the task again.
 * The next event is then the current {@link Task}. One thread reads a stream; any thread may close
 * it.
 */
public final class EventStream
    implements Iterator<StreamResponse>, Iterable<StreamResponse>, AutoCloseable {
  private static final Duration FIRST_DELAY = Duration.ofMillis(200);

  private final A2aClient client;
  private final Requests requests;
  private final Settings settings;
  private final String method;
  private final Deque<StreamResponse> arrived = new ArrayDeque<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile Body body;
  private SseReader reader;
  private @Nullable String taskId;
  private final StreamedTask streamed;
  private @Nullable Message message;
  private boolean over;

  /** The number of connections that were lost since the last event. */
  private int lost;

  /** True until the first event after a subscription. */
  private boolean resumed;

  /** The error with which the agent refused a subscription to the running task, or null. */
  private @Nullable RemoteRpcException refusal;

  EventStream(
      A2aClient client,
      Requests requests,
      Settings settings,
      String method,
      Body body,
      @Nullable String taskId) {
    this.client = client;
    this.requests = requests;
    this.settings = settings;
    this.method = method;
    this.body = body;
    this.taskId = taskId;
    this.streamed = new StreamedTask(requests.http().frameBytes(), settings.budget());
    this.reader = reader();
  }

  private SseReader reader() {
    return new SseReader(
        (type, id, data, from, to) -> take(Arrays.copyOfRange(data, from, to)),
        requests.http().frameBytes());
  }

  private void take(byte[] data) {
    Json result = requests.result(method, data);
    StreamResponse event = requests.read(requests.codec()::readEvent, result);
    arrived.add(event);
    streamed.eventArrived();
  }

  // ---------------------------------------------------------------- reading

  /** Returns this stream. Its events can be read once. */
  @Override
  public Iterator<StreamResponse> iterator() {
    return this;
  }

  /**
   * Waits for the next event.
   *
   * @return false at the end of the stream: the task has ended or waits for the client, the agent
   *     has answered with a message, or the stream was closed
   * @throws RemoteRpcException if the agent ends the stream with an error
   * @throws DisconnectedException if the connection was lost and cannot be replaced
   */
  @Override
  public boolean hasNext() {
    while (arrived.isEmpty() && !over && closed.getCount() > 0) {
      if (refusal != null) {
        close();
        throw new DisconnectedException(
            "the stream of the task " + taskId + " was cut, and the agent refuses another one: "
                + refusal.getMessage() + "; get the task later",
            refusal);
      }
      try {
        byte[] piece = body.read(settings.idleTimeout());
        if (piece == null) {
          cut(null);
        } else {
          streamed.arrived(piece.length);
          reader.read(piece, 0, piece.length);
        }
      } catch (IOException e) {
        cut(e);
      } catch (LimitException e) {
        close();
        throw new ProtocolException("an event of the agent is too large: " + e.getMessage());
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }
    if (arrived.isEmpty()) {
      close();
      return false;
    }
    return true;
  }

  /**
   * Returns the next event; waits like {@link #hasNext}. After a lost connection this method may
   * also fetch the task from the agent. If that call fails, its exception is thrown, no event is
   * lost, and the next call tries again.
   *
   * @throws NoSuchElementException at the end of the stream
   */
  @Override
  public StreamResponse next() {
    if (!hasNext()) {
      throw new NoSuchElementException("the stream has ended");
    }
    StreamResponse event = arrived.element();
    lost = 0;
    if (resumed && !(event instanceof Task) && taskId != null) {
      // In version 0.3 the first event need not be the task. The event stays in the queue.
      Task present = fetch(taskId);
      resumed = false;
      streamed.replace(present);
      return present;
    }
    arrived.remove();
    resumed = false;
    note(event);
    return event;
  }

  private void note(StreamResponse event) {
    if (event instanceof Message answer) {
      message = answer;
      over = true;
    } else if (event instanceof Task known) {
      taskId = known.id();
      over |= known.state().isTerminal();
    } else if (event instanceof TaskStatusUpdateEvent update) {
      taskId = update.taskId();
      over = update.status().state().isTerminal();
    } else if (event instanceof TaskArtifactUpdateEvent update) {
      taskId = update.taskId();
    }
    streamed.add(event);
  }

  /**
   * Returns the task with the events that were read. Returns null if the agent has not sent the
   * task, or if the events together need more memory than four times {@link
   * A2aClient.Builder#frameBytes}, or than the memory budget has.
   */
  public @Nullable Task task() {
    return streamed.task();
  }

  /**
   * Reads the events up to the end.
   *
   * @return the message of the agent, or the task after all events
   * @throws ProtocolException if the stream has ended without a message and without a task, or if
   *     the events together need more memory than four times {@link A2aClient.Builder#frameBytes},
   *     or than the memory budget has
   */
  public SendMessageResponse last() {
    return last(event -> {});
  }

  /**
   * Reads the events up to the end as {@link #last()} does, and passes each to a function.
   *
   * @param each receives each event on the calling thread; if it throws, the stream stays open
   */
  public SendMessageResponse last(Consumer<StreamResponse> each) {
    while (hasNext()) {
      each.accept(next());
      streamed.requireKept(taskId);
    }
    Task task = streamed.task();
    if (message != null) {
      return message;
    } else if (task != null) {
      return task;
    }
    streamed.requireKept(taskId);
    if (taskId != null) {
      return fetch(taskId);
    }
    throw new ProtocolException("the stream has ended without a task or a message");
  }

  /** Fetches the task. If that call is not sent, the message of the stream still was. */
  private Task fetch(String id) {
    try {
      return client.task(id);
    } catch (ReparteeException e) {
      throw e.unsent() == null
          ? e
          : new DisconnectedException(
              "the task " + id + " cannot be fetched now; get it later: " + e.getMessage(), e);
    }
  }

  // ---------------------------------------------------------------- lost connections

  /**
   * Resumes a stream that has ended before its task, or ends it for good.
   *
   * @param cause the failure of the connection; null after an orderly end
   */
  private void cut(@Nullable IOException cause) {
    if (closed.getCount() == 0) {
      return;
    }
    Task task = streamed.task();
    if (cause == null && task != null && task.state().isInterrupted()) {
      over = true; // the agent waits for a message and may end its streams
      return;
    }
    String id = taskId;
    if (id == null || lost >= settings.reconnects()) {
      over = true;
      if (cause == null && id == null) {
        return;
      }
      close();
      throw new DisconnectedException(
          id == null
              ? "the stream was cut before its first event; the agent may have got the message"
              : "the stream of the task " + id + " was cut; get the task or subscribe to it later",
          cause);
    }
    lost++;
    resume(id);
  }

  private void resume(String id) {
    try {
      long delay = FIRST_DELAY.toMillis() << Math.min(lost - 1, 8);
      if (lost > 1 && closed.await(delay, TimeUnit.MILLISECONDS)) {
        return;
      }
      body = requests.open(Operation.SUBSCRIBE_TO_TASK, client.taskParams(id, null));
      if (closed.getCount() == 0) {
        body.cancel();
      }
      reader = reader();
      streamed.eventArrived(); // the rest of the lost stream is dropped
      resumed = true;
    } catch (ReparteeException e) {
      if (e instanceof DisconnectedException || e.unsent() != null) {
        cut(new IOException(e)); // a server that closes refuses it; the next one may not
      } else if (e instanceof RemoteRpcException error && hasNoStream(error)) {
        Task present = fetch(id); // the task has ended or waits for a message
        arrived.add(present);
        over = present.state().isTerminal() || present.state().isInterrupted();
        refusal = over ? null : error;
      } else {
        throw e;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
    }
  }

  private static boolean hasNoStream(RemoteRpcException error) {
    return error.code() == Errors.UNSUPPORTED_OPERATION || error.code() == Errors.TASK_NOT_FOUND;
  }

  /** Ends the stream. The task continues. */
  @Override
  public void close() {
    closed.countDown();
    body.cancel();
    streamed.release();
    client.closed(this);
  }
}
