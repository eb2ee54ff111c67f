package dev.repartee.mcp;

import dev.harrel.jsonschema.Error;
import dev.harrel.jsonschema.JsonSchemaException;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.Json;
import dev.repartee.JsonException;
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

  /** The characters of a pointer, and of an error, that are told. */
  private static final int LONGEST = 300;

  private final Json schema;
  private final boolean refers;
  private volatile @Nullable Check check;

  Arguments(Json schema) {
    this.schema = schema;
    String text = schema.toString();
    this.refers = text.contains("Ref\"") || text.contains("$ref\""); // or by one of its other names
  }

  /** The schema with its validator, or why it is none. */
  private record Check(@Nullable Validator validator, URI schema, String fault) {}

  /**
   * What does not fit, in words that a model can act on; null if all does.
   *
   * @param cancellation throws where the result is not wanted any more
   * @throws IllegalArgumentException if the schema is none
   * @throws Effort.ExceededException if that cannot be told with the time and memory there is for it; the
   *     message says why, as the end of a sentence about the value
   */
  @Nullable String fault(Json arguments, Runnable cancellation) {
    Check known = check();
    Validator validator = known.validator;
    if (validator == null) {
      throw new IllegalArgumentException("the input schema is no JSON Schema: " + known.fault);
    }
    Effort effort = new Effort(arguments, schema, refers, cancellation);
    SchemaNode value;
    try {
      value = SchemaNode.checked(arguments, effort);
    } catch (JsonException e) {
      return e.getMessage();
    }
    Validator.Result result = result(validator, known.schema, value);
    if (result.isValid()) {
      return null;
    }
    return result.getErrors().stream()
        .map(error -> told(error, effort))
        .distinct()
        .limit(TOLD)
        .collect(Collectors.joining("; "));
  }

  /**
   * What does not fit; null if all does, and also where the schema is none to the validator, or where it takes
   * too much to find out. For schemas of a remote service, which has to check by itself in any case.
   */
  @Nullable String faultIfKnown(Json value, Runnable cancellation) {
    try {
      return fault(value, cancellation);
    } catch (IllegalArgumentException | Effort.ExceededException unknown) {
      return null;
    }
  }

  private static Validator.Result result(Validator validator, URI schema, SchemaNode value) {
    try {
      return validator.validate(schema, value);
    } catch (JsonSchemaException | ArithmeticException e) {
      throw new IllegalArgumentException("the schema cannot be applied: " + e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new Effort.ExceededException(
          "nests too deep to be checked, or the schema refers to itself without an end");
    }
  }

  private static String told(Error error, Effort effort) {
    String pointer = effort.place(error.getInstanceLocation()).pointer();
    return (pointer.isEmpty() ? "the arguments" : BoundedKeywords.shortened(pointer, LONGEST))
        + ": "
        + BoundedKeywords.shortened(error.getError(), LONGEST);
  }

  private Check check() {
    Check known = check;
    if (known == null) {
      known = made();
      check = known;
    }
    return known;
  }

  private Check made() {
    try {
      Validator validator = new ValidatorFactory()
          .withJsonNodeFactory(SchemaNode.FACTORY)
          .withEvaluatorFactory(new BoundedKeywords())
          .createValidator();
      return new Check(validator, validator.registerSchema(SchemaNode.schema(schema)), "");
    } catch (RuntimeException e) {
      return new Check(null, URI.create(""), String.valueOf(e.getMessage()));
    } catch (StackOverflowError e) {
      return new Check(null, URI.create(""), "it nests too deep");
    }
  }
}
