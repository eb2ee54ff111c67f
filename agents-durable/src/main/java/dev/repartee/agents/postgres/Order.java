package dev.repartee.agents.postgres;

import dev.repartee.json.Json;
import java.util.List;

/**
 * The input of a workflow.
 *
 * @param plan the plan as JSON text
 * @param input the input of the run as JSON text
 * @param records the records that the run begins with: those of an earlier run that it continues
 */
record Order(String plan, String input, List<Json> records) {}
