package dev.repartee.agents.postgres;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.StartWorkflowOptions;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.exceptions.DBOSAwaitedWorkflowCancelledException;
import dev.dbos.transact.exceptions.DBOSWorkflowCancelledException;
import dev.dbos.transact.exceptions.DBOSWorkflowExecutionConflictException;
import dev.dbos.transact.workflow.ListWorkflowsInput;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.StepInfo;
import dev.dbos.transact.workflow.Workflow;
import dev.dbos.transact.workflow.WorkflowClassName;
import dev.dbos.transact.workflow.WorkflowState;
import dev.dbos.transact.workflow.WorkflowStatus;
import dev.repartee.internal.Clock;
import dev.repartee.internal.Threads;
import dev.repartee.json.Json;
import java.io.UncheckedIOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The durable-execution engine DBOS Transact in this process. A run is a workflow; its {@link
 * Execution} stores the records of the steps as checkpoints.
 *
 * <p>The engine itself resumes only the runs of a process that is started again under the same
 * name. Here each process has a unique name and a {@link Lease}, and a worker takes over the runs
 * of processes without a lease.
 *
 * <p>A submitted run is in the shared queue. A worker moves it to the queue of the worker's
 * process. The engine starts the run from that queue and listens to no other queue. If it listened
 * to the shared queue, its recovery at the start would return runs to the queue that it has just
 * begun.
 */
final class Engine implements AutoCloseable {
  /** The version of the records. A process does not execute the runs of another version. */
  private static final String VERSION = "1";

  private static final String WORKFLOW = "run";
  private static final String CHECKPOINT = "records";
  private static final String SHARED_QUEUE = "runs";

  /** The interval between two polls of a queue. */
  private static final Duration POLLING = Duration.ofMillis(200);

  /** The period of {@link #check}. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  /** The engine must begin a run that {@link #open} has started within this time. */
  private static final long OPEN_SECONDS = 60;

  private static final System.Logger LOG = System.getLogger(Engine.class.getName());

  /** Starts the plan of a run of this worker. */
  interface Starter {
    void start(String run);
  }

  /** The workflow. The engine requires an interface. */
  interface Flow {
    String run(String input);
  }

  private final Database database;
  private final Lease lease; // used only by table, except for the name of its owner
  private final RunTable table;
  private final HikariDataSource pool;
  private final Resolutions resolutions;
  private final DBOS dbos;
  private final Flow flow;
  private final @Nullable Starter starter;

  /** The running executions, by run. */
  private final Map<String, Execution> executions = new ConcurrentHashMap<>();

  /** The calls of {@link #open} that wait for an execution, by run. */
  private final Map<String, CompletableFuture<Execution>> opening = new ConcurrentHashMap<>();

  private final AtomicLong names = new AtomicLong(); // numbers the executions of this process
  private final ExecutorService threads =
      Executors.newCachedThreadPool(Threads.numbered("repartee-run"));
  private final ExecutorService monitor =
      Executors.newSingleThreadExecutor(task -> Threads.daemon("repartee-runs", task));
  private final Clock clock;

  /** The runs that this process has abandoned since the last check. */
  private final Set<String> abandoned = ConcurrentHashMap.newKeySet();

  /** The runs that were moved to the queue of this process, and have not begun. */
  private final Set<String> taken = ConcurrentHashMap.newKeySet();

  private final int concurrency;

  // Used by the thread of the monitor only.
  private Set<String> suspects = Set.of(); // the processes that were dead at the last check
  private boolean isReachable = true; // whether the last check succeeded; a series is logged once

