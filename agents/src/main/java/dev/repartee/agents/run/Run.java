package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Plan;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A run of a plan. Thread-safe. {@link Orchestrator#request} starts runs. */
public final class Run {
  /** The number of events that wait for a slow listener; progress has half of the room. */
  private static final int WAITING_EVENTS = 1_024;

  private static final long LAST_EVENT_SECONDS = 5;

  private final String id;
  private final Plan plan;
  private final Stop root = new Stop();
  private final StepEntry entry;
  private final Instant started = Instant.now();
  private final CompletableFuture<RunResult> ended = new CompletableFuture<>();
  private final CompletableFuture<RunResult> result;
  private final @Nullable SubmissionPublisher<RunEvent> publisher;
  private final CompletableFuture<@Nullable Void> reported;
  private volatile boolean interrupted;

  /**
   * Creates a run.
   *
   * @param end is told the end of the run before everybody else
   */
  Run(String id, Plan plan, @Nullable Consumer<RunEvent> listener, Consumer<Run> end) {
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

  /** Executes the run on the current thread, up to the point where it has to wait. */
  void execute(RunRequest request) {
    Duration time = plan.budget().time();
    Future<?> timer = time == null
        ? null
        : Workers.after(
            time,
            () -> root.stop(new Failure(
                Failure.Kind.BUDGET, "the budget of " + Execution.text(time) + " is used up")));
    try {
      execute(request, timer);
    } catch (Throwable e) {
      end(null, e, 0, timer);
    }
  }

  private void execute(RunRequest request, @Nullable Future<?> timer) {
    Orchestrator orchestrator = request.orchestrator();
    Journal.Log log;
    try {
      log = orchestrator.journal().open(id, plan.source(), request.input());
    } catch (RuntimeException e) {
      throw new AgentException(
          Failure.Kind.JOURNAL,
          "the journal cannot open the run: " + Failure.of(e).message());
    }
    log.whenLost(reason -> interrupt("this process no longer executes the run: " + reason));
    Usage usage = new Usage(plan.budget());
    Calls calls =
        new Calls(id, orchestrator, plan.budget(), usage, request.human(), log, this::changed);
    new Execution(orchestrator, plan, request.input(), root, log, calls, usage, this::changed)
        .run(entry)
        .whenComplete((output, thrown) -> {
          Throwable failure = thrown;
          if (!interrupted) {
            try {
              log.ended(output, thrown == null ? null : failure(thrown));
            } catch (RuntimeException e) {
              failure = new AgentException(
                  Failure.Kind.JOURNAL,
                  "the journal cannot record the end of the run: "
                      + Failure.of(e).message());
            }
          }
          end(output, failure, usage.calls(), timer);
        });
  }

  private void end(
      @Nullable Json output, @Nullable Throwable thrown, int calls, @Nullable Future<?> timer) {
    if (timer != null) {
      timer.cancel(false);
    }
    RunResult account;
    try {
      account = account(output, thrown, calls);
    } catch (Throwable e) { // such as a lack of memory for the reports
      account =
          new RunResult(id, null, Failure.of(e), null, calls, started, Instant.now(), List.of());
    }
    ended.complete(account);
    if (publisher != null) {
      publisher.offer(new RunEvent.Ended(account), LAST_EVENT_SECONDS, TimeUnit.SECONDS, null);
      publisher.close();
    }
  }

  private RunResult account(@Nullable Json output, @Nullable Throwable thrown, int calls) {
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
    Failure stopped = root.reason();
    Throwable cause = cause(thrown);
    return stopped != null
        ? stopped
        : cause instanceof StepException step
            ? step.failure()
            : cause instanceof IllegalArgumentException
                ? new Failure(
                    Failure.Kind.INPUT,
                    "the output of the plan cannot be made: " + cause.getMessage())
                : Failure.of(cause);
  }

  private @Nullable String step(Throwable thrown) {
    return root.reason() == null && cause(thrown) instanceof StepException step
        ? step.step()
        : null;
  }

  private static Throwable cause(Throwable thrown) {
    return thrown instanceof CompletionException && thrown.getCause() != null
        ? thrown.getCause()
        : thrown;
  }

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

  /** Returns the id, which the journal and the tasks of agents have, too. */
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

  /** Returns a future that completes when the listener has got all events of the run. */
  public CompletableFuture<@Nullable Void> reported() {
    return reported.copy();
  }

  /** Returns all steps at this moment, each one before the steps inside it. */
  public List<StepReport> steps() {
    List<StepReport> steps = new ArrayList<>();
    entry.forEach(step -> steps.add(step.report()));
    return steps;
  }

  /** Cancels the run, and its tasks at their agents. Returns at once. */
  public void cancel() {
    root.stop(new Failure(Failure.Kind.CANCELLED, "the run was cancelled"));
  }

  /** Stops the run, which the journal keeps, so that it can be resumed. */
  void interrupt() {
    interrupt("the orchestrator was closed");
  }

  private void interrupt(String reason) {
    interrupted = true;
    root.stop(new Failure(Failure.Kind.CANCELLED, reason));
  }
}
