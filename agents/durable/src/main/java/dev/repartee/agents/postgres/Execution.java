package dev.repartee.agents.postgres;

import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a run by this process.
 *
 * <p>The engine requires that a workflow runs its steps in the same order each time, but the steps
 * of a plan run in parallel. Therefore the steps run on other threads, and the thread of the
 * workflow only writes their records, in order of arrival. Each checkpoint of the engine is a
 * {@link Batch} of records. An execution has three phases: it reads the checkpoints of earlier
 * executions, it {@linkplain #claim claims} the run with a first checkpoint, and it writes new
 * checkpoints.
 *
 * <p>If two processes execute the same run, both write the next checkpoint. The engine keeps one of
 * them, and drops the other without an error. To detect this, each checkpoint contains the name of
 * its execution, and is read back after it was written. The execution that finds another name is
 * abandoned, before it starts another step.
 */
final class Execution {
  /** The maximum number of records in the queue. A full queue blocks the threads of steps. */
  private static final int MAX_WAITING = 256;

  /** The maximum number of records in one checkpoint. */
  private static final int MAX_BATCH = 64;

  /** A run fails after this number of executions without a result. */
  private static final int MAX_EXECUTIONS = 20;

  /** The checkpoints of the run at the engine. */
  interface Checkpoints {
    /** Returns the next checkpoint. If there is none, writes the given content and returns it. */
    String next(Content content);

    /**
     * Reads a checkpoint from the database.
     *
     * @param number counted from 0
     */
    String read(int number);
  }

  /** Creates the text of a new checkpoint. */
  interface Content {
    String get();
  }

  /**
   * Ends the workflow, and leaves the run to another execution. It is an {@link Error}, because the
   * engine would store an exception as the outcome of a checkpoint.
   */
  static final class Abandoned extends Error {
    private static final long serialVersionUID = 1;

    Abandoned(String reason) {
      super(reason, null, false, false);
    }
  }

  /** A record, or the result of the run, that is not yet stored in the database. */
  private record Entry(Json value, boolean isResult, CompletableFuture<@Nullable Void> written) {}

  private final String run;
  private final String name;
  private final List<Json> firstRecords;
  private final CompletableFuture<List<Json>> claimed = new CompletableFuture<>();
  private final AtomicBoolean attached = new AtomicBoolean();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Guarded by lock. An entry is first in the queue, then in the current checkpoint, then written.
  private final ArrayDeque<Entry> queue = new ArrayDeque<>();
  private List<Entry> writing = List.of(); // the entries of the current checkpoint
  private @Nullable String lost; // the reason of the end; null while the run is executed
  private @Nullable Consumer<String> whenLost;

  // Used by the thread of the workflow only.
  private final List<Json> history = new ArrayList<>(); // the records of earlier executions
  private final Set<String> earlier = new HashSet<>(); // the names of earlier executions
  private boolean live; // whether the current checkpoint belongs to this execution
  private int checkpoints; // the number of checkpoints read and written so far

  /**
   * Creates an execution.
   *
   * @param name the name, unique among all executions
   * @param firstRecords the first records of a new run
   */
  Execution(String run, String name, List<Json> firstRecords) {
    this.run = run;
    this.name = name;
    this.firstRecords = firstRecords;
  }

  /**
   * Executes the run on the thread of its workflow, until it has a result.
   *
   * @param start starts or resumes the plan, after this execution has claimed the run; must not
   *     block
   * @throws Abandoned if the run is left to another execution
   */
  Json execute(Checkpoints engine, Runnable start) {
    try {
      // Reads the checkpoints of earlier executions, until claim() writes a new one.
      Batch batch = next(engine, this::claim);
      while (!live && batch.result().isEmpty()) {
        earlier.add(batch.by());
        history.addAll(batch.records());
        batch = next(engine, this::claim);
      }
      history.addAll(batch.records());
      if (batch.result().isEmpty()) {
        claimed.complete(List.copyOf(history));
        start.run();
      }
      while (batch.result().isEmpty()) {
        batch = next(engine, this::gather);
        if (batch.result().isPresent()) {
          whenLost(reason -> {}); // this process cannot lose a run that has ended
        }
        written().forEach(entry -> entry.written().complete(null));
      }
      return batch.result().get();
    } finally {
      abandon("it has ended");
    }
  }

  /**
   * Reads the next checkpoint, or writes one for this execution.
   *
   * @throws Abandoned if another execution has written the checkpoint
   */
  private Batch next(Checkpoints engine, Content content) {
    String text;
    String stored;
    try {
      text = engine.next(content);
      stored = live ? engine.read(checkpoints) : text;
    } catch (RuntimeException e) { // the database has failed; another execution resumes the run
      throw abandoned(Database.reason(e));
    }
    Batch batch = Json.parse(text).as(Batch.class);
    // The engine returned the checkpoint of another execution, or dropped the checkpoint of this
    // one.
    if (live && !(batch.by().equals(name) && text.equals(stored))) {
      throw abandoned("another process executes it");
    }
    checkpoints++;
    return batch;
  }

  private Abandoned abandoned(String reason) {
    abandon(reason);
    return new Abandoned(reason);
  }

  /** Creates the first checkpoint of this execution, which claims the run. */
  private String claim() {
    live = true;
    if (earlier.size() >= MAX_EXECUTIONS) {
      Failure failure = new Failure(
          Failure.Kind.INTERNAL,
          "the run was started " + earlier.size() + " times, and no execution has reached its end");
      return text(List.of(), Optional.of(RunOutcome.of(null, failure).toJson()));
    }
    return text(checkpoints == 0 ? firstRecords : List.of(), Optional.empty());
  }

  /** Waits for records, and creates a checkpoint from them. */
  private String gather() {
    List<Json> records = new ArrayList<>();
    Optional<Json> result = Optional.empty();
    lock.lock();
    try {
      while (queue.isEmpty() && lost == null) {
        changed.await();
      }
      if (lost != null) {
        throw new Abandoned(lost);
      }
      writing = new ArrayList<>();
      while (result.isEmpty() && writing.size() < MAX_BATCH && !queue.isEmpty()) {
        Entry entry = queue.remove();
        writing.add(entry);
        if (entry.isResult()) {
          result = Optional.of(entry.value());
        } else {
          records.add(entry.value());
        }
      }
      changed.signalAll();
    } catch (InterruptedException e) {
      throw new Abandoned("the engine is shutting down");
    } finally {
      lock.unlock();
    }
    return text(records, result);
  }

  /** Returns the entries of the checkpoint that was written, and forgets them. */
  private List<Entry> written() {
    lock.lock();
    try {
      List<Entry> written = writing;
      writing = List.of();
      return written;
    } finally {
      lock.unlock();
    }
  }

  private String text(List<Json> records, Optional<Json> result) {
    return Json.of(new Batch(name, records, result)).toString();
  }

  /**
   * Ends this execution. A run without a result is left to another execution. A record that is
   * being written counts as lost, even if the database stores it later.
   */
  void abandon(String reason) {
    Consumer<String> action;
    List<Entry> unwritten = new ArrayList<>();
    lock.lock();
    try {
      if (lost != null) {
        return;
      }
      lost = reason;
      action = whenLost;
      unwritten.addAll(writing);
      unwritten.addAll(queue);
      writing = List.of();
      queue.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (action != null) { // first: the run reports this reason, not the failure of a record
      action.accept(reason);
    }
    LostRunException exception = new LostRunException(run, reason);
    unwritten.forEach(entry -> entry.written().completeExceptionally(exception));
    claimed.completeExceptionally(exception);
  }

  /** Sets an action for the end of this execution, or runs it if the execution has ended. */
  void whenLost(Consumer<String> action) {
    String reason;
    lock.lock();
    try {
      reason = lost;
      if (reason == null) {
        whenLost = action;
        return;
      }
    } finally {
      lock.unlock();
    }
    action.accept(reason);
  }

  /** Reserves the execution for a caller that runs its plan. Returns false if it is reserved. */
  boolean attach() {
    return attached.compareAndSet(false, true);
  }

  /** Returns whether a caller has reserved the execution. */
  boolean isAttached() {
    return attached.get();
  }

  /** Ends the run with a failure, because its plan cannot be started. */
  void fail(String message) {
    end(RunOutcome.of(null, new Failure(Failure.Kind.INTERNAL, message)).toJson());
  }

  /**
   * Returns the records of earlier executions; completes when this execution has claimed the run.
   */
  CompletableFuture<List<Json>> claimed() {
    return claimed;
  }

  /**
   * Appends a record, and waits until the database has stored it.
   *
   * @throws LostRunException if this execution has ended, or another one has claimed the run
   */
  void append(Json value) {
    add(value, false);
  }

  /** Appends the result after the last record, as {@link #append} does. */
  void end(Json result) {
    add(result, true);
  }

  private void add(Json value, boolean isResult) {
    Entry entry = new Entry(value, isResult, new CompletableFuture<>());
    lock.lock();
    try {
      while (queue.size() >= MAX_WAITING && lost == null) {
        changed.awaitUninterruptibly();
      }
      if (lost != null) {
        throw new LostRunException(run, lost);
      }
      queue.add(entry);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    try {
      entry.written().join();
    } catch (CompletionException e) {
      throw new LostRunException(run, reason());
    }
  }

  private String reason() {
    lock.lock();
    try {
      return lost == null ? "it has ended" : lost;
    } finally {
      lock.unlock();
    }
  }
}
