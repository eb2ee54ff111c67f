package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.internal.Causes;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.plan.Step;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes the steps of one run. Thread-safe.
 *
 * <p>A step is a future; no thread waits for it. Cancelling the {@link CancellationScope} of a step
 * completes its future. Therefore an enclosing step never waits for an agent that ignores its
 * cancellation.
 */
final class Execution {
  // Implementation note.
  //
  // A step, from begin() to its StepState:
  //
  //   begin --+--> execute --> work --> finish --+--> SUCCEEDED, or FAILED with a fallback
  //           |                                  +--> CANCELLED: an enclosing step has ended
  //           |                                  +--> FAILED: finishFailed()
  //           +--> restore (finished in the journal)
  //           +--> failRun (the journal fails, or the budget is exceeded)
  //
  // The journal is written before the future completes. Otherwise a crash between the two could
  // make a later step run on an output that the next execution does not have. Two ends have no
  // record. A cancelled step has none, because the end of the enclosing step says all. A fatal
  // failure has none, because the same run with a larger budget has to repeat the step.
  //
  // A step that was started and has no end in the journal is repeated only if it is idempotent.
  // Any other step fails with UNKNOWN_OUTCOME, because its agent may or may not have run.
  //
  // Three kinds of failure look alike and have to be told apart, in this order:
  //   - outer.reason(): an enclosing step was cancelled. The thrown exception is a consequence.
  //   - scope.reason(): this step was cancelled while the enclosing one runs: its deadline.
  //   - StepException: an inner step has failed and has named itself; the message is kept.
  //
  // "Fatal" means that no fallback applies and no branch may continue: the failure is not one of a
  // step, but of the run.
  //
  // Groups. The branches of parallel and map share a BranchGroup. A race is different: its first
  // output, not its first failure, ends the others. All three wait for all branches, also for
  // cancelled ones: no branch may change its entry after its group has ended.
  //
  // Memory. A map of a million elements must not hold a million inputs. Elements begins an element
  // only when another one has ended, and Calls makes the inputs of a call when it may run. Usage
  // counts outputs and messages of failures; keep() and finishFailed() count each text once,
  // although enclosing steps pass it on. restore() counts the same: a crash does not enlarge a
  // budget.
  //
  // Threads. A branch begins on a worker, and finish() runs on one (handleAsync): the journal and
  // an agent may block. Without a thread, only one branch fails: the others still end, and the
  // group completes.
  //
  // Locks. None here; the fields are immutable. StepEntry, Outputs, Usage and CancellationScope
  // guard themselves.

  private final Orchestrator orchestrator;
  private final Plan plan;
  private final Json input;
  private final CancellationScope root;
  private final Journal.Log log;
  private final Map<String, Journal.Entry> before; // the journal of earlier executions
  private final Calls calls;
  private final Usage usage;
  private final BiConsumer<StepEntry, Boolean> listener;

  /**
   * Creates an execution.
   *
   * @param listener receives each changed entry, with true if the change is only a progress report
   */
  Execution(
      Orchestrator orchestrator,
      Plan plan,
      Json input,
      CancellationScope root,
      Journal.Log log,
      Calls calls,
      Usage usage,
      BiConsumer<StepEntry, Boolean> listener) {
    this.orchestrator = orchestrator;
    this.plan = plan;
    this.input = input;
    this.root = root;
    this.log = log;
    this.before = log.entries();
    this.calls = calls;
    this.usage = usage;
    this.listener = listener;
  }

  /** Runs the steps of the plan. Returns the future output of the run. */
  CompletableFuture<Json> run(StepEntry entry) {
    usage.callsBefore(JournaledCalls.count(plan, before));
    Outputs values = new Outputs(input);
    Json schema = plan.inputSchema();
    CompletableFuture<Json> checked = schema == null
        ? CompletableFuture.completedFuture(input)
        : orchestrator.schemas().check(input, schema, "the input of the plan", Failure.Kind.INPUT);
    return checked
        .thenCompose(valid -> {
          usage.steps(size(plan.steps()));
          return sequence(plan.steps(), entry, root, values);
        })
        .thenApply(last -> plan.output() == null ? last : plan.output().resolve(values));
  }

