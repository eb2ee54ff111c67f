package dev.repartee.agents.serve;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Answer;
import dev.repartee.agents.Progress;
import dev.repartee.agents.Question;
import dev.repartee.agents.Task;
import dev.repartee.agents.internal.Workers;
import dev.repartee.internal.Clock;
import dev.repartee.json.Json;
import dev.repartee.limits.ClientShares;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task that can outlive the call that started it. A question may end that call; the client then
 * sends the answer with another call. The task is cancelled if no other call arrives in time.
 * Thread-safe.
 */
final class OpenTask {
  /** The client must answer a question within this time. */
  static final Duration ABSENCE = Duration.ofMinutes(10);

  private static final int MOST_EARLY = 100;

  private final CompletableFuture<Json> output;
  private final Consumer<ClientShares.Use> use;

  /** Held while progress is reported: no report of a call may follow its end. */
  private final Object reporting = new Object();

  /** Sends the progress to the client; null before the first call. Guarded by reporting. */
  private @Nullable Consumer<Progress> reporter;

  /** The first reports before the first call, at most {@link #MOST_EARLY}. Guarded by reporting. */
  private final List<Progress> early = new ArrayList<>();

  // Guarded by this.
  private final Deque<Asked> asked = new ArrayDeque<>(); // may contain answered questions
  private @Nullable CompletableFuture<@Nullable Asked> waiting; // the result of next(), if pending
  private @Nullable Asked shown; // the last question that next() returned
  private int questions; // the number of questions so far
  private Clock.@Nullable Timer absence; // the timer while no call serves the task

  /** A question with its future answer. */
  static final class Asked {
    private final String key;
    private final Question question;
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();

    /** The id of the message that asks the client; null before. */
    private volatile @Nullable String message;

    /** The {@link System#nanoTime} just before a client got the message for the first time. */
    private final AtomicReference<@Nullable Long> sent = new AtomicReference<>();

    private int unclear; // the number of answers that were not clear; guarded by this

    Asked(String key, Question question) {
      this.key = key;
      this.question = question;
    }

    /** Returns the key, which is unique in the task. */
    String key() {
      return key;
    }

    Question question() {
      return question;
    }

    CompletableFuture<Answer> answer() {
      return answer;
    }

    /** Returns the text for the client. */
    synchronized String text() {
      return unclear == 0 ? Answers.text(question) : Answers.again(question);
    }

    /** Sets the id of the message with the current text. */
    void ask(String message) {
      this.message = message;
    }

    /** Marks the question as sent if this message asks it. Takes no lock, and never blocks. */
    void sending(String message) {
      if (message.equals(this.message)) {
        sent.compareAndSet(null, System.nanoTime());
      }
    }

    /**
     * Answers the question, unless the answer is not clear. An answer that arrived before a client
     * got the question, such as the repetition of an earlier answer, has no effect.
     *
     * @param arrival the {@link System#nanoTime} at which the answer arrived
     */
    synchronized void receive(Json content, long arrival) {
      Long known = sent.get();
      if (known == null || arrival - known < 0) {
        return;
      }
      Answer read = Answers.of(question, content);
      if (read != null) {
        answer.complete(read);
      } else if (++unclear >= Answers.MOST) {
        answer.complete(Answers.unclear());
      }
    }
  }

  /**
   * Starts a task.
   *
   * @param use receives each change between a task that a call serves and a task that waits for its
   *     client; must not block
   */
  OpenTask(
      Agent agent, String id, @Nullable String skill, Json input, Consumer<ClientShares.Use> use) {
    this.use = use;
    this.output =
        agent.run(Task.of(skill, input).withId(id).withProgress(this::report).withHuman(this::ask));
    output.whenComplete((json, failure) -> wake());
  }

  CompletableFuture<Json> output() {
    return output;
  }

  private void report(Progress report) {
    synchronized (reporting) {
      if (reporter != null) {
        reporter.accept(report);
      } else if (early.size() < MOST_EARLY) {
        early.add(report);
      }
    }
  }

  private void reportTo(Consumer<Progress> reporter) {
    synchronized (reporting) {
      early.forEach(reporter);
      early.clear();
      this.reporter = reporter;
    }
  }

  /** Begins a call that serves this task. The reporter sends the progress to the client. */
  void enter(Consumer<Progress> reporter) {
    use.accept(ClientShares.Use.RUNNING);
    reportTo(reporter);
    synchronized (this) {
      if (absence != null) {
        absence.cancel();
        absence = null;
      }
    }
  }

  /** Ends a call and its reports. The client must call again with an answer. */
  void leave() {
    reportTo(report -> {});
    synchronized (this) {
      if (absence != null) {
        absence.cancel();
      }
      absence = Workers.after(ABSENCE, this::cancel);
    }
    use.accept(ClientShares.Use.WAITING);
  }

  void cancel() {
    output.cancel(true);
  }

  private CompletionStage<Answer> ask(Question question) {
    Asked one;
    synchronized (this) {
      one = new Asked("question" + ++questions, question);
      asked.add(one);
    }
    wake();
    return one.answer();
  }

  /**
   * Returns the last question that {@link #next} returned; null if the question has expired. A late
   * answer must not count for a later question, which the client has not seen.
   */
  synchronized @Nullable Asked shown() {
    return shown == null || shown.answer().isDone() ? null : shown;
  }

  private @Nullable Asked first() {
    asked.removeIf(one -> one.answer().isDone());
    return asked.peek();
  }

  /** Returns the next question without an answer, or null when the task has ended. */
  synchronized CompletableFuture<@Nullable Asked> next() {
    Asked first = first();
    if (first != null || output.isDone()) {
      shown = first;
      return CompletableFuture.completedFuture(output.isDone() ? null : first);
    }
    CompletableFuture<@Nullable Asked> next = waiting;
    if (next == null) { // a client may have called twice
      next = new CompletableFuture<>();
      waiting = next;
    }
    return next;
  }

  /** Completes the pending {@link #next}, after a new question or the end of the task. */
  private void wake() {
    CompletableFuture<@Nullable Asked> woken;
    Asked first;
    synchronized (this) {
      first = first();
      if (waiting == null || first == null && !output.isDone()) {
        return; // no call waits, or the new question has expired already
      }
      woken = waiting;
      waiting = null;
      shown = first;
    }
    Workers.ALL.execute(() -> woken.complete(output.isDone() ? null : first));
  }
}
