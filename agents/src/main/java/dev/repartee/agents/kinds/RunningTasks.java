package dev.repartee.agents.kinds;

import dev.repartee.Call;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import dev.repartee.reconnect.Backoff;
import dev.repartee.reconnect.ReconnectListener;
import dev.repartee.transport.ChannelInfo;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The running tasks of an agent. Thread-safe.
 *
 * <p>In MCP and JSON-RPC a question of an agent does not name its task. So the human of the latest
 * task gets the question.
 */
final class RunningTasks {
  /**
   * The maximum number of violations of the protocol; then the connection is closed. Each output of
   * a task resets the count. A few violations are harmless, since some programs print text on
   * standard output. But a program that answers every message with text never stops without this
   * limit, since each line of its text gets an error response.
   */
  private static final int MOST_VIOLATIONS = 50;

  /** The maximum number of failed attempts to reconnect; then all waiting tasks fail. */
  private static final int MOST_ATTEMPTS = 4;

  /** The pauses between attempts. The attempts continue after the waiting tasks have failed. */
  static final Backoff BACKOFF = Backoff.DEFAULT.max(Duration.ofSeconds(5));

  private final String agent;
  private final Deque<Entry> tasks = new ConcurrentLinkedDeque<>();
  private final AtomicInteger violations = new AtomicInteger();
  private volatile @Nullable Peer connection;

  RunningTasks(String agent) {
    this.agent = agent;
  }

  private record Entry(Task task, CompletableFuture<Json> output) {}

  /** Adds a task until its output completes. Returns the future output. */
  CompletableFuture<Json> add(Task task) {
    Entry entry = new Entry(task, new CompletableFuture<>());
    tasks.add(entry);
    entry.output.whenComplete((output, failure) -> {
      tasks.remove(entry);
      if (failure == null) {
        violations.set(0);
      }
    });
    return entry.output;
  }

  /** Asks the human of the latest task without waiting. Refuses the question if no task runs. */
  CompletableFuture<Answer> ask(String message, @Nullable Json schema) {
    Entry latest = tasks.peekLast();
    if (latest == null) {
      return CompletableFuture.completedFuture(
          Answer.refused("the agent has no running task, so the question belongs to none"));
    }
    return latest
        .task
        .ask(agent, message, schema)
        .toCompletableFuture()
        .exceptionally(failure -> Answer.refused(Failure.of(failure).message()));
  }

  /** Returns options with a listener that closes the connection after too many violations. */
  Options watching(Options options) {
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
    tasks.forEach(entry -> entry.output.completeExceptionally(failure));
  }

  private void violated(String violation) {
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
   * Counts violations, and passes all events on. Violations are not logged by default, since their
   * number is not bounded; the failure of the tasks names the last one.
   */
  private final class Watch implements Listener {
    private final Listener next;

    Watch(Listener next) {
      this.next = next;
    }

    @Override
    public void connected(Peer peer) {
      connection = peer;
      next.connected(peer);
    }

    @Override
    public void disconnected(Peer peer, @Nullable Throwable cause) {
      next.disconnected(peer, cause);
    }

    @Override
    public void violation(ChannelInfo channel, String violation) {
      violated(violation);
      if (next != Listener.LOG) {
        next.violation(channel, violation);
      }
    }

    @Override
    public void notice(ChannelInfo channel, String event) {
      next.notice(channel, event);
    }

    @Override
    public void failed(Call call, Throwable cause) {
      next.failed(call, cause);
    }
  }
}
