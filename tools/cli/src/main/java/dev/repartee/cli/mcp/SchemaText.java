package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Table;
import dev.repartee.cli.terminal.Visible;
import dev.repartee.internal.JsonPointer;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Describes the properties of a JSON Schema in lines for people. Follows local references. The
 * output is limited to 8 levels, 1,000 lines, 262,144 characters and 2,000 types, because the
 * schema comes from a server. Dots in the last line show that a limit was reached.
 */
final class SchemaText {
  private static final int DEPTH = 8;
  private static final int LINES = 1_000;
  private static final int TYPES = 2_000;

  /** The maximum number of characters of all lines, of one line, and of one value. */
  private static final int CHARACTERS = 1 << 18;

  private static final int LINE = 4_000;
  private static final int VALUE = 200;

  /**
   * The maximum number of bytes to read for references. Limited because each reference reads the
   * whole schema again.
   */
  private static final long READ = 64L << 20;

  /** The maximum number of values of a choice that are shown. */
  private static final int CHOICES = 50;

  private final Json root;
  private final List<String> lines = new ArrayList<>();
  private int characters;
  private int types;
  private long read;
  private boolean isCut;

  private SchemaText(Json root) {
    this.root = root;
  }

  /** Returns a line for each property, with its description below. Empty without properties. */
  static String of(Json schema) {
    SchemaText text = new SchemaText(schema);
    text.properties(schema, 1);
    if (text.isCut) {
      text.lines.add("  ...");
    }
    return String.join("\n", text.lines);
  }

  /** Adds a line. Returns false if a limit is reached. */
  private boolean add(int indent, String text) {
    if (isCut || lines.size() >= LINES - 1 || characters >= CHARACTERS) {
      isCut = true;
      return false;
    }
    String line = "  ".repeat(indent) + Visible.sentence(Table.cut(text, LINE));
    characters += line.length();
    lines.add(line);
    return true;
  }

  private void properties(Json schema, int depth) {
    Json properties = schema.get("properties");
    if (properties == null || properties.kind() != Json.Kind.OBJECT || depth > DEPTH) {
      return;
    }
    Set<String> required = new LinkedHashSet<>(texts(schema.get("required")));
    properties.members().forEach((name, given) -> {
      if (isCut) {
        return;
      }
      Json property = resolved(given);
      StringBuilder line = new StringBuilder(name).append(": ");
      line.append(type(property, DEPTH));
      if (required.contains(name)) {
        line.append(", required");
      }
      Json otherwise = property.get("default");
      if (otherwise != null) {
        line.append(", default ").append(value(otherwise));
      }
      if (!add(depth, line.toString())) {
        return;
      }
      String description = given.string("description");
      if (description == null) {
        description = property.string("description");
      }
      if (description != null) {
        add(depth + 2, description);
      }
      Json items = property.get("items");
      properties(items == null ? property : resolved(items), depth + 1);
    });
  }

  /** Returns the type of a value, such as {@code integer from 1 to 10}, in at most one line. */
  private String type(Json given, int depth) {
    return Table.cut(wholeType(given, depth), LINE);
  }

  private String wholeType(Json given, int depth) {
    Json schema = resolved(given);
    if (depth == 0 || ++types > TYPES || schema.kind() != Json.Kind.OBJECT) {
      return "any value";
    }
    List<String> choices = choices(schema);
    if (!choices.isEmpty()) {
      return "one of " + String.join(", ", choices.subList(0, Math.min(CHOICES, choices.size())))
          + (choices.size() > CHOICES ? ", ..." : "");
    }
    Json constant = schema.get("const");
    if (constant != null) {
      return value(constant);
    }
    for (String either : List.of("anyOf", "oneOf")) {
      List<Json> all = elements(schema.get(either));
      if (!all.isEmpty() && all.size() <= 20) {
        Set<String> types = new LinkedHashSet<>();
        all.forEach(one -> types.add(type(one, depth - 1)));
        return String.join(" or ", types);
      }
    }
    Json type = schema.get("type");
    if (type == null) {
      return schema.get("properties") == null ? "any value" : "object";
    }
    if (type.kind() == Json.Kind.ARRAY) {
      return String.join(" or ", texts(type));
    }
    String name = type.text();
    return switch (name) {
      case "array" -> {
        Json items = schema.get("items");
        yield items == null ? "array" : "array of " + type(items, depth - 1);
      }
      case "string" ->
        "string" + format(schema) + bounds(schema, "minLength", "maxLength", " characters");
      case "number", "integer" -> name + bounds(schema, "minimum", "maximum", "");
      default -> name;
    };
  }

  private static String format(Json schema) {
    String format = schema.string("format");
    return format == null ? "" : " (" + format + ")";
  }

  private static String bounds(Json schema, String least, String most, String unit) {
    Json from = schema.get(least);
    Json to = schema.get(most);
    if (from != null && to != null) {
      return " from " + value(from) + " to " + value(to) + unit;
    } else if (from != null) {
      return " of at least " + value(from) + unit;
    }
    return to == null ? "" : " of at most " + value(to) + unit;
  }

  /**
   * Returns the values of an {@code enum}, or of a choice of constants; at most one more than is
   * shown.
   */
  private static List<String> choices(Json schema) {
    List<Json> values = new ArrayList<>(elements(schema.get("enum")));
    for (String either : List.of("oneOf", "anyOf")) {
      List<Json> all = elements(schema.get(either));
      if (values.isEmpty() && all.stream().allMatch(one -> one.get("const") != null)) {
        all.forEach(one -> values.add(Objects.requireNonNull(one.get("const"))));
      }
    }
    return values.stream().limit(CHOICES + 1).map(SchemaText::value).toList();
  }

  /** Follows references inside the schema, at most {@link #DEPTH}. */
  private Json resolved(Json given) {
    Json schema = given;
    for (int i = 0; i < DEPTH; i++) {
      String reference = schema.string("$ref");
      if (reference == null || !reference.startsWith("#")) {
        return schema;
      }
      read += root.length();
      if (read > READ) {
        isCut = true;
        return schema;
      }
      Json target = root;
      for (String step : reference.substring(1).split("/")) {
        if (target != null && !step.isEmpty()) {
          target = target.get(JsonPointer.unescaped(step));
        }
      }
      if (target == null) {
        return schema;
      }
      schema = target;
    }
    return schema;
  }

  static List<String> texts(@Nullable Json array) {
    return elements(array).stream().map(Json::text).toList();
  }

  /** Returns the elements of an array; empty for null or another value. */
  static List<Json> elements(@Nullable Json array) {
    return array == null || array.kind() != Json.Kind.ARRAY ? List.of() : array.elements();
  }

  /** Returns a value for people, cut if it is long. */
  private static String value(Json json) {
    return Table.cut(json.text(), VALUE);
  }

  static Map<String, Json> members(@Nullable Json object) {
    return object == null ? Map.of() : object.members();
  }
}
