package dev.repartee.agents;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The answer of a human to a {@link Question}.
 *
 * @param granted whether the human agrees
 * @param content the values of the form; null if there are none
 * @param reason the reason of a refusal, for the report of the run; null if there is none
 */
public record Answer(
    boolean granted, @Nullable Json content, @Nullable String reason) {
  /** Returns an agreement without values. */
  public static Answer agreed() {
    return new Answer(true, null, null);
  }

  /** Returns an agreement with the values of a form. */
  public static Answer agreed(Json content) {
    return new Answer(true, content, null);
  }

  /** Returns a refusal. */
  public static Answer refused(String reason) {
    return new Answer(false, null, reason);
  }

  /**
   * Returns this answer, or a refusal if it agrees without answering the question: without the
   * required values of a form, or with content that refuses.
   */
  public Answer to(Question question) {
    return Forms.checked(question, this);
  }
}
