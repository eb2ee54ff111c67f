package dev.repartee.agents;

import dev.repartee.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * A question to a human: an approval, a permission, or a form to fill in.
 *
 * @param task the id of the task or step that asks
 * @param agent the name of the agent that asks; null for an approval of the plan itself
 * @param message the text to show; it comes from the plan or from the agent, which may be hostile
 * @param schema the JSON Schema of a form, an object of primitive properties; null for a question
 *     of consent
 */
public record Question(
    String task,
    @Nullable String agent,
    String message,
    @Nullable Json schema) {}
