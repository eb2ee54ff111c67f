package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.internal.Workers;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.plan.Step;
import dev.repartee.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Executes the steps of one run.
 *
 * <p>No thread waits for a step: each one is a future, and a worker goes on when it completes. A
 * step passes through {@link #begin} (stopped? in the journal?), its work, and {@link #finish} (the
 * journal, the consequence of a failure). Every future completes when its {@link Stop} is stopped,
 * so that steps around it never wait for an agent that does not react.
 */
final class Execution {
  /** The index of an element of a map in the id of a step. */
  private static final Pattern INDEX = Pattern.compile("\\[\\d+]");

  private final Orchestrator orchestrator;
  private final Plan plan;
  private final Json input;
  private final Stop root;
  private final Journal.Log log;
  private final Map<String, Journal.Entry> before;
  private final Calls calls;
  private final Usage usage;
  private final BiConsumer<StepEntry, Boolean> listener;

  /**
   * Creates an execution.
   *
   * @param listener takes an entry that has changed, and whether only its progress has
   */
  Execution(
      Orchestrator orchestrator,
      Plan plan,
      Json input,
      Stop root,
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

  /** Runs the steps; the future completes with the output of the run. */
  CompletableFuture<Json> run(StepEntry entry) {
    usage.callsBefore(callsBefore());
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

  /** Returns the number of steps below one that are known before its maps begin. */
  private static long size(Step step) {
    if (step instanceof Step.ForEach) {
      return 0;
    }
    return step.steps().stream().mapToLong(inner -> 1 + size(inner)).sum();
  }

  // ---------------------------------------------------------------- one step

  /** Runs a step on the current thread, up to the point where it has to wait. */
  private CompletableFuture<Json> begin(StepEntry entry, Stop outer, Outputs values) {
    CompletableFuture<Json> done = new CompletableFuture<>();
    try {
      Failure stopped = outer.reason();
      if (stopped != null) {
        done.completeExceptionally(new StepException(entry.id(), stopped, false));
        return done;
      }
      Journal.Entry known = before.get(entry.id());
      if (known != null && known.isFinished()) {
        restore(entry, known, values, done);
        return done;
      }
      entry.start(known);
      Stop stop = outer.child();
      Duration deadline = entry.step().policy().deadline();
      Future<?> timer = deadline == null
          ? null
          : Workers.after(
              deadline,
              () -> stop.stop(new Failure(
                  Failure.Kind.TIMEOUT,
                  "it did not end within its deadline of " + text(deadline))));
      listener.accept(entry, false);
      CompletableFuture<Json> work = known != null && mustNotRepeat(entry.step())
          ? interrupted(entry)
          : started(entry, stop, values);
      work.handleAsync(
              (output, failure) -> {
                if (timer != null) {
                  timer.cancel(false);
                }
                stop.end();
                finish(entry, outer, stop, values, output, failure, done);
                return null;
              },
              Workers.ALL)
          .exceptionally(e -> {
            fail(entry, cause(e), done);
            return null;
          });
    } catch (Throwable e) {
      fail(entry, e, done);
    }
    return done;
  }

  /** Begins a branch on a worker of its own: its journal and its agent may block. */
  private CompletableFuture<Json> branch(StepEntry entry, Stop outer, Outputs values) {
    try {
      return CompletableFuture.supplyAsync(() -> begin(entry, outer, values), Workers.ALL)
          .thenCompose(done -> done);
    } catch (OutOfMemoryError e) { // no thread can be started; the other branches go on
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Json> started(StepEntry entry, Stop stop, Outputs values) {
    try {
      return work(entry, stop, values);
    } catch (IllegalArgumentException e) { // a reference has no value, or an unfit one
      return CompletableFuture.failedFuture(
          new AgentException(Failure.Kind.INPUT, String.valueOf(e.getMessage())));
    } catch (Throwable e) { // also an error, such as that of a missing class
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Json> work(StepEntry entry, Stop stop, Outputs values) {
    Step step = entry.step();
    if (step instanceof Step.Call call) {
      return calls.call(call, entry, stop, values);
    } else if (step instanceof Step.Approval approval) {
      return calls.approve(approval, entry, stop, values);
    } else if (step instanceof Step.Sequence sequence) {
      return sequence(sequence, entry, stop, values);
    } else if (step instanceof Step.Parallel) {
      return parallel(entry, stop, values);
    } else if (step instanceof Step.Race) {
      return race(entry, stop, values);
    }
    return forEach((Step.ForEach) step, entry, stop, values);
  }

  private void finish(
      StepEntry entry,
      Stop outer,
      Stop stop,
      Outputs values,
      @Nullable Json output,
      @Nullable Throwable thrown,
      CompletableFuture<Json> done) {
    Failure stopped = outer.reason();
    Instant now = Instant.now();
    if (thrown == null && output != null) {
      log.finished(entry.id(), entry.recorded(now, output, null));
      keep(entry.step(), output);
      entry.end(StepState.SUCCEEDED, now, output, null);
      values.put(entry.step().name(), output);
      listener.accept(entry, false);
      done.complete(output);
    } else if (stopped != null) {
      entry.end(StepState.CANCELLED, now, null, stopped);
      listener.accept(entry, false);
      done.completeExceptionally(new StepException(entry.id(), stopped, false));
    } else {
      failed(entry, stop, values, now, cause(thrown), done);
    }
  }

  /** Counts an output that is not that of a step inside. */
  private void keep(Step step, Json output) {
    if (!(step instanceof Step.Sequence) && !(step instanceof Step.Race)) {
      usage.keep(output.length());
    }
  }

  private void failed(
      StepEntry entry,
      Stop stop,
      Outputs values,
      Instant now,
      Throwable thrown,
      CompletableFuture<Json> done) {
    Failure ended = stop.reason();
    StepException inner = thrown instanceof StepException known ? known : null;
    Failure failure = ended != null
        ? ended
        : inner == null
            ? Failure.of(thrown)
            : new Failure(inner.failure().kind(), inner.failure().message());
    boolean fatal = ended == null && (inner == null ? failure.kind().isFatal() : inner.isFatal());
    Json fallback = fatal ? null : entry.step().policy().onFailure().fallback();
    if (!fatal && inner == null) {
      usage.keep(failure.message().length());
    }
    if (!fatal) { // the run may be resumed with a larger budget, or another journal
      log.finished(entry.id(), entry.recorded(now, fallback, failure));
    }
    entry.end(state(failure), now, fallback, failure);
    listener.accept(entry, false);
    if (fallback != null) {
      values.put(entry.step().name(), fallback);
      done.complete(fallback);
    } else {
      done.completeExceptionally(
          inner != null && ended == null ? inner : named(entry, failure, fatal));
    }
  }

  /** Returns the exception for the steps around, in which the failure names its step. */
  private static StepException named(StepEntry entry, Failure failure, boolean fatal) {
    StepReport report = entry.report();
    String place = report.agent() == null
        ? ""
        : " (agent " + report.agent()
            + (report.skill() == null ? ")" : ", skill " + report.skill() + ")");
    return new StepException(
        entry.id(),
        new Failure(
            failure.kind(),
            "the step '" + entry.id() + "'" + place + " failed: " + failure.message()),
        fatal);
  }

  private static StepState state(Failure failure) {
    return failure.kind() == Failure.Kind.UNKNOWN_OUTCOME ? StepState.UNKNOWN : StepState.FAILED;
  }

  /** Fails a step, and the run, because the journal has failed or the budget is used up. */
  private void fail(StepEntry entry, Throwable e, CompletableFuture<Json> done) {
    Failure failure = Failure.of(e);
    if (!(e instanceof AgentException) && !(e instanceof Error)) {
      failure = new Failure(
          Failure.Kind.JOURNAL, "its progress cannot be recorded: " + failure.message());
    }
    try {
      entry.end(StepState.FAILED, Instant.now(), null, failure);
      listener.accept(entry, false);
    } finally {
      done.completeExceptionally(named(entry, failure, true));
    }
  }

  private static Throwable cause(@Nullable Throwable thrown) {
    Throwable cause = thrown == null ? new IllegalStateException("no output") : thrown;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  // ---------------------------------------------------------------- the journal

  private static boolean mustNotRepeat(Step step) {
    return step instanceof Step.Call call && !call.attempts().idempotent();
  }

  private static CompletableFuture<Json> interrupted(StepEntry entry) {
    return CompletableFuture.failedFuture(new StepException(
        entry.id(),
        new Failure(
            Failure.Kind.UNKNOWN_OUTCOME,
            "the step '" + entry.id() + "' was started before the run was interrupted, and its"
                + " outcome is unknown; it is not idempotent, so it is not repeated"),
        false));
  }

  private void restore(
      StepEntry entry, Journal.Entry known, Outputs values, CompletableFuture<Json> done) {
    restore(entry, known, values);
    Json output = known.output();
    Failure failure = known.failure();
    if (output != null) {
      done.complete(output);
    } else {
      Failure why = failure == null
          ? new Failure(Failure.Kind.INTERNAL, "the journal has no output of it")
          : failure;
      done.completeExceptionally(named(entry, why, why.kind().isFatal()));
    }
  }

  /** Takes a finished step, and the steps inside it, from the journal. */
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

  private void restoreInside(StepEntry entry, Outputs values) {
    Journal.Entry known = before.get(entry.id());
    if (known != null && known.isFinished()) {
      restore(entry, known, values);
    }
  }

  /** Returns the elements of a map that has ended; none if it has failed because of them. */
  private static List<Json> itemsBefore(Step.ForEach step, Outputs values) {
    try {
      return items(step, values);
    } catch (IllegalArgumentException e) {
      return List.of();
    }
  }

  /** Returns the number of calls in the journal, also of steps whose entry is not needed any more. */
  private long callsBefore() {
    if (before.isEmpty()) {
      return 0;
    }
    Set<String> calls = new HashSet<>();
    addCalls(plan.steps(), "", calls);
    return before.entrySet().stream()
        .filter(entry -> calls.contains(INDEX.matcher(entry.getKey()).replaceAll("")))
        .mapToLong(entry -> entry.getValue().attempts())
        .sum();
  }

  /** Adds the ids of the calls in a step, without the indexes of elements. */
  private static void addCalls(Step step, String id, Set<String> calls) {
    if (step instanceof Step.Call) {
      calls.add(id);
    } else if (step instanceof Step.ForEach map) {
      addCalls(map.body(), id, calls);
    } else {
      for (Step child : step.steps()) {
        addCalls(child, StepEntry.id(id, child), calls);
      }
    }
  }

  /** Adds the entries of the elements of a map. */
  private List<StepEntry> elements(StepEntry entry, Step.ForEach step, int count) {
    usage.steps(count * (1 + size(step.body())));
    return entry.elements(step.body(), count);
  }

  // ---------------------------------------------------------------- groups

  private CompletableFuture<Json> sequence(
      Step.Sequence sequence, StepEntry entry, Stop stop, Outputs values) {
    CompletableFuture<Json> done = CompletableFuture.completedFuture(Json.NULL);
    for (StepEntry child : entry.children()) {
      done = done.thenCompose(before -> begin(child, stop, values));
    }
    return done;
  }

  private CompletableFuture<Json> parallel(StepEntry entry, Stop stop, Outputs values) {
    Map<String, CompletableFuture<Json>> branches = new LinkedHashMap<>();
    Stop inner = stop.child();
    AtomicReference<@Nullable StepException> first = new AtomicReference<>();
    for (StepEntry child : entry.children()) {
      branches.put(child.step().name(), stopOthers(branch(child, inner, values), inner, first));
    }
    return all(branches.values(), inner, first).thenApply(nothing -> {
      Map<String, Json> outputs = new LinkedHashMap<>();
      branches.forEach((name, branch) -> outputs.put(name, branch.join()));
      return Json.of(outputs);
    });
  }

  /** Stops the other branches if one fails. */
  private static CompletableFuture<Json> stopOthers(
      CompletableFuture<Json> branch, Stop inner, AtomicReference<@Nullable StepException> first) {
    return branch.whenComplete((output, failure) -> {
      if (failure != null && cause(failure) instanceof StepException failed) {
        if (inner.reason() == null && first.compareAndSet(null, failed)) {
          inner.stop(new Failure(
              Failure.Kind.CANCELLED, "cancelled, because " + failed.failure().message()));
        }
      }
    });
  }

  /** Waits for all branches, and fails with the first failure. */
  private static CompletableFuture<@Nullable Void> all(
      java.util.Collection<CompletableFuture<Json>> branches,
      Stop inner,
      AtomicReference<@Nullable StepException> first) {
    return CompletableFuture.allOf(branches.toArray(new CompletableFuture<?>[0]))
        .handle((nothing, failure) -> {
          inner.end();
          StepException failed = first.get();
          if (failed != null) {
            throw failed;
          } else if (failure != null) {
            throw new CompletionException(cause(failure)); // stopped from outside
          }
          return null;
        });
  }

  private CompletableFuture<Json> race(StepEntry entry, Stop stop, Outputs values) {
    Stop inner = stop.child();
    AtomicReference<@Nullable Json> winner = new AtomicReference<>();
    AtomicReference<@Nullable StepException> fatal = new AtomicReference<>();
    List<String> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<@Nullable Void>> branches = new ArrayList<>();
    for (StepEntry child : entry.children()) {
      branches.add(branch(child, inner, values).handle((output, failure) -> {
        if (failure == null) {
          if (winner.compareAndSet(null, output)) {
            inner.stop(new Failure(
                Failure.Kind.CANCELLED,
                "cancelled, because the step '" + child.id() + "' was first"));
          }
        } else if (cause(failure) instanceof StepException failed) {
          failures.add(failed.failure().message());
          if (failed.isFatal() && fatal.compareAndSet(null, failed)) {
            inner.stop(failed.failure());
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
            throw named(
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
      Step.ForEach step, StepEntry entry, Stop stop, Outputs values) {
    return new Elements(step, entry, stop, values, items(step, values)).run();
  }

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

  /** Runs the elements of a map: as many at the same time as the step says. */
  private final class Elements {
    private final List<StepEntry> entries;
    private final List<Json> items;
    private final Outputs values;
    private final Stop inner;
    private final int lanes;
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicReference<@Nullable StepException> first = new AtomicReference<>();
    private final List<CompletableFuture<Json>> outputs = new ArrayList<>();

    Elements(Step.ForEach step, StepEntry entry, Stop stop, Outputs values, List<Json> items) {
      this.entries = elements(entry, step, items.size());
      this.items = items;
      this.values = values;
      this.inner = stop.child();
      int wanted = step.concurrency() == 0 ? plan.budget().concurrency() : step.concurrency();
      this.lanes = Math.min(wanted, items.size());
      items.forEach(item -> outputs.add(new CompletableFuture<>()));
    }

    CompletableFuture<Json> run() {
      for (int lane = 0; lane < lanes; lane++) {
        begin();
      }
      return all(outputs, inner, first)
          .thenApply(
              nothing -> Json.of(outputs.stream().map(CompletableFuture::join).toList()));
    }

    /** Begins the next element on a worker; when it has ended, goes on with another one. */
    private void begin() {
      int index = next.getAndIncrement();
      if (index < items.size()) {
        CompletableFuture<Json> output = outputs.get(index);
        output.whenComplete((json, failure) -> {
          if (failure == null) {
            begin();
          } else {
            leaveOut(failure);
          }
        });
        Workers.run(output, () -> run(index, output));
      }
    }

    /** Leaves out the elements that have not begun. */
    private void leaveOut(Throwable failure) {
      for (int i = next.getAndIncrement(); i < items.size(); i = next.getAndIncrement()) {
        outputs.get(i).completeExceptionally(failure);
      }
    }

    private void run(int index, CompletableFuture<Json> output) {
      stopOthers(
              Execution.this.begin(
                  entries.get(index), inner, values.element(items.get(index), index)),
              inner,
              first)
          .whenComplete((json, failure) -> {
            if (failure == null) {
              output.complete(json);
            } else {
              output.completeExceptionally(cause(failure));
            }
          });
    }
  }

  static String text(Duration time) {
    return time.toMillis() % 1000 == 0 ? time.toSeconds() + " s" : time.toMillis() + " ms";
  }
}
