package dev.repartee.a2a.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Call;
import dev.repartee.FrameResponder;
import dev.repartee.Lane;
import dev.repartee.Options;
import dev.repartee.Service;
import dev.repartee.a2a.delivery.PushSender;
import dev.repartee.a2a.push.PushNotifications;
import dev.repartee.a2a.push.StoredPushConfig;
import dev.repartee.a2a.types.Message;
import dev.repartee.a2a.types.SendMessageRequest;
import dev.repartee.a2a.types.StreamResponse;
import dev.repartee.a2a.types.Task;
import dev.repartee.a2a.types.TaskPushNotificationConfig;
import dev.repartee.a2a.types.TaskStatus;
import dev.repartee.a2a.wire.Errors;
import dev.repartee.a2a.wire.ProtocolVersion;
import dev.repartee.access.Access;
import dev.repartee.limits.Limits;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameSink;
import dev.repartee.transport.OutboundFrame;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the agent. Each turn is a separate call in the engine: it has a worker, a deadline and a
 * cancellation token, and the listener receives its failures. A turn may outlive the request that
 * began it. Thread-safe.
 */
final class Turns {
  private static final Attribute<Turn> TURN = Attribute.named("A2A turn");
  private static final byte[] FRAME =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"agent\"}".getBytes(UTF_8);

  private final Settings settings;
  private final LiveTasks tasks;
  private final FrameResponder responder;
  private final @Nullable PushSender push;
  private final RunningTurns running;

  Turns(Settings settings, LiveTasks tasks) {
    this.settings = settings;
    this.tasks = tasks;
    this.running = new RunningTurns(limits().runningCalls());
    PushNotifications pushes = settings.push();
    this.push = pushes == null ? null : new PushSender(pushes, this::report, this::sending);
    Service service = Service.builder()
        .method("agent", Lane.CONCURRENT, call -> {
          Objects.requireNonNull(call.attributes().get(TURN)).run(call);
          return null;
        })
        .build();
    Options inner = settings.options().toBuilder()
        .trace(null)
        .builtins()
        .access(Access.OPEN) // the request of the turn was admitted
        .build();
    this.responder = FrameResponder.of(service, inner, new ChannelInfo("a2a", "", "message"));
  }

  /** Reports a failure to the listener, because it is not sent to a client. */
  void report(String taskId, String reason) {
    settings
        .options()
        .listener()
        .violation(new ChannelInfo("http", "", "message"), "task " + taskId + ": " + reason);
  }

  Agent agent() {
    return settings.agent();
  }

  /** Notifies the agent before the state of a task that waits for its client is sent. */
  void sending(String taskId, TaskStatus status) {
    if (status.state().isInterrupted()) {
      settings.agent().sending(taskId, status);
    }
  }

  private Limits limits() {
    return settings.options().limits();
  }

  /**
   * Begins a turn; {@link #start} runs it.
   *
   * @throws dev.repartee.RpcException if the message cannot be handled
   */
  Turn begin(SendMessageRequest request, ProtocolVersion version, Client client) {
    String place = running.enter(client);
    Message message = request.message();
    LiveTask live =
        tasks.use(message.taskId() == null ? UUID.randomUUID().toString() : message.taskId());
    try {
      return message.taskId() == null
          ? beginNew(live, request, version, client, place)
          : resume(live, request, version, client, place);
    } catch (RuntimeException | Error e) {
      tasks.release(live);
      running.leave(place);
      throw e;
    }
  }

  private Turn beginNew(
      LiveTask live,
      SendMessageRequest request,
      ProtocolVersion version,
      Client client,
      String place) {
    String context = request.message().contextId();
    String known = context == null ? UUID.randomUUID().toString() : context;
    Turn turn = new Turn(this, live, request, version, known, client, place);
    live.begin(turn);
    return turn;
  }

  private Turn resume(
      LiveTask live,
      SendMessageRequest request,
      ProtocolVersion version,
      Client client,
      String place) {
    Message message = request.message();
    StoredTask stored = tasks.find(live.id());
    if (stored == null || !Objects.equals(stored.owner(), client.owner())) {
      throw Errors.taskNotFound(live.id());
    }
    String context = stored.task().contextId();
    if (message.contextId() != null && !message.contextId().equals(context)) {
      throw Errors.invalid(
          "message.contextId", "is not the context of the task; leave it out or send its own");
    }
    Turn turn =
        new Turn(this, live, request, version, context == null ? "" : context, client, place);
    turn.continues(live.resume(turn, task -> continued(task, turn.message())));
    try {
      keepConfig(turn, live.id());
    } catch (RuntimeException | Error e) {
      live.end(turn);
      throw e;
    }
    return turn;
  }