  /**
   * Returns the number of inner steps, without the steps of maps: a map counts them when it begins.
   */
  private static long size(Step step) {
    if (step instanceof Step.ForEach) {
      return 0;
    }
    return step.steps().stream().mapToLong(inner -> 1 + size(inner)).sum();
  }

  // ---------------------------------------------------------------- one step

  /**
   * Begins a step on the current thread.
   *
   * @param outer the scope of the enclosing step
   * @return the future output; it fails with {@link StepException} only
   */
  private CompletableFuture<Json> begin(StepEntry entry, CancellationScope outer, Outputs values) {
    CompletableFuture<Json> done = new CompletableFuture<>();
    try {
      Failure cancelled = outer.reason();
      if (cancelled != null) {
        done.completeExceptionally(new StepException(entry.id(), cancelled, false));
        return done;
      }
      Journal.Entry known = before.get(entry.id());
      if (known != null && known.isFinished()) {
        restore(entry, known, values, done);
      } else {
        execute(entry, known, outer, values, done);
      }
    } catch (Throwable e) {
      failRun(entry, e, done);
    }
    return done;
  }

  /**
   * Executes a step.
   *
   * @param known the journal entry of a step that was interrupted; null if the step is new
   */
  private void execute(
      StepEntry entry,
      Journal.@Nullable Entry known,
      CancellationScope outer,
      Outputs values,
      CompletableFuture<Json> done) {
    entry.start(known);
    CancellationScope scope = outer.child();
    Duration deadline = entry.step().policy().deadline();
    if (deadline != null) {
      scope.cancelAfter(
          deadline,
          new Failure(
              Failure.Kind.TIMEOUT, "it did not end within its deadline of " + text(deadline)));
    }
    listener.accept(entry, false);
    CompletableFuture<Json> work = known != null && mustNotRepeat(entry.step())
        ? interrupted(entry)
        : tryWork(entry, scope, values);
    work.handleAsync(
            (output, failure) -> {
              scope.end();
              finish(entry, outer, scope, values, output, failure, done);
              return null;
            },
            Workers.ALL)
        .exceptionally(e -> {
          failRun(entry, Causes.of(e), done);
          return null;
        });
  }

