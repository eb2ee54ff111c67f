package dev.repartee.agents.postgres;

import dev.repartee.internal.ThreadContext;
import dev.repartee.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The input of a workflow, in the form that is stored in the database.
 *
 * @param plan the plan as JSON text
 * @param input the input of the run as JSON text
 * @param records the first records of the run, taken from the failed run that it continues
 * @param context the {@linkplain ThreadContext#fields fields} of the trace that the run belongs to;
 *     empty if there is none
 */
record WorkflowInput(
    String plan, String input, List<Json> records, Optional<Map<String, String>> context) {
  /** Returns the input of a new run, which the thread submits in its context. */
  static WorkflowInput of(Json plan, Json input) {
    Map<String, String> context = ThreadContext.current().fields();
    return new WorkflowInput(
        plan.toString(),
        input.toString(),
        List.of(),
        context.isEmpty() ? Optional.empty() : Optional.of(context));
  }

  /** Returns the context for the threads of the run. */
  ThreadContext thread() {
    return ThreadContext.of(context.orElse(Map.of()));
  }
}
