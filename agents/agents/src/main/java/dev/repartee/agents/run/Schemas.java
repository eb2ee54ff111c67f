package dev.repartee.agents.run;

import dev.repartee.agents.AgentException;
import dev.repartee.agents.Failure;
import dev.repartee.json.Json;
import dev.repartee.openrpc.schema.CheckThreads;
import dev.repartee.openrpc.schema.Effort;
import dev.repartee.openrpc.schema.SchemaValidator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Checks inputs and outputs against the schemas of plans. The checks have separate threads, since a
 * check may take long. Thread-safe.
 */
final class Schemas {
  /** A schema and its use: the messages of a validator differ for inputs and outputs. */
  private record Key(Json schema, boolean isInput) {
    SchemaValidator validator() {
      return isInput ? SchemaValidator.ofArguments(schema) : SchemaValidator.ofResults(schema);
    }
  }

  /** The maximum number of cached validators. A full cache is cleared. */
  private static final int MOST = 200;

  private final Map<Key, SchemaValidator> prepared = new ConcurrentHashMap<>();
  private final CheckThreads threads = new CheckThreads();

  /**
   * Checks a value.
   *
   * @param name the name of the value; the message of a failure begins with it
   * @return the future value; it fails with {@link AgentException} of this kind if the value does
   *     not fit, or with {@link Failure.Kind#INPUT} if the schema is not valid
   */
  CompletableFuture<Json> check(Json value, Json schema, String name, Failure.Kind kind) {
    if (prepared.size() > MOST) {
      prepared.clear();
    }
    SchemaValidator validator =
        prepared.computeIfAbsent(new Key(schema, kind == Failure.Kind.INPUT), Key::validator);
    return CompletableFuture.supplyAsync(
        () -> {
          String fault;
          try {
            fault = validator.fault(value, () -> {});
          } catch (Effort.ExceededException e) {
            fault = e.getMessage();
          } catch (IllegalArgumentException e) {
            throw new AgentException(
                Failure.Kind.INPUT, name + " cannot be checked: " + e.getMessage());
          }
          if (fault != null) {
            throw new AgentException(kind, name + " does not fit its schema: " + fault);
          }
          return value;
        },
        threads);
  }
}
