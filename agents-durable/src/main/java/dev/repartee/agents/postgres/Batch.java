package dev.repartee.agents.postgres;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Optional;

/**
 * The content of one checkpoint of the engine.
 *
 * @param by the execution that wrote it; no two executions have the same name
 * @param records the records of the run, in their order
 * @param result the result of the run, in its last checkpoint
 */
record Batch(String by, List<Json> records, Optional<Json> result) {}
