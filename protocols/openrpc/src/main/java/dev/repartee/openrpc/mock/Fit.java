package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.schema.Effort;
import dev.repartee.openrpc.schema.SchemaValidator;
import dev.repartee.openrpc.schema.SchemaValidator.Fault;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Answers whether values fit the schemas of a document. It keeps validators until {@link #forget},
 * or until their schemas are large. Not thread-safe.
 */
final class Fit {
  /** The bytes of schemas whose validators are kept. A validator needs many times as many. */
  private static final int MOST_KEPT = 1 << 20;

  private final OpenRpc document;
  private final Bounds bounds;

  /** The validators by JSON pointer. */
  private final Map<String, SchemaValidator> validators = new HashMap<>();

  private long kept;

  Fit(OpenRpc document, Bounds bounds) {
    this.document = document;
    this.bounds = bounds;
  }

  /** Removes the validators, which may be large. */
  void forget() {
    validators.clear();
    kept = 0;
  }

  /** Returns whether a value fits a schema. */
  boolean accepts(Place schema, Json value) {
    return faults(schema, value).isEmpty();
  }

  /**
   * Returns the first errors of a value; empty if it fits.
   *
   * @throws NoValueException if the schema is not valid, or the validation needs too much
   */
  List<Fault> faults(Place schema, Json value) {
    if (schema.schema().equals(Json.TRUE)) {
      return List.of();
    }
    SchemaValidator validator = validators.get(schema.pointer());
    if (validator == null) {
      validator = validator(schema);
      validators.put(schema.pointer(), validator);
    }
    return faults(validator, schema, value);
  }

  private SchemaValidator validator(Place schema) {
    Json standalone = document.standalone(schema.schema(), schema.pointer());
    bounds.translation(standalone.length());
    if (kept + standalone.length() > MOST_KEPT) {
      forget();
    }
    kept += standalone.length();
    return SchemaValidator.ofResults(standalone);
  }

  /** Returns whether a text matches a regular expression, which may be hostile. */
  boolean matches(Place pattern, String text) {
    Json schema = new JsonObjectBuilder().put("pattern", pattern.schema()).build();
    return faults(SchemaValidator.ofResults(schema), pattern, Json.of(text)).isEmpty();
  }

  private List<Fault> faults(SchemaValidator validator, Place schema, Json value) {
    bounds.look();
    try {
      return validator.faults(value, Bounds.MOST_TIME, bounds::look);
    } catch (Effort.ExceededException e) {
      throw NoValueException.unknown(schema.pointer(), "a value " + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw NoValueException.unknown(schema.pointer(), String.valueOf(e.getMessage()));
    }
  }
}
