package dev.repartee.agents.postgres;

import dev.repartee.json.Json;
import java.util.List;

/**
 * The input of a workflow, in the form that is stored in the database.
 *
 * @param plan the plan as JSON text
 * @param input the input of the run as JSON text
 * @param records the first records of the run, taken from the failed run that it continues
 */
record WorkflowInput(String plan, String input, List<Json> records) {}
