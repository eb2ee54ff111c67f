package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Step;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The account of a step while its run goes on. Thread-safe. */
final class StepEntry {
  private final String id;
  private final String name;
  private final Step step;
  private final int depth;

  // Guarded by this.
  private final List<StepEntry> children;
  private StepState state = StepState.PENDING;
  private @Nullable String agent;
  private int attempts;
  private int attemptsBefore;
  private @Nullable Instant started;
  private @Nullable Instant ended;
  private @Nullable Json output;
  private @Nullable Failure failure;
  private @Nullable Progress progress;
  private boolean restored;

  private StepEntry(String id, String name, Step step, int depth) {
    this.id = id;
    this.name = name;
    this.step = step;
    this.depth = depth;
    this.children = new ArrayList<>(step.steps().size());
    if (!(step instanceof Step.ForEach)) { // the elements of a map are known when it begins
      for (Step child : step.steps()) {
        children.add(new StepEntry(id(id, child), child.name(), child, depth + 1));
      }
    }
  }

  /** Returns the id of a step inside another one. */
  static String id(String outer, Step step) {
    return outer.isEmpty() ? step.name() : outer + "/" + step.name();
  }

  /** Returns the entry of the steps of a plan, which is in no report. */
  static StepEntry root(Step.Sequence steps) {
    return new StepEntry("", "", steps, -1);
  }

  /** Adds the entries of the elements of a map. */
  synchronized List<StepEntry> elements(Step body, int count) {
    for (int i = children.size(); i < count; i++) {
      String index = "[" + i + "]";
      children.add(new StepEntry(id + index, index, body, depth + 1));
    }
    return List.copyOf(children);
  }

  String id() {
    return id;
  }

  Step step() {
    return step;
  }

  synchronized List<StepEntry> children() {
    return List.copyOf(children);
  }

  /** Begins; {@code known} is the entry of an interrupted execution in the journal. */
  synchronized void start(Journal.@Nullable Entry known) {
    state = StepState.RUNNING;
    started = known == null ? Instant.now() : known.started();
    attemptsBefore = known == null ? 0 : known.attempts();
    attempts = attemptsBefore;
  }

  synchronized void waits(boolean waiting) {
    if (!state.isEnd()) {
      state = waiting ? StepState.WAITING : StepState.RUNNING;
    }
  }

  synchronized void assign(@Nullable String agent) {
    this.agent = agent;
  }

  /** Begins an attempt of this execution, and returns its number in all executions. */
  synchronized int attempt(int number) {
    attempts = attemptsBefore + number;
    return attempts;
  }

  /** Takes a report of progress; returns false if the step has ended. */
  synchronized boolean progress(Progress report) {
    progress = report;
    return !state.isEnd();
  }

  synchronized void end(
      StepState state, Instant now, @Nullable Json output, @Nullable Failure failure) {
    this.state = state;
    this.ended = now;
    this.output = output;
    this.failure = failure;
  }

  /** Takes the state from the journal. */
  synchronized void restore(Journal.Entry known) {
    Failure failed = known.failure();
    state = failed == null
        ? StepState.SUCCEEDED
        : failed.kind() == Failure.Kind.UNKNOWN_OUTCOME ? StepState.UNKNOWN : StepState.FAILED;
    attempts = known.attempts();
    started = known.started();
    ended = known.ended();
    output = known.output();
    failure = failed;
    restored = true;
  }

  synchronized boolean skip() {
    boolean pending = state == StepState.PENDING;
    if (pending) {
      state = StepState.SKIPPED;
    }
    return pending;
  }

  /** Returns the entry for the journal; the step must have begun. */
  synchronized Journal.Entry recorded(
      Instant now, @Nullable Json output, @Nullable Failure failed) {
    return new Journal.Entry(attempts, started == null ? now : started, now, output, failed);
  }

  synchronized StepReport report() {
    return new StepReport(
        id,
        name,
        step.kind(),
        depth,
        state,
        agent != null ? agent : step instanceof Step.Call call ? call.agent() : null,
        step instanceof Step.Call call ? call.skill() : null,
        attempts,
        started,
        ended,
        output,
        failure,
        progress,
        restored);
  }

  /** Passes all entries below this one to a consumer, each before those inside it. */
  void forEach(Consumer<StepEntry> consumer) {
    for (StepEntry child : children()) {
      consumer.accept(child);
      child.forEach(consumer);
    }
  }
}
