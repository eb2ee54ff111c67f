package dev.repartee.openrpc.schema;

import dev.harrel.jsonschema.EvaluationContext;
import dev.harrel.jsonschema.Evaluator;
import dev.harrel.jsonschema.EvaluatorFactory;
import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.SchemaParsingContext;
import dev.repartee.internal.Text;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Replaces the validator's implementation of some JSON Schema keywords. With untrusted values, that
 * implementation needs quadratic time, does not terminate, or puts the whole schema into each
 * error. The other keywords keep the validator's implementation. Every evaluation counts as {@link
 * Effort}.
 */
final class BoundedKeywords implements EvaluatorFactory {
  static final String NO_MATCH = " does not match the regular expression ";

  private static final int MOST_NAMES = 20;
  private static final int LONGEST_NAME = 100;

  @Override
  public Optional<Evaluator> create(SchemaParsingContext context, String keyword, JsonNode node) {
    Evaluator bounded = bounded(context, keyword, node);
    return (bounded != null
            ? Optional.of(bounded)
            : context
                .getDialect()
                .getEvaluatorFactory()
                .create(context, keyword, node)
                .map(known -> keyword.equals("patternProperties") ? Named.of(node, known) : known))
        .map(Evaluated::new);
  }

  /** Returns the replacement of a keyword, or null to use the validator's implementation. */
  private static @Nullable Evaluator bounded(
      SchemaParsingContext context, String keyword, JsonNode node) {
    // The validator would keep an annotation for each value.
    if (SchemaValidator.isAnnotation(keyword)) {
      return (at, value) -> Evaluator.Result.success();
    }
    return switch (keyword) {
      case "pattern" -> node.isString() ? new Matching(new CountedPattern(node.asString())) : null;
      case "uniqueItems" -> node.isBoolean() ? unique(node.asBoolean()) : null;
      case "enum" -> node.isArray() ? new OneOf(node.asArray()) : null;
      case "const" -> new OneOf(List.of(node));
      case "propertyNames" -> new Names(context.getAbsoluteUri(node));
      case "required" -> node.isArray() ? new Required(node.asArray()) : null;
      default -> null;
    };
  }

  /**
   * A keyword that counts its evaluations.
   *
   * @param keyword the implementation
   */
  private record Evaluated(Evaluator keyword) implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext at, JsonNode node) {
      own(node).evaluation();
      return keyword.evaluate(at, node);
    }

    @Override
    public int getOrder() {
      return keyword.getOrder();
    }
  }

  private static String listed(List<String> names) {
    return names.stream()
            .limit(MOST_NAMES)
            .map(name -> Text.shortened(name, LONGEST_NAME))
            .collect(Collectors.joining(", "))
        + (names.size() > MOST_NAMES ? ", ..." : "");
  }

  /** Casts a node. {@link SchemaNode#FACTORY} creates all nodes. */
  private static SchemaNode own(JsonNode node) {
    return (SchemaNode) node;
  }

  /** {@code pattern}. */
  private record Matching(CountedPattern pattern) implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext at, JsonNode node) {
      if (!node.isString()) {
        return Result.success();
      }
      String text = node.asString();
      return pattern.matches(text, own(node))
          ? Result.success()
          : Result.failure("\"" + Text.shortened(text, LONGEST_NAME) + "\"" + NO_MATCH + pattern);
    }
  }

  /**
   * {@code patternProperties}. The names are matched here first, where each read counts: a name that
   * needs too much time does not reach the validator, which matches them again.
   */
  private record Named(List<CountedPattern> patterns, Evaluator validator) implements Evaluator {
    static Named of(JsonNode schemas, Evaluator validator) {
      return new Named(
          schemas.asObject().keySet().stream().map(CountedPattern::new).toList(), validator);
    }

    @Override
    public Result evaluate(EvaluationContext at, JsonNode node) {
      if (node.isObject()) {
        for (String name : node.asObject().keySet()) {
          patterns.forEach(pattern -> pattern.matches(name, own(node)));
        }
      }
      return validator.evaluate(at, node);
    }

    @Override
    public int getOrder() {
      return validator.getOrder();
    }
  }

  /**
   * {@code uniqueItems}. Compares canonical texts. Strings with colliding hash codes do not slow
   * down a {@link HashSet}, because its buckets become trees.
   */
  private static Evaluator unique(boolean wanted) {
    return (at, node) -> {
      if (wanted && node.isArray()) {
        Set<String> before = new HashSet<>();
        for (JsonNode element : node.asArray()) {
          if (!before.add(own(element).canonical())) {
            return Evaluator.Result.failure(
                "Array contains non-unique item at index [" + before.size() + "]");
          }
        }
      }
      return Evaluator.Result.success();
    };
  }

  /** {@code enum} and {@code const}. */
  private static final class OneOf implements Evaluator {
    private final Set<String> values = new HashSet<>();
    private final String expected;

    OneOf(List<JsonNode> values) {
      List<String> shown = new ArrayList<>();
      for (JsonNode value : values) {
        this.values.add(own(value).canonical());
        shown.add(value.toString());
      }
      this.expected = "Expected " + (values.size() == 1 ? "" : "one of ") + listed(shown);
    }

    @Override
    public Result evaluate(EvaluationContext at, JsonNode node) {
      return values.contains(own(node).canonical()) ? Result.success() : Result.failure(expected);
    }
  }

  /** {@code required}. */
  private static final class Required implements Evaluator {
    private final List<String> names;

    Required(List<JsonNode> names) {
      this.names = names.stream().map(JsonNode::asString).toList();
    }

    @Override
    public Result evaluate(EvaluationContext at, JsonNode node) {
      if (!node.isObject()) {
        return Result.success();
      }
      var members = node.asObject();
      List<String> missing = names.stream()
          .filter(name -> !members.containsKey(name))
          .limit(MOST_NAMES)
          .toList();
      return missing.isEmpty()
          ? Result.success()
          : Result.failure(
              "Object does not have the required properties [" + listed(missing) + "]");
    }
  }

  /**
   * {@code propertyNames}. The validator's implementation creates nodes of another class, which do
   * not count reads.
   *
   * @param schema the URI of the schema of the names
   */
  private record Names(String schema) implements Evaluator {
    @Override
    public Result evaluate(EvaluationContext at, JsonNode node) {
      boolean fits = true;
      if (node.isObject()) {
        for (String name : node.asObject().keySet()) {
          fits &= at.resolveInternalRefAndValidate(schema, own(node).name(name));
        }
      }
      return fits ? Result.success() : Result.failure();
    }
  }
}
