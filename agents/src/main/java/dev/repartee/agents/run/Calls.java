package dev.repartee.agents.run;

import dev.repartee.agents.Agent;
import dev.repartee.agents.AgentException;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Failure;
import dev.repartee.agents.Human;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.Task;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Budget;
import dev.repartee.agents.plan.Policy;
import dev.repartee.agents.plan.Step;
import dev.repartee.agents.plan.Template;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The calls of agents and the questions of one run. Thread-safe. */
final class Calls {
  private static final Json GRANTED = Json.parse("{\"granted\":true}");

  private final String run;
  private final Orchestrator orchestrator;
  private final Usage usage;
  private final Human human;
  private final Journal.Log log;
  private final BiConsumer<StepEntry, Boolean> listener;
  private final Gate gate;

  Calls(
      String run,
      Orchestrator orchestrator,
      Budget budget,
      Usage usage,
      Human human,
      Journal.Log log,
      BiConsumer<StepEntry, Boolean> listener) {
    this.run = run;
    this.orchestrator = orchestrator;
    this.usage = usage;
    this.human = human;
    this.log = log;
    this.listener = listener;
    this.gate = new Gate(budget.concurrency());
  }

  /** Makes a call, with further attempts as the plan says. */
  CompletableFuture<Json> call(Step.Call step, StepEntry entry, Stop stop, Outputs values) {
    Agent agent = choose(orchestrator.team(), step);
    entry.assign(agent.name());
    Attempts attempts = new Attempts(step, entry, stop, agent, values);
    stop.whenStopped(attempts::stopped);
    Workers.run(attempts.result, () -> attempts.make(1)); // an agent may block
    return attempts.result;
  }

  private static Agent choose(Team team, Step.Call step) {
    String name = step.agent();
    if (name == null) {
      List<Agent> able = team.withSkill(String.valueOf(step.skill()));
      if (able.isEmpty()) {
        throw new AgentException(
            Failure.Kind.INPUT,
            "no agent declares the skill '" + step.skill() + "'" + absent(team));
      }
      return able.get(0);
    }
    Agent agent = team.find(name);
    if (agent != null) {
      return agent;
    }
    Failure why = team.absent().get(name);
    throw new AgentException(
        why == null
            ? new Failure(Failure.Kind.INPUT, "there is no agent '" + name + "'")
            : new Failure(why.kind(), "the agent '" + name + "' cannot be used: " + why.message()));
  }

  private static String absent(Team team) {
    return team.absent().isEmpty()
        ? ""
        : "; these agents cannot be used: " + String.join(", ", team.absent().keySet());
  }

  /** The attempts of one call. */
  private final class Attempts {
    private final Policy.Attempts policy;
    private final Step.Call step;
    private final StepEntry entry;
    private final Stop stop;
    private final Agent agent;
    private final Outputs values;
    private final long begin = System.nanoTime();
    final CompletableFuture<Json> result = new CompletableFuture<>();

    Attempts(Step.Call step, StepEntry entry, Stop stop, Agent agent, Outputs values) {
      this.policy = step.attempts();
      this.step = step;
      this.entry = entry;
      this.stop = stop;
      this.agent = agent;
      this.values = values;
    }

    void stopped() {
      Failure reason = stop.reason();
      if (reason != null) {
        result.completeExceptionally(new AgentException(reason));
      }
    }

    void make(int attempt) {
      Gate shared = orchestrator.gate(agent);
      Runnable nothing = () -> {};
      gate.enter(stop, () -> shared.enter(stop, () -> send(attempt), gate::leave), nothing);
    }

    /** Sends the task. The call has both places of the gates, which {@link #ended} gives back. */
    private void send(int attempt) {
      Stop part = stop.child();
      AtomicReference<@Nullable String> refused = new AtomicReference<>();
      CompletableFuture<Json> answer = new CompletableFuture<>();
      Future<?> timer = null;
      try {
        requireRunning(part); // the journal must not know a task that no agent gets
        Task task = task(refused); // only now: all waiting inputs could be larger than the memory
        usage.call();
        recordStart(entry, attempt);
        listener.accept(entry, false);
        Duration limit = policy.timeout();
        if (limit != null) {
          timer = Workers.after(
              limit,
              () -> part.stop(new Failure(
                  Failure.Kind.TIMEOUT,
                  "it did not answer within its time limit of " + Execution.text(limit))));
        }
        requireRunning(part);
        follow(agent.run(task), answer, part);
      } catch (Throwable e) { // also an error of the agent: its places must be given back
        answer.completeExceptionally(e);
      }
      Future<?> timeout = timer;
      answer
          .handleAsync(
              (output, thrown) -> {
                ended(attempt, part, timeout, refused.get(), output, thrown);
                return null;
              },
              Workers.ALL)
          .exceptionally(e -> {
            result.completeExceptionally(e);
            return null;
          });
    }

    private static void requireRunning(Stop part) {
      Failure stopped = part.reason();
      if (stopped != null) {
        throw new AgentException(stopped);
      }
    }

    /** Completes an answer with that of the agent, or when its part is stopped. */
    private void follow(
        @Nullable CompletableFuture<Json> running, CompletableFuture<Json> answer, Stop part) {
      if (running == null) {
        throw new AgentException(
            Failure.Kind.INTERNAL, "the agent has returned null in place of a future");
      }
      running.whenComplete((output, thrown) -> {
        if (thrown == null) {
          answer.complete(output);
        } else {
          answer.completeExceptionally(thrown);
        }
      });
      part.whenStopped(() -> {
        answer.cancel(true); // whatever the future of the agent does
        running.cancel(true);
      });
    }

