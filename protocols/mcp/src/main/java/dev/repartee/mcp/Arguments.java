package dev.repartee.mcp;

import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.Json;
import java.net.URI;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the arguments of a tool have to be, by its input schema. The validator is made when the first
 * call asks for it: a server that nobody calls should start without. Thread-safe.
 */
final class Arguments {
  /** Of what does not fit so much is told that a model can mend it. */
  private static final int TOLD = 5;

  private final Json schema;
  private volatile @Nullable Check check;

  Arguments(Json schema) {
    this.schema = schema;
  }

  private record Check(Validator validator, URI schema) {}

  /**
   * What does not fit, in words that a model can act on; null if all does.
   *
   * @throws IllegalArgumentException if the schema is none
   */
  @Nullable String fault(Json arguments) {
    Check known = check();
    Validator.Result result = known.validator.validate(known.schema, new SchemaNode(arguments, ""));
    if (result.isValid()) {
      return null;
    }
    return result.getErrors().stream()
        .map(error ->
            (error.getInstanceLocation().isEmpty() ? "the arguments" : error.getInstanceLocation())
                + ": " + error.getError())
        .distinct()
        .limit(TOLD)
        .collect(Collectors.joining("; "));
  }

  private Check check() {
    Check known = check;
    if (known == null) {
      try {
        Validator validator =
            new ValidatorFactory().withJsonNodeFactory(SchemaNode.FACTORY).createValidator();
        known = new Check(validator, validator.registerSchema(new SchemaNode(schema, "")));
      } catch (RuntimeException e) {
        throw new IllegalArgumentException(
            "the input schema is no JSON Schema: " + e.getMessage(), e);
      }
      check = known;
    }
    return known;
  }
}
