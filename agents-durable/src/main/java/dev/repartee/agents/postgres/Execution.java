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
 * <p>The engine wants a workflow to take its steps in the same order each time, but the steps of a
 * plan run in parallel. So the plan runs on threads of its own, and the thread of the workflow only
 * writes their records, in the order in which they arrive. Each checkpoint of the engine is a
 * {@link Batch} of records. An execution after a crash reads the checkpoints in the same order, and
 * then writes new ones.
 *
 * <p>The engine does not report that another process has written the same checkpoint before. So
 * each checkpoint names its execution, and is read back. If two processes execute a run, they
 * compete for the next checkpoint, and one of them ends here before it starts another step.
 */
final class Execution {
  /** The number of records that may wait for the database; more of them block the steps. */
  private static final int MAX_WAITING = 256;

  /** The number of records in one checkpoint. */
  private static final int MAX_BATCH = 64;

  /** The number of executions after which a run that always ends with a crash is given up. */
  private static final int MAX_EXECUTIONS = 20;

  /** The checkpoints of the run at the engine. */
  interface Checkpoints {
    /** Returns the next checkpoint, or writes that of the supplier if it does not exist. */
    String next(Content content);

    /** Returns the text of a checkpoint, counted from 0. */
    String read(int number);
  }

  /** Supplies the text of a new checkpoint. */
  interface Content {
    String get();
  }

  /**
   * Leaves the run to another execution. The engine stores an exception as the outcome of a
   * checkpoint, but not an error.
   */
  static final class Abandoned extends Error {
    private static final long serialVersionUID = 1;

    Abandoned(String reason) {
      super(reason, null, false, false);
    }
  }

  /** A record on its way to the database. */
  private record Entry(Json value, boolean isResult, CompletableFuture<@Nullable Void> written) {}

  private final String run;
  private final String name;
  private final List<Json> firstRecords;
  private final CompletableFuture<List<Json>> claimed = new CompletableFuture<>();
  private final AtomicBoolean attached = new AtomicBoolean();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Entry> waiting = new ArrayDeque<>(); // guarded by lock
  private @Nullable String lost; // guarded by lock: the reason
  private List<Entry> writing = List.of(); // guarded by lock: those of the present checkpoint
  private @Nullable Consumer<String> whenLost; // guarded by lock

  // Used by the thread of the workflow only.
  private final List<Json> history = new ArrayList<>();
  private final Set<String> earlier = new HashSet<>();
  private boolean live;
  private int checkpoints;

  /**
   * Creates an execution.
   *
   * @param name a name that no other execution has
   * @param firstRecords the records that a new run begins with
   */
  Execution(String run, String name, List<Json> firstRecords) {
    this.run = run;
    this.name = name;
    this.firstRecords = firstRecords;
  }

  /**
   * Executes the run on the thread of its workflow, until it has a result.
   *
   * @param start starts or continues the plan. It is called once the run belongs to this
   *     execution, and must not block
   * @throws Abandoned if the run is left to another execution
   */
  Json carry(Checkpoints engine, Runnable start) {
    try {
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
          whenLost(reason -> {}); // there is nothing left to lose
        }
        written().forEach(entry -> entry.written().complete(null));
      }
      return batch.result().get();
    } finally {
      abandon("it has ended");
    }
  }

  /** Reads the next checkpoint of an earlier execution, or writes one of this execution. */
  private Batch next(Checkpoints engine, Content content) {
    String text;
    String stored;
    try {
      text = engine.next(content);
      stored = live ? engine.read(checkpoints) : text;
    } catch (RuntimeException e) { // the fault of the database: the run goes on elsewhere
      throw abandoned(Database.reason(e));
    }
    Batch batch = Json.parse(text).as(Batch.class);
    // The engine has returned the checkpoint of another execution, or has dropped that of this one.
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

  /** Makes the first checkpoint of this execution. With it, the run belongs to this execution. */
  private String claim() {
    live = true;
    if (earlier.size() >= MAX_EXECUTIONS) {
      Failure failure = new Failure(
          Failure.Kind.INTERNAL,
          "the orchestrator has ended " + earlier.size() + " times while it executed this run");
      return text(List.of(), Optional.of(RunOutcome.of(null, failure).toJson()));
    }
    return text(checkpoints == 0 ? firstRecords : List.of(), Optional.empty());
  }

  /** Waits for records, and makes a checkpoint of them. */
  private String gather() {
    List<Json> records = new ArrayList<>();
    Optional<Json> result = Optional.empty();
    lock.lock();
    try {
      while (waiting.isEmpty() && lost == null) {
        changed.await();
      }
      if (lost != null) {
        throw new Abandoned(lost);
      }
      writing = new ArrayList<>();
      while (result.isEmpty() && writing.size() < MAX_BATCH && !waiting.isEmpty()) {
        Entry entry = waiting.remove();
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

  /** Takes the entries whose checkpoint the database has. */
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
   * Ends this execution: the run is left to another one, unless it has a result. A record on its way
   * to the database counts as not written, even if it arrives there.
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
      unwritten.addAll(waiting);
      writing = List.of();
      waiting.clear();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (action != null) { // first: the run then knows why its records are refused
      action.accept(reason);
    }
    LostRunException exception = new LostRunException(run, reason);
    unwritten.forEach(entry -> entry.written().completeExceptionally(exception));
    claimed.completeExceptionally(exception);
  }

  /** Sets an action for the end of this execution, which gets the reason; runs it at once if late. */
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

  /** Returns whether the caller is the first one that wants to run the plan. */
  boolean attach() {
    return attached.compareAndSet(false, true);
  }

  /** Returns whether a caller runs the plan already. */
  boolean isAttached() {
    return attached.get();
  }

  /** Ends the run with a failure, before its plan has begun. */
  void fail(String message) {
    end(RunOutcome.of(null, new Failure(Failure.Kind.INTERNAL, message)).toJson());
  }

  /** Returns the records of earlier executions, as soon as the run belongs to this one. */
  CompletableFuture<List<Json>> claimed() {
    return claimed;
  }

  /**
   * Appends a record. Returns when the database has it, and the run still belongs to this
   * execution.
   *
   * @throws LostRunException if this execution has ended, or the run belongs to another one
   */
  void append(Json value) {
    add(value, false);
  }

  /** Appends the result, the last record. */
  void end(Json result) {
    add(result, true);
  }

  private void add(Json value, boolean isResult) {
    Entry entry = new Entry(value, isResult, new CompletableFuture<>());
    lock.lock();
    try {
      while (waiting.size() >= MAX_WAITING && lost == null) {
        changed.awaitUninterruptibly();
      }
      if (lost != null) {
        throw new LostRunException(run, lost);
      }
      waiting.add(entry);
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
