package dev.repartee.mcp.schema;

import dev.harrel.jsonschema.Error;
import dev.harrel.jsonschema.JsonSchemaException;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.net.URI;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Validates values against a JSON Schema. The validator is created on first use, to keep the start
 * of the server fast. Thread-safe.
 */
public final class SchemaValidator {
  /** The maximum number of errors in a message: enough for a model to correct its arguments. */
  private static final int TOLD = 5;

  /** The maximum number of characters of a pointer, and of an error, in a message. */
  private static final int LONGEST = 300;

  private final Json schema;
  private final Subject subject;
  private final boolean refers;
  private volatile @Nullable Check check;

  private SchemaValidator(Json schema, Subject subject) {
    this.schema = schema;
    this.subject = subject;
    String text = schema.toString();
    // $ref, $dynamicRef, $recursiveRef
    this.refers = text.contains("Ref\"") || text.contains("$ref\"");
  }

  /** Returns a validator for the arguments of calls. */
  public static SchemaValidator ofArguments(Json inputSchema) {
    return new SchemaValidator(inputSchema, Subject.ARGUMENTS);
  }

  /** Returns a validator for results. */
  public static SchemaValidator ofResults(Json outputSchema) {
    return new SchemaValidator(outputSchema, Subject.RESULT);
  }

  /** The names of a value and of its schema in messages. */
  private enum Subject {
    ARGUMENTS("the arguments", "the input schema"),
    RESULT("the result", "the output schema");

    final String value;
    final String schema;

    Subject(String value, String schema) {
      this.value = value;
      this.schema = schema;
    }
  }

  /** The validator with the URI of the schema, or null with the fault of the schema. */
  private record Check(@Nullable Validator validator, URI schema, String fault) {}

  /**
   * Describes the errors of a value, in words that a model can act on. Returns null if it is valid.
   *
   * @param cancellation throws if the call was cancelled
   * @throws IllegalArgumentException if the schema is not valid
   * @throws Effort.ExceededException if validation would need too much time or memory; its message
   *     is the end of a sentence about the value
   */
  public @Nullable String fault(Json given, Runnable cancellation) {
    Effort effort = new Effort(given, schema, refers, cancellation);
    Check known = check();
    Validator validator = known.validator;
    if (validator == null) {
      throw new IllegalArgumentException(subject.schema + " is not a JSON Schema: " + known.fault);
    }
    SchemaNode value;
    try {
      value = SchemaNode.checked(given, effort);
    } catch (JsonException e) {
      return e.getMessage();
    }
    effort.look(); // the parser did not check the time
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
   * Describes the errors of a value. Returns null if the value is valid, if the schema is not
   * valid, or if the validation would need too much time or memory. For schemas of a remote
   * service, which checks its arguments itself.
   */
  public @Nullable String faultIfKnown(Json value, Runnable cancellation) {
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

  private String told(Error error, Effort effort) {
    String pointer = effort.place(error.getInstanceLocation()).pointer();
    return (pointer.isEmpty() ? subject.value : Text.shortened(pointer, LONGEST))
        + ": "
        + Text.shortened(error.getError(), LONGEST);
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
