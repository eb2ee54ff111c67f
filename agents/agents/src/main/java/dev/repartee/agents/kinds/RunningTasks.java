package dev.repartee.agents.kinds;

import dev.repartee.CallBuilder;
import dev.repartee.ForwardingListener;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import dev.repartee.limits.LimitException;
import dev.repartee.message.Id;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The running tasks of an agent. Thread-safe.
 *
 * <p>A question of an agent must reach only the human of the run that has caused it. In JSON-RPC a
 * question may name its call. In MCP it cannot. Then the question is refused unless all calls that
 * the agent may be working on belong to one run. A call that ended without its answer counts until
 * its connection ends: the agent may ignore the cancellation, and ask later. If the agent has asked
 * questions that name no call, such a connection is replaced: by the next task that begins when no
 * other task runs. Otherwise one cancelled call would refuse the questions of all later runs.
 */
final class RunningTasks {
  /**
   * The maximum number of violations of the protocol; then the connection is closed. Each output of
   * a task resets the count. A few violations are harmless, since some programs print text on
   * standard output. But without this limit, a program that answers every message with text would
   * never stop, since each line of its text gets an error response.
   */
  private static final int MOST_VIOLATIONS = 50;

  /** The limits of one received message; the memory of all connections is not the agent's fault. */
  private static final Set<String> MESSAGE_LIMITS = Set.of("frameBytes", "depth");

  /** The maximum number of failed attempts to reconnect; then all waiting tasks fail. */
  private static final int MOST_ATTEMPTS = 4;

  /** The pauses between attempts. The attempts continue after the waiting tasks have failed. */
  static final Backoff BACKOFF = Backoff.DEFAULT.max(Duration.ofSeconds(5));

  /** The value of {@link #givenUp} for calls of several runs; equals no run. */
  private static final Object SEVERAL = new Object();

  private final String agent;
  private volatile Listener listener = Listener.NONE;
  private final Deque<Entry> tasks = new ConcurrentLinkedDeque<>();

  /** The tasks by the ids of their calls; only the calls of JSON-RPC services have one here. */
  private final Map<Id, Entry> calls = new ConcurrentHashMap<>();

  private final AtomicInteger violations = new AtomicInteger();
  private volatile @Nullable Peer connection;

  /**
   * The run of the calls that ended without their answer on the current connection;
   * {@link #SEVERAL} for calls of several runs, null if there are none. Guarded by this.
   */
  private @Nullable Object givenUp;

  /** Whether the agent has asked a question that names no call. */
  private volatile boolean asksUnnamed;

  /** Held while a task is added: no task may begin on a connection that is being replaced. */
  private final Object adding = new Object();

  RunningTasks(String agent) {
    this.agent = agent;
  }

  /**
   * The future output of a running task. It removes the task before it completes, because its caller
   * may then begin another task. The dependent actions of a future have no such order. The first end
   * counts: an answer may arrive while the task is cancelled.
   */
  private final class Entry extends CompletableFuture<Json> {
    final Task task;
    private final AtomicBoolean ended = new AtomicBoolean();

    Entry(Task task) {
      this.task = task;
    }

    /** Returns the identity of the run; the entry itself if its task belongs to no run. */
    Object run() {
      String run = task.run();
      return run == null ? this : run;
    }

    @Override
    public boolean complete(Json output) {
      return end(null, () -> super.complete(output));
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
      return end(failure, () -> super.completeExceptionally(failure));
    }

    @Override
    public boolean cancel(boolean interrupt) {
      return end(new CancellationException(), () -> super.cancel(interrupt)) || isCancelled();
    }

    private boolean end(@Nullable Throwable failure, Runnable completion) {
      boolean isFirst = ended.compareAndSet(false, true);
      if (isFirst) {
        try {
          remove(this, failure);
        } finally {
          completion.run();
        }
      }
      return isFirst;
    }
  }

  /** Adds a task until its output completes. Returns the future output. */
  CompletableFuture<Json> add(Task task) {
    return add(new Entry(task));
  }

  /** Adds a task with its call; a question can then name the call by its id. */
  CompletableFuture<Json> add(Task task, CallBuilder call) {
    Entry entry = add(new Entry(task));
    call.onId(id -> {
      calls.put(id, entry);
      entry.whenComplete((output, failure) -> calls.remove(id, entry));
    });
    return entry;
  }

  private Entry add(Entry entry) {
    synchronized (adding) {
      replaceConnection();
      tasks.add(entry);
    }
    return entry;
  }

  private void remove(Entry entry, @Nullable Throwable failure) {
    if (failure == null) {
      violations.set(0);
    } else if (isUnanswered(Failure.of(failure).kind())) {
      giveUp(entry.run()); // before the removal: the calls are never counted too low
    }
    tasks.remove(entry);
  }

  /** Closes a connection with calls that ended without their answer, unless a task runs on it. */
  private void replaceConnection() {
    Peer old = connection;
    if (old != null && asksUnnamed && tasks.isEmpty() && givenUp() != null) {
      old.close(Duration.ZERO); // both kinds of connectors send the next call on a new connection
    }
  }

  /** Returns whether the agent may still work on the call after this failure of its task. */
  private static boolean isUnanswered(Failure.Kind kind) {
    return switch (kind) {
      case CANCELLED, TIMEOUT, PROTOCOL, INTERNAL -> true;
      default -> false; // an answer, or the end of the connection
    };
  }