  /** Begins a branch on a worker, because its journal and its agent may block. */
  private CompletableFuture<Json> branch(StepEntry entry, CancellationScope outer, Outputs values) {
    try {
      return CompletableFuture.supplyAsync(() -> begin(entry, outer, values), Workers.ALL)
          .thenCompose(done -> done);
    } catch (OutOfMemoryError e) { // the system has no thread left; the other branches continue
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Starts the work of a step. An exception becomes a failed future. */
  private CompletableFuture<Json> tryWork(
      StepEntry entry, CancellationScope scope, Outputs values) {
    try {
      return work(entry, scope, values);
    } catch (IllegalArgumentException e) { // a reference has no value, or one of the wrong kind
      return CompletableFuture.failedFuture(
          new AgentException(Failure.Kind.INPUT, String.valueOf(e.getMessage())));
    } catch (Throwable e) { // also an Error, such as a missing class of an agent
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Json> work(StepEntry entry, CancellationScope scope, Outputs values) {
    Step step = entry.step();
    if (step instanceof Step.Call call) {
      return calls.call(call, entry, scope, values);
    } else if (step instanceof Step.Approval approval) {
      return calls.approve(approval, entry, scope, values);
    } else if (step instanceof Step.Sequence sequence) {
      return sequence(sequence, entry, scope, values);
    } else if (step instanceof Step.Parallel) {
      return parallel(entry, scope, values);
    } else if (step instanceof Step.Race) {
      return race(entry, scope, values);
    }
    return forEach((Step.ForEach) step, entry, scope, values);
  }

  /**
   * Ends a step: with its output, as cancelled if the enclosing step was cancelled, or with its
   * failure. Records the end in the journal, except for a cancelled step.
   */
  private void finish(
      StepEntry entry,
      CancellationScope outer,
      CancellationScope scope,
      Outputs values,
      @Nullable Json output,
      @Nullable Throwable thrown,
      CompletableFuture<Json> done) {
    Failure cancelled = outer.reason();
    Instant now = Instant.now();
    if (thrown == null && output != null) {
      log.finished(entry.id(), entry.recorded(now, output, null));
      keep(entry.step(), output);
      entry.end(StepState.SUCCEEDED, now, output, null);
      values.put(entry.step().name(), output);
      listener.accept(entry, false);
      done.complete(output);
    } else if (cancelled != null) {
      entry.end(StepState.CANCELLED, now, null, cancelled);
      listener.accept(entry, false);
      done.completeExceptionally(new StepException(entry.id(), cancelled, false));
    } else {
      Throwable cause = thrown == null ? new IllegalStateException("no output") : Causes.of(thrown);
      finishFailed(entry, scope, values, now, cause, done);
    }
  }

  /**
   * Counts the size of an output. A sequence and a race return an output that is counted already.
   */
  private void keep(Step step, Json output) {
    if (!(step instanceof Step.Sequence) && !(step instanceof Step.Race)) {
      usage.keep(output.length());
    }
  }

  /**
   * Ends a failed step with its fallback, or passes its failure on.
   *
   * @param thrown a {@link StepException} if an inner step has failed
   */
  private void finishFailed(
      StepEntry entry,
      CancellationScope scope,
      Outputs values,
      Instant now,
      Throwable thrown,
      CompletableFuture<Json> done) {
    // The enclosing step runs. A cancellation of this step therefore means that its deadline has
    // passed.
    Failure ended = scope.reason();
    Failure timeout = ended == null ? null : entry.explained(ended);
    StepException inner = timeout == null && thrown instanceof StepException e ? e : null;
    Failure failure =
        timeout != null ? timeout : inner != null ? inner.failure() : Failure.of(thrown);
    boolean fatal =
        timeout == null && (inner != null ? inner.isFatal() : failure.kind().isFatal());
    Json fallback = fatal ? null : entry.step().policy().onFailure().fallback();
    if (!fatal && !(thrown instanceof StepException)) { // the inner step has counted its message
      usage.keep(failure.message().length());
    }
    if (!fatal) { // a fatal failure has no record: a run with a larger budget repeats the step
      log.finished(entry.id(), entry.recorded(now, fallback, failure));
    }
    entry.end(StepState.ofFinished(failure), now, fallback, failure);
    listener.accept(entry, false);
    if (fallback != null) {
      values.put(entry.step().name(), fallback);
      done.complete(fallback);
    } else {
      done.completeExceptionally(inner != null ? inner : StepException.of(entry, failure, fatal));
    }
  }

  /** Fails a step and its run, because the journal has failed or the budget is exceeded. */
  private void failRun(StepEntry entry, Throwable e, CompletableFuture<Json> done) {
    Failure failure = Failure.of(e);
    if (!(e instanceof AgentException) && !(e instanceof Error)) {
      failure = new Failure(
          Failure.Kind.JOURNAL, "its progress cannot be recorded: " + Causes.message(e));
    }
    try {
      entry.end(StepState.FAILED, Instant.now(), null, failure);
      listener.accept(entry, false);
    } finally {
      done.completeExceptionally(StepException.of(entry, failure, true));
    }
  }

  // ---------------------------------------------------------------- the journal

  private static boolean mustNotRepeat(Step step) {
    return step instanceof Step.Call call && !call.attempts().idempotent();
  }

  /** Returns the failure of an interrupted step that must not be repeated. */
  private static CompletableFuture<Json> interrupted(StepEntry entry) {
    return CompletableFuture.failedFuture(new StepException(
        entry.id(),
        new Failure(
            Failure.Kind.UNKNOWN_OUTCOME,
            "the step '" + entry.id() + "' was started before the run was interrupted, and its"
                + " outcome is unknown; it is not idempotent, so it is not repeated"),
        false));
  }

  /** Completes a step with its end in the journal. */
  private void restore(
      StepEntry entry, Journal.Entry known, Outputs values, CompletableFuture<Json> done) {
    restore(entry, known, values);
    Json output = known.output();
    Failure failure = known.failure();
    if (output != null) {
      done.complete(output);
    } else {
      Failure why = failure == null
          ? new Failure(Failure.Kind.INTERNAL, "the journal has no output of this step")
          : failure;
      done.completeExceptionally(StepException.of(entry, why, why.kind().isFatal()));
    }
  }

  /** Reads a finished step and its inner steps from the journal. */
  private void restore(StepEntry entry, Journal.Entry known, Outputs values) {
    entry.restore(known);
    Step step = entry.step();
    Json output = known.output();
    Failure failure = known.failure();
    if (failure == null && output != null) {
      keep(step, output);
    } else if (failure != null && step.steps().isEmpty()) {
      usage.keep(failure.message().length());
    }
    if (output != null) {
      values.put(step.name(), output);
    }
    listener.accept(entry, false);
    if (step instanceof Step.ForEach map) {
      List<Json> items = itemsBefore(map, values);
      List<StepEntry> elements = elements(entry, map, items.size());
      for (int i = 0; i < items.size(); i++) {
        restoreInside(elements.get(i), values.element(items.get(i), i));
      }
    } else {
      entry.children().forEach(child -> restoreInside(child, values));
    }
  }

  /** Reads an inner step from the journal, if it has finished. */
  private void restoreInside(StepEntry entry, Outputs values) {
    Journal.Entry known = before.get(entry.id());
    if (known != null && known.isFinished()) {
      restore(entry, known, values);
    }
  }

  /** Returns the elements of a finished map; none if the map failed because they are invalid. */
  private static List<Json> itemsBefore(Step.ForEach step, Outputs values) {
    try {
      return items(step, values);
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  /** Adds the entries for the elements of a map, and counts their steps. */
  private List<StepEntry> elements(StepEntry entry, Step.ForEach step, int count) {
    usage.steps(count * (1 + size(step.body())));
    return entry.elements(step.body(), count);
  }

  // ---------------------------------------------------------------- groups

  private CompletableFuture<Json> sequence(
      Step.Sequence sequence, StepEntry entry, CancellationScope scope, Outputs values) {
    CompletableFuture<Json> done = CompletableFuture.completedFuture(Json.NULL);
    for (StepEntry child : entry.children()) {
      done = done.thenCompose(before -> begin(child, scope, values));
    }
    return done;
  }

  private CompletableFuture<Json> parallel(
      StepEntry entry, CancellationScope scope, Outputs values) {
    Map<String, CompletableFuture<Json>> branches = new LinkedHashMap<>();
    BranchGroup group = new BranchGroup(scope);
    for (StepEntry child : entry.children()) {
      branches.put(child.step().name(), group.add(branch(child, group.scope(), values)));
    }
    return group.all(branches.values()).thenApply(nothing -> {
      Map<String, Json> outputs = new LinkedHashMap<>();
      branches.forEach((name, branch) -> outputs.put(name, branch.join()));
      return Json.of(outputs);
    });
  }

  /**
   * Runs the branches of a race. Waits for the end of all branches, even the cancelled ones: no
   * branch may change its entry after the end of the race.
   */
  private CompletableFuture<Json> race(StepEntry entry, CancellationScope scope, Outputs values) {
    CancellationScope inner = scope.child();
    AtomicReference<@Nullable Json> winner = new AtomicReference<>();
    AtomicReference<@Nullable StepException> fatal = new AtomicReference<>();
    List<String> failures = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<@Nullable Void>> branches = new ArrayList<>();
    for (StepEntry child : entry.children()) {
      branches.add(branch(child, inner, values).handle((output, failure) -> {
        if (failure == null) {
          if (winner.compareAndSet(null, output)) {
            inner.cancel(new Failure(
                Failure.Kind.CANCELLED,
                "cancelled, because the step '" + child.id() + "' was first"));
          }
        } else if (Causes.of(failure) instanceof StepException failed) {
          failures.add(failed.failure().message());
          if (failed.isFatal() && fatal.compareAndSet(null, failed)) {
            inner.cancel(failed.failure());
          }
        }
        return null;
      }));
    }
    return CompletableFuture.allOf(branches.toArray(new CompletableFuture<?>[0]))
        .thenApply(nothing -> {
          inner.end();
          Json output = winner.get();
          if (fatal.get() != null) {
            throw fatal.get();
          } else if (output == null) {
            throw StepException.of(
                entry,
                new Failure(
                    Failure.Kind.ERROR, "no branch succeeded: " + String.join("; ", failures)),
                false);
          }
          return output;
        });
  }

  // ---------------------------------------------------------------- map

  private CompletableFuture<Json> forEach(
      Step.ForEach step, StepEntry entry, CancellationScope scope, Outputs values) {
    return new Elements(step, entry, scope, values, items(step, values)).run();
  }

  /** Returns the elements of a map. */
  private static List<Json> items(Step.ForEach step, Outputs values) {
    Json items = step.items().resolve(values);
    if (items.kind() != Json.Kind.ARRAY) {
      throw new IllegalArgumentException("'" + step.items().source() + "' has to be an array, not "
          + items.kind().phrase());
    }
    List<Json> elements = items.elements();
    if (elements.size() > Orchestrator.MOST_ELEMENTS) {
      throw new IllegalArgumentException(
          "a map has at most " + Orchestrator.MOST_ELEMENTS + " elements, not " + elements.size());
    }
    return elements;
  }

  /**
   * Runs the elements of a map. The first {@code concurrency} elements begin immediately; when an
   * element ends, the next one begins.
   */
  private final class Elements {
    private final List<StepEntry> entries;
    private final List<Json> items;
    private final Outputs values;
    private final BranchGroup group;
    private final int concurrency;
    private final AtomicInteger next = new AtomicInteger(); // the index of the next element
    private final List<CompletableFuture<Json>> outputs = new ArrayList<>();

    Elements(
        Step.ForEach step,
        StepEntry entry,
        CancellationScope scope,
        Outputs values,
        List<Json> items) {
      this.entries = elements(entry, step, items.size());
      this.items = items;
      this.values = values;
      this.group = new BranchGroup(scope);
      int wanted = step.concurrency() == 0 ? plan.budget().concurrency() : step.concurrency();
      this.concurrency = Math.min(wanted, items.size());
      items.forEach(item -> outputs.add(new CompletableFuture<>()));
    }

    CompletableFuture<Json> run() {
      for (int i = 0; i < concurrency; i++) {
        beginNext();
      }
      return group
          .all(outputs)
          .thenApply(
              nothing -> Json.of(outputs.stream().map(CompletableFuture::join).toList()));
    }

    /** Begins the next element on a worker, and another one when it has ended. */
    private void beginNext() {
      int index = next.getAndIncrement();
      if (index < items.size()) {
        CompletableFuture<Json> output = outputs.get(index);
        output.whenComplete((json, failure) -> {
          if (failure == null) {
            beginNext();
          } else {
            skipRest(failure);
          }
        });
        Workers.run(output, () -> run(index, output));
      }
    }

    /** Completes the elements that have not begun. */
    private void skipRest(Throwable failure) {
      for (int i = next.getAndIncrement(); i < items.size(); i = next.getAndIncrement()) {
        outputs.get(i).completeExceptionally(failure);
      }
    }

    private void run(int index, CompletableFuture<Json> output) {
      Outputs element = values.element(items.get(index), index);
      group.add(begin(entries.get(index), group.scope(), element)).whenComplete((json, failure) -> {
        if (failure == null) {
          output.complete(json);
        } else {
          output.completeExceptionally(Causes.of(failure));
        }
      });
    }
  }

  /** Returns a time for messages, in seconds or milliseconds. */
  static String text(Duration time) {
    return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