    private void ended(
        int attempt,
        Stop part,
        @Nullable Future<?> timeout,
        @Nullable String refused,
        @Nullable Json output,
        @Nullable Throwable thrown) {
      if (timeout != null) {
        timeout.cancel(false);
      }
      Failure reason = part.reason();
      part.end();
      orchestrator.gate(agent).leave();
      gate.leave();
      if (thrown == null && output != null) {
        check(attempt, output);
      } else {
        Failure failure = reason != null
            ? reason
            : thrown == null
                ? new Failure(Failure.Kind.PROTOCOL, "the agent has given no output")
                : Failure.of(thrown);
        failed(attempt, because(failure, refused));
      }
    }

    /** Returns the failure of an attempt in which a question was refused. */
    private Failure because(Failure failure, @Nullable String refused) {
      return refused == null || failure.kind() == Failure.Kind.CANCELLED
          ? failure
          : new Failure(Failure.Kind.REFUSED, failure.message() + "; " + refused);
    }

    private void check(int attempt, Json output) {
      Json schema = policy.outputSchema();
      if (schema == null) {
        result.complete(output);
        return;
      }
      orchestrator
          .schemas()
          .check(output, schema, "the output of '" + agent.name() + "'", Failure.Kind.SCHEMA)
          .handle((valid, thrown) -> {
            if (thrown == null) {
              result.complete(valid);
            } else {
              failed(attempt, Failure.of(thrown));
            }
            return null;
          })
          .exceptionally(e -> {
            result.completeExceptionally(e);
            return null;
          });
    }

    private void failed(int attempt, Failure failure) {
      if (!failure.kind().isTransient() || attempt > policy.retries() || stop.reason() != null) {
        result.completeExceptionally(new AgentException(failure));
        return;
      }
      entry.progress(Progress.of("attempt " + attempt + " failed: " + failure.message()));
      listener.accept(entry, true);
      Future<?> timer = Workers.after(
          policy.pauseAfter(attempt), () -> Workers.run(result, () -> make(attempt + 1)));
      stop.whenStopped(() -> timer.cancel(false));
    }

    private Task task(AtomicReference<@Nullable String> refused) {
      Task task = Task.of(step.skill(), resolved(step.input(), values))
          .withId(run + "/" + entry.id())
          .withHuman(question -> ask(question, entry, stop, refused))
          .withProgress(report -> {
            if (entry.progress(report)) {
              listener.accept(entry, true);
            }
          });
      Duration limit = step.policy().deadline();
      Duration left = limit == null ? null : limit.minusNanos(System.nanoTime() - begin);
      Duration shorter = policy.timeout();
      if (shorter != null && (left == null || shorter.compareTo(left) < 0)) {
        left = shorter;
      }
      return left == null ? task : task.withDeadline(left);
    }
  }

  private static Json resolved(Template template, Outputs values) {
    try {
      return template.resolve(values);
    } catch (IllegalArgumentException e) { // a reference has no value, or an unfit one
      throw new AgentException(Failure.Kind.INPUT, String.valueOf(e.getMessage()));
    }
  }

  private void recordStart(StepEntry entry, int attempt) {
    try {
      log.started(entry.id(), entry.attempt(attempt), Instant.now());
    } catch (RuntimeException e) {
      throw new AgentException(Failure.Kind.JOURNAL, Failure.of(e).message());
    }
  }

  // ---------------------------------------------------------------- questions

  /** Asks a question of an agent, and notes a refusal. */
  private CompletionStage<Answer> ask(
      Question question, StepEntry entry, Stop stop, AtomicReference<@Nullable String> refused) {
    return ask(question, entry, stop).whenComplete((answer, failure) -> {
      if (failure != null || !answer.granted()) {
        String why = failure != null ? Failure.of(failure).message() : answer.reason();
        refused.set("its question '" + question.message() + "' was refused"
            + (why == null ? "" : ": " + why));
      }
    });
  }

  private CompletableFuture<Answer> ask(Question question, StepEntry entry, Stop stop) {
    entry.waits(true);
    listener.accept(entry, false);
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    Stop part = stop.child(); // an agent may ask again and again
    part.whenStopped(() -> answered.complete(Answer.refused("the step has ended")));
    Workers.ALL.execute(() -> {
      try {
        CompletableFuture<Answer> asked = human.ask(question).toCompletableFuture();
        answered.whenComplete((answer, failure) -> asked.cancel(true));
        asked.whenComplete((answer, failure) -> {
          if (failure == null) {
            answered.complete(answer);
          } else {
            answered.complete(Answer.refused(Failure.of(failure).message()));
          }
        });
      } catch (Throwable e) {
        answered.complete(Answer.refused(Failure.of(e).message()));
      }
    });
    return answered.thenApply(answer -> {
      part.end();
      entry.waits(false);
      listener.accept(entry, false);
      return answer;
    });
  }

  /** Asks for the consent that a step of the plan needs. */
  CompletableFuture<Json> approve(Step.Approval step, StepEntry entry, Stop stop, Outputs values) {
    Json message = resolved(step.message(), values);
    String text =
        message.kind() == Json.Kind.STRING ? message.as(String.class) : message.toString();
    recordStart(entry, 1);
    return ask(new Question(run + "/" + entry.id(), null, text, null), entry, stop)
        .thenApply(answer -> {
          if (!answer.granted()) {
            throw new AgentException(
                Failure.Kind.REFUSED,
                "'" + text + "' was refused"
                    + (answer.reason() == null ? "" : ": " + answer.reason()));
          }
          Json content = answer.content();
          return content == null ? GRANTED : content;
        });
  }
}
