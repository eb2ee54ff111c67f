package dev.repartee.agents;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Answers the questions of plans and agents. Thread-safe. */
@FunctionalInterface
public interface Human {
  /** Refuses each question immediately; for runs without a human. */
  Human NOBODY =
      question -> CompletableFuture.completedFuture(Answer.refused("nobody is there to answer"));

  /**
   * Asks a question without waiting for the answer. When the answer is no longer needed, the
   * orchestrator cancels the stage, if it is a {@link CompletableFuture}. An exception counts as a
   * refusal.
   */
  CompletionStage<Answer> ask(Question question);
}
