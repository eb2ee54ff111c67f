package dev.repartee.a2a.server;

import dev.repartee.Call;
import dev.repartee.Cancellation;
import dev.repartee.FrameResponder;
import dev.repartee.RpcException;
import dev.repartee.a2a.types.Artifact;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.Part;
import dev.repartee.a2a.types.Role;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.SendMessageResponse;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskArtifactUpdateEvent;
import dev.repartee.a2a.types.TaskState;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.types.TaskStatusUpdateEvent;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.message.RpcError;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Handles one message with an {@link Agent}. Provides the message, and sends the events of the
 * agent. The first event begins a task, unless it is a {@link #reply}.
 *
 * <p>Thread-safe: an agent may send events from several threads until {@link Agent#handle} returns.
 * The methods that send events wait up to {@code Limits.drainTimeout} for slow clients; then they
 * end the streams of these clients. They throw {@link CancellationException} if
 * the task has ended or was cancelled.
 */
public final class Turn {
  private final Turns turns;
  private final LiveTask live;
  private final SendMessageRequest request;
  private final Message message;
  private final ProtocolVersion version;
  private final String contextId;
  private final Client client;
  private final CompletableFuture<SendMessageResponse> first = new CompletableFuture<>();
  private final CompletableFuture<SendMessageResponse> end = new CompletableFuture<>();

  /**
   * Orders the events. Guards changes of {@link #task} and {@link #replied}, which are read without
   * it. Acquired before the lock of the LiveTask.
   */
  private final ReentrantLock lock = new ReentrantLock();

  private volatile @Nullable Task task;
  private final String place; // in RunningTurns
  private volatile boolean replied;
  private volatile boolean stopped;
  private volatile boolean handled;
  private volatile @Nullable Call call;
  private volatile FrameResponder.@Nullable InFlightFrame served;

  /** The publication of the failure of an agent that has exceeded its time, or null. */
  private volatile @Nullable CompletableFuture<@Nullable Void> late;

  Turn(
      Turns turns,
      LiveTask live,
      SendMessageRequest request,
      ProtocolVersion version,
      String contextId,
      Client client,
      String place) {
    this.turns = turns;
    this.live = live;
    this.request = request;
    this.version = version;
    this.contextId = contextId;
    this.client = client;
    this.place = place;
    boolean continues = request.message().taskId() != null;
    this.message = request.message().in(contextId, continues ? live.id() : null);
  }

  String place() {
    return place;
  }

  // ---------------------------------------------------------------- the message

  /** Returns the message, with the id of its context. */
  public Message message() {
    return message;
  }

  /** Returns the request that carried the message, with the options of the client. */
  public SendMessageRequest request() {
    return request;
  }

  /** Returns the id of the conversation. It is a new id unless the client has sent one. */
  public String contextId() {
    return contextId;
  }

  /** Returns the id of the task of this message, even before the first event begins the task. */
  public String taskId() {
    return live.id();
  }

  /**
   * Returns the task with its history and artifacts. Returns null if the message does not continue
   * a task and the agent has not sent an event.
   */
  public @Nullable Task task() {
    return task;
  }

  /** Returns the name of the client; null without authentication. */
  public @Nullable String client() {
    return client.owner();
  }

  /** Returns the call of the agent, with the attributes of the HTTP request such as its headers. */
  public Call call() {
    return Objects.requireNonNull(call, "the agent is not called yet");
  }

  /**
   * Returns the cancellation token. It is cancelled if the task is cancelled, or if the connection
   * of the client ends before the first event.
   */
  public Cancellation cancellation() {
    return call().cancellation();
  }

  /**
   * Returns the {@link System#nanoTime} when the request of the message arrived. The author of the
   * message cannot have seen events that the agent sent after that time. Like {@link #call}, it is
   * for the agent.
   */
  public long arrival() {
    Long arrival = call().attributes().get(Operations.ARRIVAL);
    return arrival == null ? System.nanoTime() : arrival;
  }

  // ---------------------------------------------------------------- events

  /**
   * Answers with a message and without a task. If the task exists, completes it with the message.
   */
  public void reply(Message answer) {
    Message complete = answer.in(contextId, answer.taskId());
    lock.lock();
    try {
      if (replied) {
        throw new IllegalStateException("the message was answered already");
      }
      if (task == null) {
        requireRunning();
        replied = true;
        live.tell(complete);
        first.complete(complete);
        end.complete(complete);
        return;
      }
    } finally {
      lock.unlock();
    }
    status(TaskState.COMPLETED, complete);
  }

  /** Reports that the agent works on the task. */
  public void working() {
    status(TaskState.WORKING, null);
  }

  /** Reports the progress of the work with a text for people. */
  public void working(String text) {
    status(TaskState.WORKING, Message.agent(text));
  }

  /** Completes the task. */
  public void complete() {
    status(TaskState.COMPLETED, null);
  }

  /** Completes the task with a message; results belong in artifacts (section 3.7). */
  public void complete(String text) {
    status(TaskState.COMPLETED, Message.agent(text));
  }

  /** Ends the task with a failure. */
  public void fail(String text) {
    status(TaskState.FAILED, Message.agent(text));
  }

  /** Ends the task because the agent refuses it. */
  public void reject(String text) {
    status(TaskState.REJECTED, Message.agent(text));
  }

  /**
   * Asks the client for another message. The agent should return, because that message begins a new
   * turn.
   */
  public void requireInput(String question) {
    status(TaskState.INPUT_REQUIRED, Message.agent(question));
  }

  /** Asks the client for credentials (section 7.6). The agent may wait for them or return. */
  public void requireAuth(String text) {
    status(TaskState.AUTH_REQUIRED, Message.agent(text));
  }

  /**
   * Changes the status of the task.
   *
   * @param about the message of the agent about the status, or null
   */
  public void status(TaskState state, @Nullable Message about) {
    Message complete = about == null ? null : about.in(contextId, live.id());
    TaskStatus status = new TaskStatus(state, complete, LiveTask.now());
    publish(new TaskStatusUpdateEvent(live.id(), contextId, status, null));
  }

  /** Adds a complete artifact, or replaces the artifact with its id. */
  public void artifact(Artifact artifact) {
    publish(new TaskArtifactUpdateEvent(live.id(), contextId, artifact, false, true, null));
  }

  /** Begins an artifact to which {@link #append} adds further parts. */
  public void beginArtifact(Artifact artifact) {
    publish(new TaskArtifactUpdateEvent(live.id(), contextId, artifact, false, false, null));
  }

  /**
   * Adds parts to an artifact.
   *
   * @param lastChunk whether the artifact is then complete
   */
  public void append(String artifactId, boolean lastChunk, Part... parts) {
    Artifact more = new Artifact(artifactId, null, null, List.of(parts), null, List.of());
    publish(new TaskArtifactUpdateEvent(live.id(), contextId, more, true, lastChunk, null));
  }

  private void publish(StreamResponse event) {
    lock.lock();
    try {
      requireRunning();
      if (replied) {
        throw new IllegalStateException("the message was answered without a task");
      }
      Task before = ensureTask();
      Task after = live.publish(event, (sent, stored) -> turns.published(sent, stored, client));
      task = after;
      first.complete(before);
      if (after.state().isTerminal() || isInterrupting(event)) {
        end.complete(after);
      }
    } finally {
      lock.unlock();
    }
    turns.awaitRoom(live);
  }

  private static boolean isInterrupting(StreamResponse event) {
    return event instanceof TaskStatusUpdateEvent update
        && update.status().state().isInterrupted();
  }

  private Task ensureTask() {
    Task known = task;
    if (known == null) {
      Message begin = message.in(contextId, live.id());
      TaskStatus status = new TaskStatus(TaskState.SUBMITTED, null, LiveTask.now());
      known = live.create(
          new Task(live.id(), contextId, status, List.of(), List.of(begin), null), client);
      task = known;
      turns.created(this, known);
    }
    return known;
  }

  private void requireRunning() {
    if (stopped) {
      throw new CancellationException("the task was cancelled");
    }
  }

  // ---------------------------------------------------------------- the run, for Turns

  /** Returns the future of the first event: the message, or the new task. */
  CompletableFuture<SendMessageResponse> first() {
    return first;
  }

  /** Returns the future of the answer: the message, or the task when the agent has handled it. */
  CompletableFuture<SendMessageResponse> end() {
    return end;
  }

  /** Returns the version of the request. */
  ProtocolVersion version() {
    return version;
  }

  /** Returns the client that has sent the message. */
  Client sender() {
    return client;
  }

  LiveTask live() {
    return live;
  }

  /** Sets the task that the message continues. */
  void continues(Task known) {
    task = known;
    first.complete(known);
  }

  /** Begins the task before the agent sends an event. */
  void submit() {
    lock.lock();
    try {
      if (!replied && task == null && !stopped) {
        first.complete(ensureTask());
      }
    } finally {
      lock.unlock();
    }
  }

  void started(FrameResponder.InFlightFrame running) {
    served = running;
    if (stopped) {
      running.abandon();
    }
  }

  /** Cancels the agent after the task was cancelled. Does not send an event. */
  void stop() {
    stopped = true;
    FrameResponder.InFlightFrame running = served;
    if (running != null) {
      running.abandon();
    }
    Task known = task;
    if (known != null) {
      finish(known);
    }
  }

  /** Answers with the current task, or with an error if the store fails. */
  private void finish(Task known) {
    try {
      end.complete(turns.present(known));
    } catch (RuntimeException e) {
      end.completeExceptionally(new RpcException(RpcError.INTERNAL_ERROR, "Internal error"));
    }
  }

  /**
   * Cancels the agent before it has a task, because its client has left and can never see an
   * answer. Never blocks, because threads that read connections call this method. If another thread
   * holds the lock, it is sending an event. That event begins a task or is the answer; therefore
   * the agent continues.
   */
  void clientLeft() {
    if (!lock.tryLock()) {
      return;
    }
    try {
      if (task != null || replied) {
        return;
      }
      stopped = true;
    } finally {
      lock.unlock();
    }
    stop();
  }

  /** Runs the agent. The engine calls this method on a worker. */
  void run(Call inner) throws Exception {
    call = inner;
    try {
      turns.agent().handle(this);
      handled();
    } catch (CancellationException e) {
      if (late == null && !isOver()) {
        failed("The agent has stopped.", e);
      }
    } catch (RpcException e) {
      failed(e.error().message(), e);
    } catch (Exception | Error e) {
      failed("The agent has failed.", e);
      throw e;
    }
  }

  private void handled() {
    handled = true;
    Task known = task;
    if (replied || stopped) {
      return;
    }
    if (known == null) {
      complete();
      return;
    }
    Task present = turns.present(known);
    if (present.state().isInterrupted() || present.state().isTerminal()) {
      end.complete(present);
    } else {
      complete();
    }
  }

  private boolean isOver() {
    Task known = task;
    return stopped || replied || known != null && turns.present(known).state().isTerminal();
  }

  /** Fails the task, or the request if it has no task. */
  private void failed(String text, Throwable cause) {
    handled = true;
    Task known = task;
    if (known == null && !replied) {
      RpcException error = cause instanceof RpcException given
          ? given
          : new RpcException(RpcError.INTERNAL_ERROR, "Internal error");
      first.completeExceptionally(error);
      end.completeExceptionally(error);
    } else if (!isOver()) {
      try {
        status(TaskState.FAILED, Message.of(Role.AGENT, Part.text(text)));
      } catch (CancellationException e) {
        // The task has already ended.
      }
    }
  }

  /**
   * Handles the answer of the engine to the call of the agent. If the agent has exceeded its time,
   * this method publishes the failure on a new thread, because the store and clients that do not
   * read may block. The current thread must not block: it enforces the time limits of all calls of
   * the process.
   */
  void answered() {
    if (handled || stopped) {
      return;
    }
    CompletableFuture<@Nullable Void> published = new CompletableFuture<>();
    late = published;
    Thread thread = new Thread(
        () -> {
          try {
            failed("The agent did not finish in time.", new CancellationException());
          } catch (RuntimeException e) {
            turns.report(live.id(), "its time-out cannot be saved: " + e.getMessage());
          } finally {
            stopped = true;
            published.complete(null);
          }
        },
        "repartee-a2a-late");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Runs an action now, or after the publication of the failure if the agent has exceeded its time.
   */
  void afterAnswer(Runnable action) {
    CompletableFuture<@Nullable Void> published = late;
    if (published == null) {
      action.run();
    } else {
      published.thenRun(action);
    }
  }

  /** Ends the turn after the agent has returned. No event follows. */
  void over() {
    Task known = task;
    RpcException none = new RpcException(RpcError.INTERNAL_ERROR, "Internal error");
    if (known == null) {
      first.completeExceptionally(none);
      end.completeExceptionally(none);
    } else {
      finish(known);
    }
    live.end(this);
  }
}
