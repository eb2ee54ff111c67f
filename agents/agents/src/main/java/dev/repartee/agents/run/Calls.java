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
import dev.repartee.agents.internal.Causes;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Budget;
import dev.repartee.agents.plan.Policy;
import dev.repartee.agents.plan.Step;
import dev.repartee.agents.plan.Template;
import dev.repartee.internal.Clock;
import dev.repartee.internal.ThreadContext;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Calls the agents of one run, and asks its questions. Thread-safe. */
final class Calls {
  private static final Json GRANTED = Json.parse("{\"granted\":true}");

  /** The maximum number of open questions of an attempt, since an agent may be hostile. */
  private static final int MOST_QUESTIONS = 100;

  private static final Failure ENDED = new Failure(Failure.Kind.CANCELLED, "the attempt has ended");

  private final String run;
  private final Orchestrator orchestrator;
  private final Usage usage;
  private final Human human;
  private final Journal.Log log;
  private final BiConsumer<StepEntry, Boolean> listener;
  private final Gate gate; // limits the concurrent calls of this run

  /** The context of the thread that has started the run: its trace contains the calls. */
  private final ThreadContext context = ThreadContext.current();

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

  /** Calls an agent, with the retries of the plan. */
  CompletableFuture<Json> call(
      Step.Call step, StepEntry entry, CancellationScope scope, Outputs values) {
    Agent agent = choose(orchestrator.team(), step);
    entry.assign(agent.name());
    Attempts attempts = new Attempts(step, entry, scope, agent, values);
    scope.onCancel(attempts::cancelled);
    Workers.run(attempts.result, () -> attempts.make(1)); // on a worker: the agent may block
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

  /**
   * The attempts of one call. An attempt holds a permit of this run and a permit of the
   * orchestrator, and releases both before a retry waits. It releases the second one while a human
   * has its question, see {@link Permit}.
   */
  private final class Attempts {
    private final Policy.Attempts policy;
    private final Step.Call step;
    private final StepEntry entry;
    private final CancellationScope scope;
    private final Agent agent;
    private final Gate shared; // limits the concurrent calls of all runs
    private final Outputs values;
    private final long begin;
    final CompletableFuture<Json> result = new CompletableFuture<>();

    Attempts(
        Step.Call step, StepEntry entry, CancellationScope scope, Agent agent, Outputs values) {
      this.policy = step.attempts();
      this.step = step;
      this.entry = entry;
      this.scope = scope;
      this.begin = scope.clock().nanos();
      this.agent = agent;
      this.shared = orchestrator.gate(agent);
      this.values = values;
    }

    void cancelled() {
      Failure reason = scope.reason();
      if (reason != null) {
        result.completeExceptionally(new AgentException(reason));
      }
    }

    /** Makes an attempt, counted from 1, when both gates have a permit. */
    void make(int attempt) {
      Runnable nothing = () -> {}; // cancelled() has completed the result
      gate.enter(scope, () -> shared.enter(scope, () -> send(attempt), gate::leave), nothing);
    }

    /** Sends the task, with both permits. {@link #ended} releases them. */
    private void send(int attempt) {
      CancellationScope own = scope.child();
      Permit permit = new Permit(shared, own);
      Questions questions = new Questions(entry, own, permit);
      CompletableFuture<Json> answer = new CompletableFuture<>();
      try {
        requireRunning(own); // first: the journal must not record a task that is never sent
        // Resolves the input only now: the inputs of all waiting calls may not fit into memory.
        Task task = task(questions);
        usage.call();
        recordStart(entry, attempt);
        listener.accept(entry, false);
        Duration limit = policy.timeout();
        if (limit != null) {
          own.cancelAfter(
              limit,
              new Failure(
                  Failure.Kind.TIMEOUT,
                  "it did not answer within its time limit of " + Execution.text(limit)));
        }
        requireRunning(own); // again: the journal may have taken long
        follow(context.call(() -> agent.run(task)), answer, own);
      } catch (Throwable e) { // also an Error: the permits must be released
        answer.completeExceptionally(e);
      }
      answer
          .handleAsync(
              (output, thrown) -> {
                ended(attempt, own, permit, questions.refusal(), output, thrown);
                return null;
              },
              Workers.ALL)
          .exceptionally(e -> {
            result.completeExceptionally(e);
            return null;
          });
    }

    private static void requireRunning(CancellationScope own) {
      Failure cancelled = own.reason();
      if (cancelled != null) {
        throw new AgentException(cancelled);
      }
    }

    /** Completes the answer when the agent has answered, or when the attempt is cancelled. */
    private void follow(
        @Nullable CompletableFuture<Json> running,
        CompletableFuture<Json> answer,
        CancellationScope own) {
      if (running == null) {
        throw new AgentException(
            Failure.Kind.INTERNAL, "the agent has returned null in place of a future");
      }
      running.whenComplete((output, thrown) -> {
        if (thrown != null) {
          answer.completeExceptionally(thrown);
        } else if (own.reason() == null) {
          answer.complete(output);
        } // otherwise the output may come from a withdrawn question, and the action below follows
      });
      own.onCancel(() -> {
        answer.cancel(true); // the future of the agent may ignore its cancellation
        running.cancel(true);
      });
    }

    private void ended(
        int attempt,
        CancellationScope own,
        Permit permit,
        @Nullable String refused,
        @Nullable Json output,
        @Nullable Throwable thrown) {
      Failure reason = own.reason();
      own.cancel(ENDED); // withdraws the open questions
      own.end();
      permit.end();
      gate.leave();
      if (thrown == null && output != null) {
        check(attempt, output);
      } else {
        Failure failure = reason != null
            ? reason
            : thrown == null
                ? new Failure(Failure.Kind.PROTOCOL, "the agent has given no output")
                : Failure.of(thrown);
        failed(attempt, withRefusal(entry.explained(failure), refused));
      }
    }

    /** Adds the refusal of a question to the failure, which is then not retried. */
    private static Failure withRefusal(Failure failure, @Nullable String refused) {
      return refused == null || failure.kind() == Failure.Kind.CANCELLED
          ? failure
          : new Failure(Failure.Kind.REFUSED, failure.message() + "; " + refused);
    }

    /** Completes the result if the output fits its schema. */
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

    /** Retries the call after a pause, or fails the result. */
    private void failed(int attempt, Failure failure) {
      if (!failure.kind().isTransient() || attempt > policy.retries() || scope.reason() != null) {
        result.completeExceptionally(new AgentException(failure));
        return;
      }
      entry.progress(Progress.of("attempt " + attempt + " failed: " + failure.message()));
      listener.accept(entry, true);
      Clock.Timer timer = scope
          .clock()
          .schedule(
              policy.pauseAfter(attempt),
              Workers.ALL,
              () -> Workers.run(result, () -> make(attempt + 1)));
      scope.onCancel(() -> timer.cancel());
    }

    /** Creates the task of an attempt; its deadline is the earlier one of step and attempt. */
    private Task task(Questions questions) {
      Task task = Task.of(step.skill(), resolved(step.input(), values))
          .withId(run + "/" + entry.id())
          .withRun(run)
          .withHuman(questions::ask)
          .withViolations(entry::violation)
          .withProgress(report -> {
            if (entry.progress(report)) {
              listener.accept(entry, true);
            }
          });
      Duration limit = step.policy().deadline();
      Duration left = limit == null ? null : limit.minusNanos(scope.clock().nanos() - begin);
      Duration timeout = policy.timeout();
      if (timeout != null && (left == null || timeout.compareTo(left) < 0)) {
        left = timeout;
      }
      return left == null ? task : task.withDeadline(left);
    }
  }

  private static Json resolved(Template template, Outputs values) {
    try {
      return template.resolve(values);
    } catch (IllegalArgumentException e) { // a reference has no value, or the input is too large
      throw new AgentException(Failure.Kind.INPUT, String.valueOf(e.getMessage()));
    }
  }

  private void recordStart(StepEntry entry, int attempt) {
    try {
      log.started(entry.id(), entry.attempt(attempt), Instant.now());
    } catch (RuntimeException e) {
      throw new AgentException(Failure.Kind.JOURNAL, Causes.message(e));
    }
  }

  // ---------------------------------------------------------------- questions

  /** The questions of one attempt. The end of the attempt withdraws them. */
  private final class Questions {
    private final StepEntry entry;
    private final CancellationScope attempt;
    private final Permit permit;
    private final AtomicInteger open = new AtomicInteger();
    private volatile @Nullable String refusal;

    Questions(StepEntry entry, CancellationScope attempt, Permit permit) {
      this.entry = entry;
      this.attempt = attempt;
      this.permit = permit;
    }

    /** Returns the last refusal, for the message of a failure; null if there is none. */
    @Nullable String refusal() {
      return refusal;
    }

    CompletionStage<Answer> ask(Question question) {
      if (open.incrementAndGet() > MOST_QUESTIONS) {
        open.decrementAndGet();
        return CompletableFuture.completedFuture(Answer.refused(
            MOST_QUESTIONS + " questions of this task are open; wait for an answer first"));
      }
      permit.pause();
      CompletableFuture<Answer> resumed = new CompletableFuture<>();
      answered(question)
          .whenComplete((answer, failure) -> permit.resume(() -> {
            if (failure == null) {
              resumed.complete(answer);
            } else {
              resumed.completeExceptionally(failure);
            }
          }));
      return resumed;
    }

    private CompletableFuture<Answer> answered(Question question) {
      return Calls.this.ask(question, entry, attempt).whenComplete((answer, failure) -> {
        open.decrementAndGet();
        boolean granted = failure == null && answer.granted();
        if (!granted && attempt.reason() == null) {
          String reason = failure != null ? Failure.of(failure).message() : answer.reason();
          refusal = "its question '" + question.message() + "' was refused"
              + (reason == null ? "" : ": " + reason);
        }
      });
    }
  }

  /** Asks a question on a worker, since the human may block. A failure counts as a refusal. */
  private CompletableFuture<Answer> ask(
      Question question, StepEntry entry, CancellationScope scope) {
    entry.waits(true);
    listener.accept(entry, false);
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    CancellationScope own = scope.child(); // ends with the answer; an agent may ask many questions
    own.onCancel(() -> answered.complete(Answer.refused("the step has ended")));
    Workers.ALL.execute(() -> {
      if (answered.isDone()) {
        return;
      }
      try {
        CompletableFuture<Answer> asked = human.ask(question).toCompletableFuture();
        answered.whenComplete((answer, failure) -> asked.cancel(true));
        asked.whenComplete((answer, failure) -> {
          if (failure == null) {
            answered.complete(answer.to(question));
          } else {
            answered.complete(Answer.refused(Failure.of(failure).message()));
          }
        });
      } catch (Throwable e) {
        answered.complete(Answer.refused(Failure.of(e).message()));
      }
    });
    return answered.thenApply(answer -> {
      own.end();
      entry.waits(false);
      listener.accept(entry, false);
      return answer;
    });
  }

  /** Asks for the consent of an approval step. */
  CompletableFuture<Json> approve(
      Step.Approval step, StepEntry entry, CancellationScope scope, Outputs values) {
    Json message = resolved(step.message(), values);
    String text = message.text();
    recordStart(entry, 1);
    return ask(new Question(run + "/" + entry.id(), null, text, null), entry, scope)
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
