package dev.repartee.agents.serve;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.json.Json;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task that may outlive the call that began it: a question can end that call, and the client calls
 * again with the answer. Without a further call in time, the task is cancelled. Thread-safe.
 */
final class OpenTask {
  private static final Duration ABSENCE = Duration.ofMinutes(10);

  private final CompletableFuture<Json> output;
  private volatile Consumer<Progress> reporter = report -> {};

  // Guarded by this.
  private final Deque<Asked> asked = new ArrayDeque<>();
  private @Nullable CompletableFuture<@Nullable Asked> waiting;
  private int questions;
  private @Nullable Future<?> absence;

  /** A question that waits for its answer, with a key that is unique in its task. */
  record Asked(String key, Question question, CompletableFuture<Answer> answer) {}

  /** Starts a task. */
  OpenTask(Agent agent, String id, @Nullable String skill, Json input) {
    this.output = agent.run(Task.of(skill, input)
        .withId(id)
        .withProgress(report -> reporter.accept(report))
        .withHuman(this::ask));
    output.whenComplete((json, failure) -> wake());
  }

  CompletableFuture<Json> output() {
    return output;
  }

  /** Begins a call that serves this task, and sends its progress to the client. */
  void enter(Consumer<Progress> reporter) {
    this.reporter = reporter;
    synchronized (this) {
      if (absence != null) {
        absence.cancel(false);
        absence = null;
      }
    }
  }

  /** Ends a call whose client has to come back with an answer. */
  synchronized void leave() {
    if (absence != null) {
      absence.cancel(false);
    }
    absence = Workers.after(ABSENCE, this::cancel);
  }

  void cancel() {
    output.cancel(true);
  }

  private CompletionStage<Answer> ask(Question question) {
    Asked one;
    synchronized (this) {
      one = new Asked("question" + ++questions, question, new CompletableFuture<>());
      asked.add(one);
    }
    wake();
    return one.answer();
  }

  /** Returns the first question without an answer; null if there is none. */
  synchronized @Nullable Asked first() {
    asked.removeIf(one -> one.answer().isDone());
    return asked.peek();
  }

  /** Returns the next question; null when the task has ended. */
  synchronized CompletableFuture<@Nullable Asked> next() {
    Asked first = first();
    if (first != null || output.isDone()) {
      return CompletableFuture.completedFuture(output.isDone() ? null : first);
    }
    CompletableFuture<@Nullable Asked> next = waiting;
    if (next == null) { // a client may have called twice
      next = new CompletableFuture<>();
      waiting = next;
    }
    return next;
  }

  private void wake() {
    CompletableFuture<@Nullable Asked> woken;
    Asked first;
    synchronized (this) {
      woken = waiting;
      waiting = null;
      first = asked.peek();
    }
    if (woken != null) {
      Workers.ALL.execute(() -> woken.complete(output.isDone() ? null : first));
    }
  }
}
