package dev.repartee.agents.postgres;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Optional;

/**
 * The content of one checkpoint of the engine.
 *
 * @param by the unique name of the execution that has written the checkpoint
 * @param records the records of steps, in order of arrival
 * @param result the result of the run; empty except in its last checkpoint
 */
record Batch(String by, List<Json> records, Optional<Json> result) {}
