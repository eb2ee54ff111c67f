package dev.repartee.agents;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers the questions of plans and agents. Thread-safe. */
@FunctionalInterface
public interface Human {
  /** Refuses each question at once: for runs that nobody watches. */
  Human NOBODY =
      question -> CompletableFuture.completedFuture(Answer.refused("nobody is there to answer"));

  /**
   * Asks a question, and does not wait for the answer. The engine cancels the stage, if it is a
   * {@link CompletableFuture}, when the answer is no longer needed. An exception counts as a
   * refusal.
   */
  CompletionStage<Answer> ask(Question question);
}