  /**
   * Creates an engine.
   *
   * @param concurrency the maximum number of concurrent runs of a worker
   * @param starter starts the plans of runs; null if this process is not a worker
   * @param clock the clock of the monitor. The engine itself polls in real time
   */
  Engine(Database database, int concurrency, @Nullable Starter starter, Clock clock) {
    this.database = database;
    this.clock = clock;
    this.starter = starter;
    this.lease = new Lease(database);
    this.table = new RunTable(lease, VERSION);
    this.pool = database.pool();
    this.resolutions = new Resolutions(pool);
    String own = RunTable.queueOf(lease.owner());
    this.dbos = new DBOS(DBOSConfig.defaults("repartee")
        .withDataSource(pool)
        .withDatabaseSchema(Database.SCHEMA)
        .withExecutorId(lease.owner())
        .withAppVersion(VERSION)
        .withSerializer(new TextSerializer())
        .withListenQueues(own));
    this.flow = dbos.registerProxy(Flow.class, new RunFlow());
    dbos.registerQueues(
        new Queue(own).withPollingInterval(POLLING),
        new Queue(SHARED_QUEUE).withPollingInterval(POLLING));
    this.concurrency = concurrency;
  }

  /**
   * Connects to the database, creates missing tables, and starts the timers.
   *
   * @throws SQLException if the database cannot be reached
   */
  void start() throws SQLException {
    table.holdLease();
    dbos.launch();
    repeat(CHECK, this::check);
    if (starter != null) {
      repeat(POLLING, this::takeSubmitted);
    }
  }

  /** Runs a task on the thread of the monitor after each period, until {@link #close}. */
  private void repeat(Duration period, Runnable task) {
    clock.schedule(period, monitor, () -> {
      task.run();
      repeat(period, task);
    });
  }

  /** Runs the workflow of a run, on a thread of the engine. */
  @WorkflowClassName("repartee")
  private final class RunFlow implements Flow {
    @Override
    @Workflow(name = WORKFLOW)
    public String run(String text) {
      String run = Objects.requireNonNull(DBOS.workflowId());
      WorkflowInput read = Json.parse(text).as(WorkflowInput.class);
      String name = lease.owner() + "/" + names.incrementAndGet();
      Execution execution = new Execution(run, name, read.records());
      CompletableFuture<Execution> opener = opening.remove(run);
      if (opener != null) {
        execution.attach();
      }
      executions.put(run, execution);
      taken.remove(run);
      boolean hasResult = false;
      try {
        if (opener != null) {
          opener.complete(execution);
        }
        Json result = execution.execute(new RunCheckpoints(run), () -> begin(execution, run, read));
        hasResult = true;
        return result.toString();
      } catch (Execution.Abandoned e) {
        LOG.log(System.Logger.Level.DEBUG, "the run " + run + " is abandoned: " + e.getMessage());
        // This is the only exception that does not end the workflow in the database.
        throw new DBOSWorkflowExecutionConflictException(run);
      } finally {
        executions.remove(run, execution);
        if (!hasResult) {
          abandoned.add(run);
        }
      }
    }
  }

  /** The checkpoints of a run at the engine. */
  private final class RunCheckpoints implements Execution.Checkpoints {
    private final String run;

    RunCheckpoints(String run) {
      this.run = run;
    }

    @Override
    public String next(Execution.Content content) {
      try {
        return dbos.runStep(content::get, CHECKPOINT);
      } catch (DBOSWorkflowCancelledException e) {
        throw new IllegalStateException("it was cancelled");
      }
    }

    @Override
    public String read(int number) {
      // On another thread: on the thread of a workflow, the engine records the query as a step.
      return CompletableFuture.supplyAsync(() -> checkpoint(number), threads).join();
    }

    private String checkpoint(int number) {
      for (StepInfo step : dbos.listWorkflowSteps(run, 1, number)) {
        if (step.output() instanceof String text) {
          return text;
        }
      }
      return "";
    }
  }

