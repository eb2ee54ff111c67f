package dev.repartee.agents.plan;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.ConstructNode;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/**
 * Converts the text of a plan to JSON. Aliases of YAML can expand a short text to a huge value.
 * Therefore the conversion limits the number of values and of characters. Not thread-safe.
 */
final class PlanText {
  private static final int MOST_CHARS = 1 << 20;
  private static final int MOST_VALUES = 100_000;
  private static final int MOST_ALIASES = 50;
  private static final int DEEPEST = 100;

  /**
   * The maximum number of digits of an integer; the time to read an integer is quadratic in its
   * length.
   */
  private static final int MOST_DIGITS = 1_000;

  private static final ConstructNode INTEGER =
      Objects.requireNonNull(new JsonSchema().getSchemaTagConstructors().get(Tag.INT));

  private int values; // converted so far
  private long chars; // of the converted texts and names

  private PlanText() {}

  static Json json(String text) {
    if (text.length() > MOST_CHARS) {
      throw new PlanException("", "it is larger than 1 MiB; split it into several plans");
    }
    String stripped = text.startsWith("\uFEFF") ? text.substring(1).strip() : text.strip();
    return stripped.startsWith("{") ? ofJson(stripped) : ofYaml(text);
  }

  private static Json ofJson(String text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      throw new PlanException("", "it is not valid JSON: " + e.getMessage());
    }
  }

  private static Json ofYaml(String text) {
    LoadSettings settings = LoadSettings.builder()
        .setLabel("the plan")
        .setAllowDuplicateKeys(false)
        .setAllowRecursiveKeys(false)
        .setMaxAliasesForCollections(MOST_ALIASES)
        .setCodePointLimit(MOST_CHARS)
        .setTagConstructors(Map.of(Tag.INT, PlanText::integer))
        .build();
    try {
      return Json.of(new PlanText().copy(new Load(settings).loadFromString(text), 0));
    } catch (YamlEngineException e) {
      String fault = oneLine(e);
      // The frequent mistake: the URI of an agent that ends with "stdio:".
      throw new PlanException(
          "",
          "it is not valid YAML: " + fault
              + (fault.startsWith("mapping values are not allowed")
                  ? "; put a value with ': ' or a colon at its end in quotes"
                  : ""));
    } catch (StackOverflowError e) {
      throw new PlanException("", "it nests too deeply; use fewer levels");
    }
  }

  private static @Nullable Object integer(Node node) {
    if (node instanceof ScalarNode scalar && scalar.getValue().length() > MOST_DIGITS) {
      throw new YamlEngineException(
          "an integer has more than " + MOST_DIGITS + " digits; put it in quotes");
    }
    return INTEGER.construct(node);
  }

  private static String oneLine(YamlEngineException e) {
    return String.valueOf(e.getMessage()).replaceAll("\\s*\\R\\s*", " ").strip();
  }

  private @Nullable Object copy(@Nullable Object value, int depth) {
    if (++values > MOST_VALUES) {
      throw new PlanException("", "it has more than " + MOST_VALUES + " values; use fewer aliases");
    } else if (depth > DEEPEST) {
      throw new PlanException("", "it nests deeper than " + DEEPEST + " levels; use fewer");
    }
    count(value);
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      map.forEach((name, member) -> members.put(name(name), copy(member, depth + 1)));
      return members;
    } else if (value instanceof List<?> list) {
      List<@Nullable Object> elements = new ArrayList<>();
      list.forEach(element -> elements.add(copy(element, depth + 1)));
      return elements;
    } else if (value instanceof Double number && !Double.isFinite(number)) {
      throw new PlanException("", "JSON has no number such as " + number + "; write a text");
    } else if (value == null
        || value instanceof String
        || value instanceof Boolean
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Double
        || value instanceof BigInteger) {
      return value;
    }
    throw new PlanException("", "JSON has no value such as '" + value + "'; write a text");
  }

  private void count(@Nullable Object value) {
    if (value instanceof String text) {
      chars += text.length();
    }
    if (chars > MOST_CHARS) {
      throw new PlanException(
          "", "it is larger than 1 MiB when its aliases are replaced; use fewer aliases");
    }
  }

  private String name(@Nullable Object name) {
    count(name);
    if (name instanceof String text) {
      return text;
    }
    throw new PlanException("", "the name '" + name + "' has to be a text; put it in quotes");
  }
}