  private synchronized void giveUp(Object run) {
    givenUp = givenUp == null || givenUp.equals(run) ? run : SEVERAL;
  }

  /** Asks the human of the task with this call, without waiting for the answer. */
  CompletableFuture<Answer> ask(Id call, String message, @Nullable Json schema) {
    Entry entry = calls.get(call);
    return entry == null
        ? refused("the agent has no running call with the id " + call.json())
        : ask(entry, message, schema);
  }

  /**
   * Asks the human of the latest task, without waiting for the answer. Refuses the question if it
   * may belong to another run.
   *
   * @param remedy explains to the agent how to name the task; empty if it cannot
   */
  CompletableFuture<Answer> ask(String message, @Nullable Json schema, String remedy) {
    asksUnnamed = true;
    Entry latest = tasks.peekLast();
    if (latest == null) {
      return refused("the agent has no running task, so the question belongs to none");
    }
    Object run = latest.run();
    if (tasks.stream().anyMatch(entry -> !entry.run().equals(run))) {
      return refused(
          "the agent works for several runs, and the question does not name its call" + remedy);
    }
    Object before = givenUp();
    if (before != null && !before.equals(run)) {
      return refused(
          "the agent may still work on a call of another run that ended without its answer, and the"
              + " question does not name its call" + remedy);
    }
    return ask(latest, message, schema);
  }

  private synchronized @Nullable Object givenUp() {
    return givenUp;
  }

  private CompletableFuture<Answer> ask(Entry entry, String message, @Nullable Json schema) {
    return entry
        .task
        .ask(agent, message, schema)
        .toCompletableFuture()
        .exceptionally(failure -> Answer.refused(Failure.of(failure).message()));
  }

  private CompletableFuture<Answer> refused(String reason) {
    Peer asking = connection;
    if (asking != null) {
      listener.notice(
          asking.channel(), "a question of the agent '" + agent + "' was refused: " + reason);
    }
    return CompletableFuture.completedFuture(Answer.refused(reason));
  }

  /** Returns options with a listener that closes the connection after too many violations. */
  Options watching(Options options) {
    listener = options.listener();
    return options.toBuilder().listener(new Watch(options.listener())).build();
  }

  /** Returns a listener that fails the waiting tasks when the agent cannot be reached again. */
  ReconnectListener reconnecting() {
    return new ReconnectListener() {
      private int attempts; // no lock: the events of a listener arrive one at a time

      @Override
      public void connected(Peer peer, int attempt) {
        attempts = 0;
      }

      @Override
      public void disconnected(@Nullable Throwable cause) {
        attempts = -1; // the next retrying() reports the loss, not a failed attempt
      }

      @Override
      public void retrying(int attempt, Duration delay, Throwable cause) {
        if (++attempts >= MOST_ATTEMPTS) {
          AgentException gone = new AgentException(
              Failure.Kind.UNREACHABLE,
              "the connection to '" + agent + "' was lost, and " + attempts
                  + " attempts to connect again have failed: "
                  + Failure.of(cause).message());
          Workers.ALL.execute(() -> fail(gone)); // the thread of the listener must not block
        }
      }
    };
  }

  private void fail(AgentException failure) {
    tasks.forEach(entry -> entry.completeExceptionally(failure));
  }

  private void violated(String violation) {
    tasks.forEach(entry -> entry.task.violation(violation));
    if (violations.incrementAndGet() == MOST_VIOLATIONS) {
      AgentException broken = new AgentException(
          Failure.Kind.PROTOCOL,
          "the agent '" + agent + "' has sent " + MOST_VIOLATIONS
              + " texts that break the protocol, the last: " + violation);
      fail(broken);
      violations.set(0);
      Peer lost = connection;
      if (lost != null) {
        Workers.ALL.execute(() -> lost.close(Duration.ZERO));
      }
    }
  }

  /**
   * Handles a message that was dropped because of a limit, and that may be the answer to a task. If
   * it can be the answer to only one task, the task fails; otherwise it could wait for ever. If it
   * may belong to several tasks, they report it.
   */
  private void dropped(String violation) {
    List<Entry> running = List.copyOf(tasks);
    if (running.size() == 1 && givenUp() == null) {
      running
          .get(0)
          .completeExceptionally(new AgentException(
              Failure.Kind.PROTOCOL,
              "a message of the agent '" + agent + "', probably its answer, was dropped: "
                  + violation));
      return;
    }
    running.forEach(entry -> entry.task.progress(
        Progress.of("a message of the agent was dropped, which may be the answer: " + violation)));
  }

  /**
   * Counts violations, and passes all events on. Violations are not logged by default, since their
   * number is not limited; the failure of the tasks names the last one.
   */
  private final class Watch extends ForwardingListener {
    private final boolean isLog;

    Watch(Listener next) {
      super(next);
      this.isLog = next == Listener.LOG;
    }

    @Override
    public void connected(Peer peer) {
      synchronized (RunningTasks.this) {
        connection = peer;
        givenUp = null;
      }
      super.connected(peer);
    }

    @Override
    public void violation(ChannelInfo channel, String violation) {
      violated(violation);
      if (!isLog) {
        super.violation(channel, violation);
      }
    }

    @Override
    public void dropped(ChannelInfo channel, LimitException limit, String violation) {
      if (MESSAGE_LIMITS.contains(limit.limit())) {
        RunningTasks.this.dropped(violation);
      }
      violated(violation);
      if (!isLog) {
        super.dropped(channel, limit, violation);
      }
    }
  }
}