  /** Starts the plan of a run, unless a caller of {@link #open} runs it. */
  private void begin(Execution execution, String run, WorkflowInput input) {
    if (execution.isAttached()) {
      return;
    }
    if (starter == null) {
      execution.abandon("this process is not a worker");
      return;
    }
    Starter plans = starter;
    threads.execute(input.thread().wrap(() -> {
      try {
        plans.start(run);
      } catch (LostRunException e) {
        // Another process has taken over the run.
      } catch (RuntimeException | Error e) { // also a missing class: the run must end
        LOG.log(System.Logger.Level.WARNING, "cannot start the run " + run, e);
        execution.fail("the run cannot be started: " + e.getMessage());
      }
    }));
  }

  /**
   * Starts or resumes a run in this process. Returns its execution, for the caller that runs the
   * plan.
   *
   * @throws IllegalStateException if another process executes the run, the run has ended, or it has
   *     another plan or input
   */
  Execution open(String run, WorkflowInput input) {
    Execution known = executions.get(run);
    if (known != null) {
      find(run).ifPresent(found -> requireSame(found, input));
      if (known.attach()) {
        return known;
      }
      throw new IllegalStateException("this process executes the run " + run + " already");
    }
    CompletableFuture<Execution> opener = new CompletableFuture<>();
    if (opening.putIfAbsent(run, opener) != null) {
      throw new IllegalStateException("this process starts the run " + run + " already");
    }
    try {
      Optional<WorkflowStatus> status = find(run);
      if (status.isEmpty()) {
        start(text(input), new StartWorkflowOptions(run));
      } else {
        requireSame(status.get(), input);
        resumeHere(run, status.get());
      }
      return opener.get(OPEN_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the run " + run + " was opened", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "the run " + run + " has not begun within " + OPEN_SECONDS + " s", e);
    } finally {
      opening.remove(run, opener);
    }
  }

  /** Requires the same plan and input, since the records of a run are valid only for them. */
  private static void requireSame(WorkflowStatus status, WorkflowInput input) {
    WorkflowInput known = input(status);
    String other = !Json.parse(known.plan()).equals(Json.parse(input.plan()))
        ? "plan"
        : !Json.parse(known.input()).equals(Json.parse(input.input())) ? "input" : null;
    if (other != null) {
      throw new IllegalStateException(
          "the run " + status.workflowId() + " was started with another " + other
              + "; start it with the same one, or choose another id");
    }
  }

  /** Returns the input of a workflow. */
  static WorkflowInput input(WorkflowStatus status) {
    return Json.parse((String) status.input()[0]).as(WorkflowInput.class);
  }

  /** Moves a run to the queue of this process, if no living process executes it. */
  private void resumeHere(String run, WorkflowStatus status) {
    WorkflowState state = status.status();
    if (!VERSION.equals(status.appVersion())) {
      throw new IllegalStateException("the run " + run + " was started by another version of this"
          + " library; continue it with that version");
    }
    if (state == WorkflowState.SUCCESS || state == WorkflowState.ERROR) {
      throw new IllegalStateException("the run " + run + " has ended; start another one");
    }
    String here = RunTable.queueOf(lease.owner());
    if (state == WorkflowState.PENDING && !status.executorId().equals(lease.owner())) {
      try {
        if (!table.takeOver(status.executorId(), run, here)) {
          throw new IllegalStateException(
              "another orchestrator executes the run " + run + ": " + status.executorId());
        }
      } catch (SQLException e) {
        throw database.failure(e);
      }
    } else {
      callEngine(() -> dbos.resumeWorkflow(run, here));
    }
  }

  /**
   * Submits a run to the workers. Does nothing if the run exists.
   *
   * @throws IllegalStateException if the run exists with another plan or input
   */
  void submit(String run, WorkflowInput input) {
    find(run).ifPresent(found -> requireSame(found, input));
    start(text(input), new StartWorkflowOptions(run).withQueue(SHARED_QUEUE));
  }

  /**
   * Returns the id under which a failed run was continued; null if it was not. Submits the new run
   * if the process that recorded it ended before it could submit it.
   */
  @Nullable String continuation(String run) {
    Resolutions.Continuation known = callEngine(() -> resolutions.find(run));
    return known != null && submit(run, known) ? known.newRun() : null;
  }

  /**
   * Continues a failed run under a new id, unless it was continued already.
   *
   * @return the id under which the run was continued before; null if this call continues it
   * @throws IllegalStateException if another run has the new id
   */
  @Nullable String resolve(String run, String newRun, WorkflowInput input) {
    Resolutions.Continuation given = new Resolutions.Continuation(newRun, text(input));
    Resolutions.Continuation earlier = callEngine(() -> resolutions.record(run, given));
    if (earlier != null) {
      return earlier.newRun();
    } else if (!submit(run, given)) {
      throw Resolutions.exists(newRun);
    }
    return null;
  }

  /**
   * Submits the continuation of a failed run, unless it was submitted. If another run has its id,
   * the record of the continuation is removed: the failed run can be continued under another id.
   *
   * @return false if another run has the id
   */
  private boolean submit(String run, Resolutions.Continuation given) {
    String id = given.newRun();
    if (find(id).isEmpty()) {
      start(given.input(), new StartWorkflowOptions(id).withQueue(SHARED_QUEUE));
    }
    if (find(id).orElseThrow().input()[0].equals(given.input())) {
      return true;
    }
    callEngine(() -> {
      resolutions.remove(run, id);
      return id;
    });
    return false;
  }

  private static String text(WorkflowInput input) {
    return Json.of(input).toString();
  }

  private void start(String text, StartWorkflowOptions options) {
    callEngine(() -> dbos.startWorkflow(() -> flow.run(text), options));
  }

  /**
   * Calls the engine with a time limit. Without the limit the call could block for ever: the engine
   * retries a statement endlessly if the database lacks resources, such as disk space.
   *
   * @throws UncheckedIOException if the database fails, or does not answer in time
   */
  private <T extends @Nullable Object> T callEngine(Callable<T> call) {
    Duration limit = database.timeout().multipliedBy(2); // a pause of the database is shorter
    Future<T> result = threads.submit(call);
    try {
      return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      result.cancel(true);
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while " + database + " was used", e);
    } catch (TimeoutException e) {
      result.cancel(true);
      throw database.failure(new SQLException("the database " + database
          + " has not executed a statement within " + limit.toSeconds()
          + " s; its log has the reason"));
    } catch (ExecutionException e) {
      if (Database.isCause(e)) {
        throw database.failure(e);
      } else if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Cancels a run. Its process stops it at the next check, and no worker resumes it. */
  void cancel(String run) {
    callEngine(() -> {
      dbos.cancelWorkflow(run);
      return run;
    });
  }

  /** Waits for the end of a run, in this process or another one. */
  void await(String run) {
    try {
      dbos.<String, RuntimeException>getResult(run);
    } catch (DBOSAwaitedWorkflowCancelledException e) {
      throw new IllegalStateException("the run " + run + " was cancelled", e);
    } catch (RuntimeException e) {
      // The engine has failed. The state of the run in the database contains the failure.
      LOG.log(System.Logger.Level.DEBUG, "the run " + run + " has failed", e);
    }
  }

  Optional<WorkflowStatus> find(String run) {
    return callEngine(() -> dbos.getWorkflowStatus(run));
  }

  /** Returns the newest runs, the newest first. */
  List<WorkflowStatus> list(int limit) {
    ListWorkflowsInput newest =
        new ListWorkflowsInput().withWorkflowName(WORKFLOW).withSortDesc(true).withLimit(limit);
    return callEngine(() -> dbos.listWorkflows(newest));
  }

  /** Returns the records of a run, in their order. */
  List<Json> records(String run) {
    List<Json> records = new ArrayList<>();
    for (StepInfo step : callEngine(() -> dbos.listWorkflowSteps(run))) {
      if (step.output() instanceof String text) {
        records.addAll(Json.parse(text).as(Batch.class).records());
      }
    }
    return records;
  }

  /** Returns whether a process is dead: its lease has no owner. */
  boolean isDead(String owner) {
    try {
      return table.isDead(owner);
    } catch (SQLException e) {
      throw database.failure(e);
    }
  }

  /**
   * Acquires submitted runs, up to the concurrency of this process. Runs on the thread of the
   * monitor.
   */
  private void takeSubmitted() {
    int free = concurrency - executions.size() - taken.size();
    if (free > 0) {
      try {
        taken.addAll(table.move(SHARED_QUEUE, lease.owner(), free));
      } catch (SQLException | RuntimeException e) { // an exception would end the timer
        LOG.log(System.Logger.Level.DEBUG, "cannot take runs", e); // check() logs a warning
      }
    }
  }

  /**
   * Holds the lease, ends the executions of runs that this process has lost, returns abandoned runs
   * to the shared queue, and takes over the runs of dead processes. Runs on the thread of the
   * monitor.
   */
  private void check() {
    try {
      table.holdLease();
      Set<String> abandonedBefore = Set.copyOf(abandoned); // before the query of the owners
      Set<String> pending = new HashSet<>();
      Set<String> own = new HashSet<>();
      Set<String> others = new HashSet<>();
      for (RunTable.Owned owned : table.owned()) {
        if (!owned.owner().equals(lease.owner())) {
          others.add(owned.owner());
        } else {
          own.add(owned.run());
          if (owned.isPending()) {
            pending.add(owned.run());
          }
        }
      }
      taken.retainAll(own); // a run may have been cancelled in the queue
      executions.forEach((run, execution) -> {
        if (!pending.contains(run)) {
          dropIfLost(run, execution);
        }
      });
      requeueAbandoned(abandonedBefore, pending);
      if (starter != null) {
        takeOver(others);
      }
      isReachable = true;
    } catch (SQLException | RuntimeException e) {
      if (isReachable) {
        isReachable = false;
        LOG.log(
            System.Logger.Level.WARNING,
            "cannot check the durable runs; trying again: " + Database.reason(e));
      }
    }
  }

  /**
   * Takes over the runs of processes that are dead in two successive checks. One check is not
   * enough: a process that has lost its connection acquires its lock again at its next check.
   */
  private void takeOver(Set<String> others) throws SQLException {
    Set<String> dead = new HashSet<>();
    for (String other : others) {
      if (suspects.contains(other)) {
        table.takeOver(other, null, SHARED_QUEUE);
      } else if (table.isDead(other)) {
        dead.add(other);
      }
    }
    suspects = dead;
  }

  /** Abandons an execution if the run was cancelled or belongs to another process. */
  private void dropIfLost(String run, Execution execution) {
    WorkflowStatus status = dbos.getWorkflowStatus(run).orElse(null);
    if (status == null || status.status() == WorkflowState.CANCELLED) {
      execution.abandon("it was cancelled");
    } else if (status.status().isActive()
        && !(status.status() == WorkflowState.PENDING
            && status.executorId().equals(lease.owner()))) {
      execution.abandon("another process has taken it over");
    }
  }

  /** Returns abandoned runs that still belong to this process to the shared queue. */
  private void requeueAbandoned(Set<String> before, Set<String> pending) throws SQLException {
    for (String run : before) {
      if (pending.contains(run) && !executions.containsKey(run)) {
        table.requeue(lease.owner(), run, SHARED_QUEUE);
      }
    }
    abandoned.removeAll(before);
  }

  /**
   * Ends the executions of this process, and releases its lease. Then other processes may resume
   * the runs.
   */
  @Override
  public void close() {
    monitor.shutdownNow();
    executions.values().forEach(execution -> execution.abandon("this process is closing"));
    dbos.shutdown();
    pool.close();
    threads.shutdownNow();
    table.close();
  }
}
