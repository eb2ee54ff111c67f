package dev.repartee.agents.postgres;

import dev.dbos.transact.workflow.WorkflowStatus;
import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.postgres.StepRecord.FailureRecord;
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
 * Runs of plans that survive a crash: a journal in a PostgreSQL database, which any number of
 * processes share.
 *
 * <p>An orchestrator that has it as its journal resumes an interrupted run that is started again
 * under its id. A process that was opened with {@link #worker} does so by itself: it executes
 * submitted runs, and takes over those of processes that have ended or whose machine is gone.
 *
 * <p>A finished step is not run again. A step that is not idempotent and was running when its
 * process ended is not run again either: its outcome is unknown, the step fails, and a person
 * decides with {@link #resolve}.
 *
 * <p>The tables are in the schema {@code repartee} of the database; {@link #connect} creates them.
 * Each process needs up to 12 connections.
 *
 * <p>Every method throws an {@link java.io.UncheckedIOException}, whose message names the database,
 * if a statement fails, the database has not been reachable for a minute, or it has not carried out
 * a statement within two. Thread-safe.
 */
public final class DurableRuns implements Journal, AutoCloseable {
  private final Engine engine;

  private DurableRuns(Database database, int concurrency, @Nullable Starter starter) {
    this.engine = new Engine(
        database, concurrency, starter == null ? null : run -> starter.start(get(run), this));
  }

  /** Starts the plans of runs that a worker has taken. */
  @FunctionalInterface
  public interface Starter {
    /**
     * Starts the plan of a run: under its id, with its input, and with the journal that is given.
     * If it throws, the run fails.
     */
    void start(DurableRun run, Journal journal);
  }

  /**
   * Connects to a database: this process executes the runs that it starts itself, and no others.
   *
   * @param url {@code postgresql://USER:PASSWORD@HOST:PORT/DATABASE}, or the form of JDBC
   * @throws IllegalArgumentException if the URL is neither
   * @throws IOException if the database cannot be reached
   */
  public static DurableRuns connect(String url) throws IOException {
    return open(new Database(url), 0, null);
  }

  /**
   * Connects to a database as {@link #connect} does, and executes submitted and interrupted runs.
   *
   * @param concurrency the number of runs that this process takes at the same time, at least 1
   * @param starter called on a thread of its own
   * @throws IllegalArgumentException if the URL is invalid
   * @throws IOException if the database cannot be reached
   */
  public static DurableRuns worker(String url, int concurrency, Starter starter)
      throws IOException {
    if (concurrency < 1) {
      throw new IllegalArgumentException("concurrency < 1: " + concurrency);
    }
    return open(new Database(url), concurrency, Objects.requireNonNull(starter));
  }

  static DurableRuns open(Database database, int concurrency, @Nullable Starter starter)
      throws IOException {
    DurableRuns runs = new DurableRuns(database, concurrency, starter);
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
    Execution execution = engine.open(run, new Order(plan.toString(), input.toString(), List.of()));
    try {
      return new RunLog(execution, execution.claimed().join());
    } catch (CompletionException e) {
      Throwable cause = e.getCause();
      throw new IllegalStateException((cause == null ? e : cause).getMessage(), e);
    }
  }

  /**
   * Submits a run to the workers of the database. One of them executes it. If it exists, nothing
   * happens.
   *
   * @throws IllegalStateException if a run of this id exists with another plan or input
   */
  public void submit(String run, Json plan, Json input) {
    engine.submit(run, new Order(plan.toString(), input.toString(), List.of()));
  }

  /**
   * Waits until a run has ended, in whichever process.
   *
   * @throws IllegalArgumentException if there is no such run
   * @throws IllegalStateException if the run was cancelled
   */
  public DurableRun await(String run) {
    get(run);
    engine.await(run);
    return get(run);
  }

  /** Returns a run, or nothing if there is none of this id. */
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
   * Cancels a run: its process drops it within about a second, and no process resumes it by itself.
   * Does nothing if it has ended.
   */
  public void cancel(String run) {
    engine.cancel(run);
  }

  /**
   * Continues a failed run under a new id, after a person has found out about the steps whose
   * outcome was unknown. The finished steps are not run again. The new run is submitted to the
   * workers; a process can also start it itself, under the new id.
   *
   * @param resolutions the decisions, by the ids of the steps
   * @throws IllegalArgumentException if there is no such run, or a step has another outcome than
   *     an unknown one
   * @throws IllegalStateException if the run has not failed, or a run of the new id exists
   */
  public void resolve(String run, String newRun, Map<String, Resolution> resolutions) {
    DurableRun failed = get(run);
    if (failed.state() != DurableRun.State.FAILED) {
      throw new IllegalStateException("the run " + run + " has not failed: it is "
          + failed.state().name().toLowerCase(Locale.ROOT));
    }
    if (engine.find(newRun).isPresent()) {
      throw new IllegalStateException("a run " + newRun + " exists already");
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
        throw new IllegalArgumentException(
            "the outcome of the step " + step + " is not unknown; unknown are: " + unknown);
      }
    }
    List<Json> records = new ArrayList<>();
    steps.forEach((step, entry) -> {
      Resolution resolution = resolutions.get(step);
      Entry kept = resolution != null
          ? resolution.apply(entry)
          : resolutions.keySet().stream().anyMatch(inner -> isAround(step, inner)) ? null : entry;
      if (kept != null) {
        records.add(StepRecord.of(step, kept).toJson());
      }
    });
    engine.submit(newRun, new Order(failed.plan().toString(), failed.input().toString(), records));
  }

  private static boolean isUnknown(Entry entry) {
    return !entry.isFinished()
        || entry.failure() != null && entry.failure().kind() == Failure.Kind.UNKNOWN_OUTCOME;
  }

  /** Returns whether a step contains another one. It has failed with it, so it begins again. */
  private static boolean isAround(String step, String inner) {
    return inner.length() > step.length()
        && inner.startsWith(step)
        && (inner.charAt(step.length()) == '/' || inner.charAt(step.length()) == '[');
  }

  private DurableRun get(String run) {
    return find(run).orElseThrow(() -> new IllegalArgumentException("there is no run " + run));
  }

  private DurableRun describe(WorkflowStatus status, Map<String, Boolean> dead) {
    Order order = Engine.order(status);
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
        Json.parse(order.plan()),
        Json.parse(order.input()),
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
   * Closes the connections. The runs that this process executes are left to others, so close the
   * orchestrator first.
   */
  @Override
  public void close() {
    engine.close();
  }
}
