package dev.repartee.agents.postgres;

import dev.dbos.transact.workflow.WorkflowStatus;
import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.StepRecord.FailureRecord;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A journal in a PostgreSQL database, for runs that survive a crash. Any number of processes share
 * the database.
 *
 * <p>An orchestrator with this journal resumes an interrupted run when the run is started again
 * under its id. A {@linkplain #worker worker} needs no such start: it executes submitted runs, and
 * takes over the runs of dead processes and failed machines.
 *
 * <p>A finished step never runs again. A step that is not idempotent and was running when its
 * process ended does not run again either. Its outcome is unknown; therefore it fails, and a person
 * decides with {@link #resolve}.
 *
 * <p>The tables are in the schema {@code repartee} of the database; {@link #connect} creates them.
 * Each process needs up to 12 connections.
 *
 * <p>Every method throws an {@link java.io.UncheckedIOException} if a statement fails, the database
 * has not been reachable for a minute, or it has not executed a statement within two minutes. The
 * message names the database. Thread-safe.
 */
public final class DurableRuns implements Journal, AutoCloseable {
  private final Engine engine;

  private DurableRuns(Database database, int concurrency, @Nullable Starter starter, Clock clock) {
    this.engine = new Engine(
        database,
        concurrency,
        starter == null ? null : run -> starter.start(get(run), this),
        clock);
  }

  /** Starts the plans of the runs that a worker executes. */
  @FunctionalInterface
  public interface Starter {
    /**
     * Starts the plan of a run under the id of the run, with its input, and with the given journal.
     * An exception fails the run.
     */
    void start(DurableRun run, Journal journal);
  }

  /**
   * Connects to a database. This process executes only the runs that it starts itself.
   *
   * @param url {@code postgresql://USER:PASSWORD@HOST:PORT/DATABASE}, or a JDBC URL
   * @throws IllegalArgumentException if the URL is invalid
   * @throws IOException if the database cannot be reached
   */
  public static DurableRuns connect(String url) throws IOException {
    return open(new Database(url), 0, null, Clock.SYSTEM);
  }

  /**
   * Connects to a database, and executes submitted and interrupted runs.
   *
   * @param concurrency the maximum number of concurrent runs of this process, at least 1
   * @param starter starts the runs, each on a separate thread
   * @throws IllegalArgumentException if the URL is invalid
   * @throws IOException if the database cannot be reached
   */
  public static DurableRuns worker(String url, int concurrency, Starter starter)
      throws IOException {
    if (concurrency < 1) {
      throw new IllegalArgumentException(
          "the concurrency has to be at least 1, not " + concurrency);
    }
    return open(new Database(url), concurrency, Objects.requireNonNull(starter), Clock.SYSTEM);
  }

  static DurableRuns open(
      Database database, int concurrency, @Nullable Starter starter, Clock clock)
      throws IOException {
    DurableRuns runs = new DurableRuns(database, concurrency, starter, clock);
    try {
      runs.engine.start();
      return runs;
    } catch (SQLException | RuntimeException e) {
      runs.close();
      throw new IOException(
          "cannot use the database " + database + ": " + Database.reason(e)
              + "; check that PostgreSQL runs there and that the user may create a schema",
          e);
    }
  }

  /**
   * Opens the log of a run that this process executes.
   *
   * @throws IllegalStateException if another process executes the run, it has ended, or it has
   *     another plan or input
   */
  @Override
  public Log open(String run, Json plan, Json input) {
    Execution execution = engine.open(run, WorkflowInput.of(plan, input));
    try {
      return new RunLog(execution, execution.claimed().join());
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      throw new IllegalStateException((cause == null ? e : cause).getMessage(), e);
    }
  }

  /**
   * Submits a run to the workers of the database: one worker executes it. Does nothing if the run
   * exists.
   *
   * @throws IllegalStateException if a run with this id exists, but with another plan or input
   */
  public void submit(String run, Json plan, Json input) {
    engine.submit(run, WorkflowInput.of(plan, input));
  }

  /**
   * Waits for the end of a run, in this process or another one. The wait has no time limit.
   *
   * @throws IllegalArgumentException if there is no such run
   * @throws IllegalStateException if the run was cancelled
   */
  public DurableRun await(String run) {
    get(run);
    engine.await(run);
    return get(run);
  }

  /** Returns the run with this id; empty if there is none. */
  public Optional<DurableRun> find(String run) {
    return engine.find(run).map(status -> describe(status, new HashMap<>()));
  }

  /** Returns the newest runs, the newest first. */
  public List<DurableRun> list(int limit) {
    Map<String, Boolean> dead = new HashMap<>();
    return engine.list(limit).stream().map(status -> describe(status, dead)).toList();
  }

  /** Returns the last entry of each step of a run, in the order in which the steps began. */
  public Map<String, Entry> steps(String run) {
    return StepRecord.entries(engine.records(run));
  }

  /**
   * Cancels a run. Its process stops it within about a second, and no worker resumes it. Does
   * nothing if the run has ended.
   */
  public void cancel(String run) {
    engine.cancel(run);
  }

  /**
   * Continues a failed run under a new id, with decisions about its steps with unknown outcomes.
   * The finished steps do not run again. The new run is submitted to the workers; a process can
   * also start it itself, under the new id.
   *
   * <p>A run is continued once, since its later steps must not run twice. If several processes
   * resolve a run at the same time, the decisions of one of them apply.
   *
   * @param resolutions the decisions, by the ids of the steps
   * @throws IllegalArgumentException if there is no such run, or the outcome of a step is known
   * @throws IllegalStateException if the run has not failed, it was resolved already, or a run with
   *     the new id exists
   */
  public void resolve(String run, String newRun, Map<String, Resolution> resolutions) {
    DurableRun failed = get(run);
    if (failed.state() != DurableRun.State.FAILED) {
      throw new IllegalStateException("the run " + run + " has not failed: it is "
          + failed.state().name().toLowerCase(Locale.ROOT));
    }
    // In this order: a continuation is recorded before its run exists. If another process has
    // submitted the new run as the continuation, this is reported, not that the run exists.
    boolean exists = engine.find(newRun).isPresent();
    requireUnresolved(run, engine.continuation(run));
    if (exists) {
      throw Resolutions.exists(newRun);
    }
    Map<String, Entry> steps = steps(run);
    Set<String> unknown = new TreeSet<>();
    steps.forEach((step, entry) -> {
      if (isUnknown(entry)) {
        unknown.add(step);
      }
    });
    for (String step : resolutions.keySet()) {
      if (!unknown.contains(step)) {
        throw new IllegalArgumentException("the outcome of the step " + step
            + " is known; the steps with unknown outcomes are " + unknown);
      }
    }
    // The new run begins with the records of the ended steps, and repeats every step without a
    // record. The records of two kinds of steps are therefore left out: steps with the decision to
    // repeat them, and failed steps that enclose a step with a decision.
    List<Json> records = new ArrayList<>();
    steps.forEach((step, entry) -> {
      Resolution resolution = resolutions.get(step);
      Entry kept = resolution != null
          ? resolution.apply(entry)
          : resolutions.keySet().stream().anyMatch(inner -> encloses(step, inner)) ? null : entry;
      if (kept != null) {
        records.add(StepRecord.of(step, kept).toJson());
      }
    });
    WorkflowInput input = new WorkflowInput(
        failed.plan().toString(),
        failed.input().toString(),
        records,
        engine.find(run).map(Engine::input).flatMap(WorkflowInput::context));
    requireUnresolved(run, engine.resolve(run, newRun, input));
  }

  private static void requireUnresolved(String run, @Nullable String continued) {
    if (continued != null) {
      throw new IllegalStateException("the run " + run + " was resolved already as " + continued
          + "; its decisions cannot be changed");
    }
  }

  private static boolean isUnknown(Entry entry) {
    return !entry.isFinished()
        || entry.failure() != null && entry.failure().kind() == Failure.Kind.UNKNOWN_OUTCOME;
  }

  /** Returns whether a step encloses another one; their ids show it. */
  private static boolean encloses(String step, String inner) {
    return inner.length() > step.length()
        && inner.startsWith(step)
        && (inner.charAt(step.length()) == '/' || inner.charAt(step.length()) == '[');
  }

  private DurableRun get(String run) {
    return find(run).orElseThrow(() -> new IllegalArgumentException("there is no run " + run));
  }

  /** Converts a workflow. The map caches the dead processes, by owner. */
  private DurableRun describe(WorkflowStatus status, Map<String, Boolean> dead) {
    WorkflowInput input = Engine.input(status);
    RunOutcome outcome = status.output() instanceof String text
        ? Json.parse(text).as(RunOutcome.class)
        : new RunOutcome(Optional.empty(), Optional.empty());
    Failure failure = outcome.failure().map(FailureRecord::toFailure).orElse(null);
    if (status.error() != null) {
      failure = new Failure(
          Failure.Kind.INTERNAL, "the engine failed: " + status.error().message());
    }
    return new DurableRun(
        status.workflowId(),
        Json.parse(input.plan()),
        Json.parse(input.input()),
        state(status, failure, dead),
        status.executorId(),
        status.createdAt(),
        status.completedAt(),
        outcome.output().map(Json::parse).orElse(null),
        failure);
  }

  private DurableRun.State state(
      WorkflowStatus status, @Nullable Failure failure, Map<String, Boolean> dead) {
    return switch (status.status()) {
      case SUCCESS -> failure == null ? DurableRun.State.SUCCEEDED : DurableRun.State.FAILED;
      case ERROR, MAX_RECOVERY_ATTEMPTS_EXCEEDED -> DurableRun.State.FAILED;
      case CANCELLED -> DurableRun.State.CANCELLED;
      case ENQUEUED, DELAYED -> DurableRun.State.QUEUED;
      case PENDING ->
        dead.computeIfAbsent(status.executorId(), engine::isDead)
            ? DurableRun.State.INTERRUPTED
            : DurableRun.State.RUNNING;
    };
  }

  /**
   * Closes the connections, and leaves the runs of this process to other processes. Close the
   * orchestrator first.
   */
  @Override
  public void close() {
    engine.close();
  }
}
