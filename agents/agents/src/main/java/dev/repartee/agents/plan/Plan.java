package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plan: agents, and the steps that call them. Immutable. {@link #parse} reads a plan:
 *
 * <pre>{@code
 * name: greeting
 * agents:
 *   words: mcp+exec:node words.js
 * steps:
 *   - name: hello
 *     agent: words
 *     skill: translate
 *     input: {text: "Hello ${input.name}"}
 * }</pre>
 *
 * @param name the name
 * @param description the description; empty if there is none
 * @param agents the URIs of the agents by name
 * @param inputSchema the JSON Schema of the input; null if any input is accepted
 * @param budget the limits of a run
 * @param steps the steps, in the order of execution
 * @param output the output of a run; null for the output of the last step
 * @param source the plan as JSON
 */
public record Plan(
    String name,
    String description,
    Map<String, String> agents,
    @Nullable Json inputSchema,
    Budget budget,
    Step.Sequence steps,
    @Nullable Template output,
    Json source) {
  /**
   * Reads a plan from a text: JSON if it begins with a brace, otherwise YAML 1.2. A plan has at
   * most 1 MiB and 1,000 steps, nested up to 20 deep.
   *
   * @throws PlanException if the text is not a valid plan; the message names the place
   */
  public static Plan parse(String text) {
    return PlanReader.read(PlanText.json(text));
  }
}
