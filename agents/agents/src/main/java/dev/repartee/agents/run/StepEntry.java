package dev.repartee.agents.run;

import dev.repartee.agents.Failure;
import dev.repartee.agents.Progress;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Step;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The current state of a step of a run, in the tree of all steps. Thread-safe. */
final class StepEntry {
  private final String id;
  private final String name;
  private final Step step;
  private final int depth;

  /** The maximum number of characters of a violation, which may contain an error of the agent. */
  private static final int LONGEST_VIOLATION = 500;

  // Guarded by this.
  private final List<StepEntry> children;
  private StepState state = StepState.PENDING;
  private @Nullable String agent;
  private int attempts;
  private int attemptsBefore; // in earlier executions of the run
  private @Nullable Instant started;
  private @Nullable Instant ended;
  private @Nullable Json output;
  private @Nullable Failure failure;
  private @Nullable Progress progress;
  private @Nullable String violation; // the last one of the agent while this step ran
  private boolean restored;

  private StepEntry(String id, String name, Step step, int depth) {
    this.id = id;
    this.name = name;
    this.step = step;
    this.depth = depth;
    this.children = new ArrayList<>(step.steps().size());
    if (!(step instanceof Step.ForEach)) { // the elements of a map are unknown until it begins
      for (Step child : step.steps()) {
        children.add(new StepEntry(id(id, child), child.name(), child, depth + 1));
      }
    }
  }

  /** Returns the id of an inner step. */
  static String id(String outer, Step step) {
    return outer.isEmpty() ? step.name() : outer + "/" + step.name();
  }

  /** Returns the root of the tree, which holds the steps of the plan and has no report itself. */
  static StepEntry root(Step.Sequence steps) {
    return new StepEntry("", "", steps, -1);
  }

  /** Adds the entries for the elements of a map, unless they exist; returns all of them. */
  synchronized List<StepEntry> elements(Step body, int count) {
    for (int i = children.size(); i < count; i++) {
      String index = "[" + i + "]";
      children.add(new StepEntry(id + index, index, body, depth + 1));
    }
    return List.copyOf(children);
  }

  synchronized void violation(String violation) {
    this.violation = Text.shortened(violation, LONGEST_VIOLATION);
  }

  /** Returns a failure without an answer with the last violation, which may be the reason. */
  synchronized Failure explained(Failure failure) {
    boolean unanswered =
        failure.kind() == Failure.Kind.TIMEOUT || failure.kind() == Failure.Kind.LOST;
    String added = "; the agent has broken its protocol: " + violation;
    return violation == null || !unanswered || failure.message().endsWith(added)
        ? failure
        : new Failure(failure.kind(), failure.message() + added);
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

  /**
   * Begins the step.
   *
   * @param known the journal entry of an interrupted execution; null if there is none
   */
  synchronized void start(Journal.@Nullable Entry known) {
    state = StepState.RUNNING;
    started = known == null ? Instant.now() : known.started();
    attemptsBefore = known == null ? 0 : known.attempts();
    attempts = attemptsBefore;
  }

  /** Sets whether the step waits for the answer of a human. */
  synchronized void waits(boolean waiting) {
    if (!state.isEnd()) {
      state = waiting ? StepState.WAITING : StepState.RUNNING;
    }
  }

  /** Sets the name of the agent that was chosen for a call. */
  synchronized void assign(String agent) {
    this.agent = agent;
  }

  /** Begins an attempt of this execution. Returns its number over all executions of the run. */
  synchronized int attempt(int number) {
    attempts = attemptsBefore + number;
    return attempts;
  }

  /** Keeps a progress report. Returns whether the step is still running. */
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

  /** Sets the state of a finished step from the journal. */
  synchronized void restore(Journal.Entry known) {
    state = StepState.ofFinished(known.failure());
    attempts = known.attempts();
    started = known.started();
    ended = known.ended();
    output = known.output();
    failure = known.failure();
    restored = true;
  }

  /** Marks a step that never began. Returns false if it began. */
  synchronized boolean skip() {
    boolean pending = state == StepState.PENDING;
    if (pending) {
      state = StepState.SKIPPED;
    }
    return pending;
  }

  /** Returns the journal entry for the end of this step. */
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

  /** Passes all descendants to a consumer, each parent before its children. */
  void forEach(Consumer<StepEntry> consumer) {
    for (StepEntry child : children()) {
      consumer.accept(child);
      child.forEach(consumer);
    }
  }
}
