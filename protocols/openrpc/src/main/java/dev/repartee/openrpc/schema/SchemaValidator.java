package dev.repartee.openrpc.schema;

import dev.harrel.jsonschema.Error;
import dev.harrel.jsonschema.JsonSchemaException;
import dev.harrel.jsonschema.Validator;
import dev.harrel.jsonschema.ValidatorFactory;
import dev.repartee.internal.Text;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Validates values against a JSON Schema. The validator is created on first use, to keep the start
 * of the server fast. Thread-safe.
 */
public final class SchemaValidator {
  /** The maximum number of errors in a message: enough for a model to correct its arguments. */
  private static final int TOLD = 5;

  /** The keywords without assertions. */
  private static final Set<String> ANNOTATIONS = Set.of(
      "$comment",
      "contentEncoding",
      "contentMediaType",
      "contentSchema",
      "default",
      "deprecated",
      "description",
      "examples",
      "format",
      "readOnly",
      "title",
      "writeOnly");

  /** The keywords whose errors begin with the value, with the text after it. */
  private static final Map<String, String> VERBS = Map.of(
      "exclusiveMaximum", " is ",
      "exclusiveMinimum", " is ",
      "maxLength", " is ",
      "maximum", " is ",
      "minLength", " is ",
      "minimum", " is ",
      "multipleOf", " is ",
      "pattern", BoundedKeywords.NO_MATCH);

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

  /** Returns whether a keyword of a schema has no effect on the result of a validation. */
  public static boolean isAnnotation(String keyword) {
    return ANNOTATIONS.contains(keyword) || keyword.startsWith("x-");
  }

  /** Returns a validator for the arguments of calls. */
  public static SchemaValidator ofArguments(Json inputSchema) {
    return new SchemaValidator(inputSchema, Subject.ARGUMENTS);
  }

  /** Returns a validator for results. */
  public static SchemaValidator ofResults(Json outputSchema) {
    return new SchemaValidator(outputSchema, Subject.RESULT);
  }

  /** Returns a validator whose faults contain no part of a value, for answers to unknown callers. */
  public static SchemaValidator ofValues(Json schema) {
    return new SchemaValidator(schema, Subject.VALUE);
  }

  /** The names of a value and of its schema in messages. */
  private enum Subject {
    ARGUMENTS("the arguments", "the input schema"),
    RESULT("the result", "the output schema"),
    VALUE("the value", "the schema");

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
   * An error of a value.
   *
   * @param pointer the JSON pointer of the part that does not fit; empty for the value as a whole
   * @param reason the error, at most a few hundred characters
   */
  public record Fault(String pointer, String reason) {}

  /**
   * Describes the errors of a value, in words that a model can act on. Returns null if it is valid.
   *
   * @param cancellation throws if the call was cancelled
   * @throws IllegalArgumentException if the schema is not valid
   * @throws Effort.ExceededException if validation would need too much time or memory; its message
   *     is the end of a sentence about the value
   */
  public @Nullable String fault(Json given, Runnable cancellation) {
    List<Fault> faults = faults(given, cancellation);
    return faults.isEmpty()
        ? null
        : faults.stream()
            .map(fault ->
                (fault.pointer.isEmpty() ? subject.value : fault.pointer) + ": " + fault.reason)
            .collect(Collectors.joining("; "));
  }

  /**
   * Returns the first errors of a value; empty if it is valid.
   *
   * @param cancellation throws if the call was cancelled
   * @throws IllegalArgumentException if the schema is not valid
   * @throws Effort.ExceededException as {@link #fault} does
   */
  public List<Fault> faults(Json given, Runnable cancellation) {
    return faults(given, Effort.MOST_TIME, cancellation);
  }

  /**
   * Returns the first errors of a value; empty if it is valid.
   *
   * @param time the maximum time, for threads that must not compute for long
   * @param cancellation throws if the call was cancelled
   * @throws IllegalArgumentException if the schema is not valid
   * @throws Effort.ExceededException as {@link #fault} does
   */
  public List<Fault> faults(Json given, Duration time, Runnable cancellation) {
    Effort effort = new Effort(given, schema, refers, time, cancellation);
    Check known = check();
    Validator validator = known.validator;
    if (validator == null) {
      throw new IllegalArgumentException(subject.schema + " is not a JSON Schema: " + known.fault);
    }
    SchemaNode value;
    try {
      value = SchemaNode.checked(given, effort);
    } catch (JsonException e) {
      return List.of(new Fault("", String.valueOf(e.getMessage())));
    }
    effort.look(); // the parser did not check the time
    Validator.Result result = result(validator, known.schema, value);
    return result.isValid()
        ? List.of()
        : result.getErrors().stream()
            .map(error -> told(error, effort))
            .distinct()
            .limit(TOLD)
            .toList();
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

  private Fault told(Error error, Effort effort) {
    String reason = error.getError();
    String keyword = error.getKeyword(); // null for the schema false
    String verb = keyword == null ? null : VERBS.get(keyword);
    if (subject == Subject.VALUE && verb != null) {
      reason = subject.value + reason.substring(reason.lastIndexOf(verb));
    }
    return new Fault(
        Text.shortened(effort.place(error.getInstanceLocation()).pointer(), LONGEST),
        Text.shortened(reason, LONGEST));
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
