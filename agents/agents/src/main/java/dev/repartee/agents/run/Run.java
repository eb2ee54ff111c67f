package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.internal.Causes;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Plan;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run of a plan. Thread-safe. {@link Orchestrator#request} starts runs. */
public final class Run {
  /** The queue of events for a slow listener. Progress reports use half of it at most. */
  private static final int WAITING_EVENTS = 1_024;

  /**
   * The time to wait for room in a full queue; only the last event waits, since it must not be
   * lost.
   */
  private static final long LAST_EVENT_SECONDS = 5;

  private final String id;
  private final Plan plan;
  private final CancellationScope root;
  private final StepEntry entry;
  private final Instant started = Instant.now();
  private final CompletableFuture<RunResult> ended = new CompletableFuture<>();
  private final CompletableFuture<RunResult> result;
  private final @Nullable SubmissionPublisher<RunEvent> publisher;
  private final CompletableFuture<@Nullable Void> reported;

  /**
   * Set before the root is cancelled. The journal then records no end, and the run can be resumed.
   */
  private volatile boolean interrupted;

  /**
   * Creates a run.
   *
   * @param end runs at the end of the run, before {@link #result} completes
   * @param clock the clock of the time limits and pauses
   */
  Run(String id, Plan plan, @Nullable Consumer<RunEvent> listener, Consumer<Run> end, Clock clock) {
    this.root = new CancellationScope(clock);
    this.result = ended.whenComplete((result, failure) -> end.accept(this));
    this.id = id;
    this.plan = plan;
    this.entry = StepEntry.root(plan.steps());
    if (listener == null) {
      this.publisher = null;
      this.reported = CompletableFuture.completedFuture(null);
    } else {
      this.publisher = new SubmissionPublisher<>(Workers.ALL, WAITING_EVENTS);
      this.reported = publisher.consume(listener).handle((nothing, failure) -> null);
    }
  }

  /** Begins the run on the current thread. */
  void execute(RunRequest request) {
    Duration time = plan.budget().time();
    if (time != null) {
      root.cancelAfter(
          time,
          new Failure(
              Failure.Kind.BUDGET, "the budget of " + Execution.text(time) + " is used up"));
    }
    try {
      tryExecute(request);
    } catch (Throwable e) {
      end(null, e, 0);
    }
  }

  private void tryExecute(RunRequest request) {
    Orchestrator orchestrator = request.orchestrator();
    Journal.Log log = open(orchestrator.journal(), request.input());
    try {
      execute(orchestrator, request, log);
    } catch (Throwable e) {
      log.interrupted(); // otherwise the run could never be opened again
      throw e;
    }
  }

  private void execute(Orchestrator orchestrator, RunRequest request, Journal.Log log) {
    log.whenLost(reason -> interrupt("this process no longer executes the run: " + reason));
    Usage usage = new Usage(plan.budget());
    Calls calls =
        new Calls(id, orchestrator, plan.budget(), usage, request.human(), log, this::changed);
    new Execution(orchestrator, plan, request.input(), root, log, calls, usage, this::changed)
        .run(entry)
        .whenComplete(
            (output, thrown) -> end(output, recorded(log, output, thrown), usage.calls()));
  }

  private Journal.Log open(Journal journal, Json input) {
    try {
      return journal.open(id, plan.source(), input);
    } catch (RuntimeException e) {
      throw new AgentException(
          Failure.Kind.JOURNAL, "the journal cannot open the run: " + Causes.message(e));
    }
  }

  /** Records the end of the run, unless it was interrupted. Returns the failure of the run. */
  private @Nullable Throwable recorded(
      Journal.Log log, @Nullable Json output, @Nullable Throwable thrown) {
    try {
      if (interrupted) {
        log.interrupted();
      } else {
        log.ended(output, thrown == null ? null : failure(thrown));
      }
    } catch (RuntimeException e) {
      return new AgentException(
          Failure.Kind.JOURNAL,
          "the journal cannot record the end of the run: " + Causes.message(e));
    }
    return thrown;
  }

  private void end(@Nullable Json output, @Nullable Throwable thrown, int calls) {
    root.end();
    RunResult last;
    try {
      last = lastResult(output, thrown, calls);
    } catch (Throwable e) { // such as a lack of memory for the reports
      last = new RunResult(id, null, Failure.of(e), null, calls, started, Instant.now(), List.of());
    }
    ended.complete(last);
    if (publisher != null) {
      try {
        publisher.offer(new RunEvent.Ended(last), LAST_EVENT_SECONDS, TimeUnit.SECONDS, null);
      } finally {
        publisher.close(); // ends the reports also if no thread can be made for this one
      }
    }
  }

  private RunResult lastResult(@Nullable Json output, @Nullable Throwable thrown, int calls) {
    entry.forEach(step -> {
      if (step.skip()) {
        changed(step, false);
      }
    });
    Failure failure = thrown == null ? null : failure(thrown);
    return new RunResult(
        id,
        failure == null ? output : null,
        failure,
        thrown == null ? null : step(thrown),
        calls,
        started,
        Instant.now(),
        steps());
  }

  private Failure failure(Throwable thrown) {
    Failure cancelled = root.reason();
    Throwable cause = Causes.of(thrown);
    if (cancelled != null) {
      return cancelled;
    } else if (cause instanceof StepException step) {
      return step.failure();
    } else if (cause instanceof IllegalArgumentException) { // a reference has no value
      return new Failure(
          Failure.Kind.INPUT, "the output of the plan cannot be resolved: " + cause.getMessage());
    }
    return Failure.of(cause);
  }

  /** Returns the id of the step that has ended the run; null if no step has ended it. */
  private @Nullable String step(Throwable thrown) {
    return root.reason() == null && Causes.of(thrown) instanceof StepException step
        ? step.step()
        : null;
  }

  /** Passes a change on to the listener. Never blocks: a full queue drops events. */
  private void changed(StepEntry step, boolean progress) {
    if (publisher == null) {
      return;
    }
    if (!progress) {
      publisher.offer(new RunEvent.Changed(step.report()), null);
    } else if (publisher.estimateMaximumLag() < WAITING_EVENTS / 2) {
      publisher.offer(new RunEvent.Progressed(step.report()), null);
    }
  }

  /** Returns the id. The journal and the ids of tasks contain it. */
  public String id() {
    return id;
  }

  /** Returns the plan. */
  public Plan plan() {
    return plan;
  }

  /**
   * Returns the future result, which never fails: a failed run has a {@link RunResult#failure}.
   * Cancelling the future does not cancel the run.
   */
  public CompletableFuture<RunResult> result() {
    return result.copy();
  }

  /** Returns a future that completes when the listener has received all events of the run. */
  public CompletableFuture<@Nullable Void> reported() {
    return reported.copy();
  }

  /** Returns the current state of all steps, each step before its inner steps. */
  public List<StepReport> steps() {
    List<StepReport> steps = new ArrayList<>();
    entry.forEach(step -> steps.add(step.report()));
    return steps;
  }

  /** Cancels the run, and its tasks at their agents. Does not wait for their end. */
  public void cancel() {
    root.cancel(new Failure(Failure.Kind.CANCELLED, "the run was cancelled"));
  }

  /** Stops the run without recording its end. It can then be resumed. */
  void interrupt() {
    interrupt("the orchestrator was closed");
  }

  private void interrupt(String reason) {
    interrupted = true;
    root.cancel(new Failure(Failure.Kind.CANCELLED, reason));
  }
}