  /**
   * Adds a message to the history. Refuses the repetition of a message, which an agent may detect
   * by its id (section 3.3.1, Idempotency). Otherwise the agent would treat it as the answer to a
   * question that its author may not have seen. A message with an earlier id but other parts is not
   * a repetition, because some clients use the same id for all messages.
   */
  private static Task continued(Task task, Message message) {
    boolean repeated = task.history().stream()
        .anyMatch(known -> known.role() == message.role()
            && known.messageId().equals(message.messageId())
            && known.parts().equals(message.parts()));
    if (repeated) {
      throw Errors.invalid(
          "message.messageId",
          "is the id of an earlier message of this task with the same parts; get the task to see its"
              + " present state, and send each message with a new id");
    }
    return task.with(message);
  }

  /** Runs the agent. Does not wait for it. */
  void start(Turn turn, Call outer) {
    FrameResponder.InFlightFrame served = responder
        .of(outer.channel(), outer.attributes().without(StreamReply.KEY).with(TURN, turn))
        .serve(FRAME, 0, FRAME.length, new Answer(turn));
    turn.started(served);
    served.whenDone(() -> {
      served.abandon(); // removes the timer of the handler timeout
      turn.afterAnswer(() -> drop(turn));
    });
  }

  /** Ends a turn after its run, or a turn that never starts. */
  void drop(Turn turn) {
    turn.over();
    running.leave(turn.place());
    tasks.release(turn.live());
  }

  /**
   * Returns the current state of a task, or the known state if the store no longer has the task.
   */
  Task present(Task known) {
    StoredTask stored = tasks.find(known.id());
    return stored == null ? known : stored.task();
  }

  /** Returns the sender of push notifications, or null if the agent does not send them. */
  @Nullable PushSender push() {
    return push;
  }

  /**
   * Handles the new task of a turn. Saves the address for push notifications in its request, and
   * sends the first notification.
   */
  void created(Turn turn, Task task) {
    keepConfig(turn, task.id());
    if (push != null) {
      push.send(task, task, turn.sender().share());
    }
  }

  /** Saves the address for push notifications of a message. */
  private void keepConfig(Turn turn, String taskId) {
    TaskPushNotificationConfig config = turn.request().configuration().taskPushNotificationConfig();
    PushNotifications pushes = settings.push();
    if (config != null && pushes != null) {
      pushes.store().save(stored(config, taskId, turn.version(), turn.sender()));
    }
  }

  /** Returns an address for push notifications to store. Adds a new id if it is missing. */
  static StoredPushConfig stored(
      TaskPushNotificationConfig config, String taskId, ProtocolVersion version, Client client) {
    String id = config.id() == null ? UUID.randomUUID().toString() : config.id();
    return new StoredPushConfig(
        taskId, id, config.withTaskId(taskId).withId(id), version.number(), client.share());
  }

  /**
   * Sends push notifications about a saved event. The caller holds the lock of the task.
   *
   * @param cause the client that caused the event; needed because a store need not keep the client
   *     of a task
   */
  void published(StreamResponse event, StoredTask stored, Client cause) {
    if (push != null) {
      push.send(event, stored.task(), cause.share());
    }
  }

  /**
   * Waits for room in the write queues of all subscribers of a task, with one deadline for all.
   * Then ends the streams of slow subscribers.
   */
  void awaitRoom(LiveTask live) {
    long end = System.nanoTime() + limits().drainTimeout().toNanos();
    for (Subscriber subscriber : live.subscribers()) {
      try {
        long left = Math.max(0, end - System.nanoTime());
        if (!subscriber.awaitRoom(left, TimeUnit.NANOSECONDS)) {
          live.remove(subscriber);
          subscriber.lag(limits().outboundBytes());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** Receives the answer to the call of the agent. This answer is not sent to a client. */
  private final class Answer implements FrameSink {
    private final Turn turn;

    Answer(Turn turn) {
      this.turn = turn;
    }

    @Override
    public OutboundFrame open() {
      return new OutboundFrame(limits().frameBytes());
    }

    @Override
    public void commit(OutboundFrame frame) {
      turn.answered();
    }
  }
}
