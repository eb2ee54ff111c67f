package dev.repartee.cli.mcp;

import dev.repartee.cli.terminal.Table;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.math.BigDecimal;
import java.net.URI;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A field of an elicitation form: a string, a number, a boolean, a choice or several choices, as
 * the specification allows ("Elicitation", requested schema).
 */
final class FormField {
  /** The maximum number of digits of a limit that is checked. */
  private static final int DIGITS = 1_000;

  /** The maximum number of digits, and of zeros, that are shown without an exponent. */
  private static final int PLAIN = 30;

  private final String name;
  private final Json schema;
  private final boolean required;
  private final boolean several;

  /** The values of a choice, by the titles that the user sees. */
  private final Map<String, Json> choices;

  FormField(String name, Json schema, boolean required) {
    this.name = name;
    this.schema = schema;
    this.required = required;
    this.several = "array".equals(type());
    Json items = schema.get("items");
    this.choices = choices(several && items != null ? items : schema);
  }

  private static Map<String, Json> choices(Json schema) {
    Map<String, Json> choices = new LinkedHashMap<>();
    List<Json> values = SchemaText.elements(schema.get("enum"));
    List<String> titles = SchemaText.texts(schema.get("enumNames"));
    for (int i = 0; i < values.size(); i++) {
      choices.put(i < titles.size() ? titles.get(i) : values.get(i).text(), values.get(i));
    }
    for (String either : values.isEmpty() ? List.of("oneOf", "anyOf") : List.<String>of()) {
      for (Json one : SchemaText.elements(schema.get(either))) {
        Json value = one.get("const");
        if (value != null) {
          String title = one.string("title");
          choices.put(title == null ? value.text() : title, value);
        }
      }
    }
    return choices;
  }

  String name() {
    return name;
  }

  /** Returns the description for the user, or null. */
  @Nullable String description() {
    return schema.string("description");
  }

  /** Returns the titles of the choices, in order; empty if any value may be typed. */
  List<String> titles() {
    return List.copyOf(choices.keySet());
  }

  /** Returns the question, with the expected form and the default. */
  String question() {
    String title = schema.string("title");
    StringBuilder question = new StringBuilder(title == null ? name : title);
    question.append(" (").append(expected());
    if (!required) {
      question.append(", optional");
    }
    question.append(')');
    Json otherwise = otherwise();
    if (otherwise != null) {
      question.append(" [").append(typed(otherwise)).append(']');
    }
    return question.append(':').toString();
  }

  private String expected() {
    if (!choices.isEmpty()) {
      return several ? "numbers or names, separated by commas" : "number or name";
    }
    String format = schema.string("format");
    return switch (type()) {
      case "boolean" -> "yes or no";
      case "string" -> format == null ? "text" : format;
      default -> type();
    };
  }

  /** Returns the default, or null. */
  @Nullable Json otherwise() {
    return schema.get("default");
  }

  /** Returns a value in the form in which the user types it. */
  private String typed(Json value) {
    if (value.kind() == Json.Kind.BOOLEAN) {
      return value.equals(Json.TRUE) ? "yes" : "no";
    } else if (value.kind() == Json.Kind.ARRAY) {
      return String.join(", ", value.elements().stream().map(this::title).toList());
    }
    return title(value);
  }

  private String title(Json value) {
    return choices.entrySet().stream()
        .filter(choice -> choice.getValue().isSameValue(value))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(value.text());
  }

  /**
   * Returns the value of a typed line; null to leave the field out.
   *
   * @throws IllegalArgumentException if the line does not match; the message is for the user
   */
  @Nullable Json value(String line) {
    String typed = line.strip();
    if (typed.isEmpty()) {
      Json otherwise = otherwise();
      if (otherwise == null && required) {
        throw new IllegalArgumentException(
            "a value is required" + ("string".equals(type()) ? "; \"\" is an empty text" : ""));
      }
      return otherwise;
    }
    if (several) {
      return counted(typed);
    }
    return choices.isEmpty() ? plain(typed) : choice(typed);
  }

  private Json choice(String typed) {
    for (Map.Entry<String, Json> choice : choices.entrySet()) {
      if (choice.getKey().equalsIgnoreCase(typed) || choice.getValue().text().equals(typed)) {
        return choice.getValue();
      }
    }
    if (typed.matches("[1-9]\\d{0,4}") && Integer.parseInt(typed) <= choices.size()) {
      return List.copyOf(choices.values()).get(Integer.parseInt(typed) - 1);
    }
    throw new IllegalArgumentException("'" + typed + "' is not a choice; type a number from 1 to "
        + choices.size() + ", or a name");
  }

  private Json counted(String typed) {
    List<Json> values = new ArrayList<>();
    for (String word : typed.split(",")) {
      if (!word.isBlank()) {
        Json value = choices.isEmpty() ? Json.of(word.strip()) : choice(word.strip());
        if (!values.contains(value)) {
          values.add(value);
        }
      }
    }
    checkRange(BigDecimal.valueOf(values.size()), "minItems", "maxItems", "the number of choices");
    return Json.of(values);
  }

  private Json plain(String typed) {
    return switch (type()) {
      case "boolean" ->
        switch (typed.toLowerCase(Locale.ROOT)) {
          case "y", "yes", "true" -> Json.TRUE;
          case "n", "no", "false" -> Json.FALSE;
          default -> throw new IllegalArgumentException("type yes or no");
        };
      case "integer", "number" -> number(typed);
      default -> text(typed.equals("\"\"") ? "" : typed);
    };
  }

  private Json number(String typed) {
    boolean whole = type().equals("integer");
    try {
      Json number = Json.parse(typed);
      if (number.kind() == Json.Kind.NUMBER && (!whole || typed.matches("-?\\d+"))) {
        checkRange(new BigDecimal(typed), "minimum", "maximum", "the number");
        return number;
      }
    } catch (JsonException | NumberFormatException e) {
      // Explained below.
    }
    throw new IllegalArgumentException(
        "'" + typed + "' is not " + (whole ? "an integer, such as 42" : "a number, such as 4.2"));
  }

  private Json text(String typed) {
    int length = typed.codePointCount(0, typed.length());
    checkRange(BigDecimal.valueOf(length), "minLength", "maxLength", "the number of characters");
    String format = schema.string("format");
    boolean fits;
    try {
      fits = switch (String.valueOf(format)) {
        case "email" -> typed.matches("[^@\\s]+@[^@\\s]+");
        case "uri" -> URI.create(typed).isAbsolute();
        case "date" -> LocalDate.parse(typed) != null;
        case "date-time" -> OffsetDateTime.parse(typed) != null;
        default -> true;
      };
    } catch (DateTimeException | IllegalArgumentException e) {
      fits = false;
    }
    if (!fits) {
      throw new IllegalArgumentException("'" + typed + "' does not have the format " + format
          + ", such as "
          + switch (String.valueOf(format)) {
            case "email" -> "ann@example.com";
            case "uri" -> "https://example.com/";
            case "date" -> "2026-07-28";
            default -> "2026-07-28T09:00:00Z";
          });
    }
    return Json.of(typed);
  }

  private void checkRange(BigDecimal value, String least, String most, String what) {
    BigDecimal from = limit(least);
    BigDecimal to = limit(most);
    if (from != null && value.compareTo(from) < 0) {
      throw new IllegalArgumentException(what + " has to be at least " + shown(from));
    } else if (to != null && value.compareTo(to) > 0) {
      throw new IllegalArgumentException(what + " has to be at most " + shown(to));
    }
  }

  /**
   * Returns a limit of the schema. Returns null if it is missing, or has too many digits to be
   * parsed quickly.
   */
  private @Nullable BigDecimal limit(String keyword) {
    Json limit = schema.get(keyword);
    try {
      return limit == null || limit.length() > DIGITS ? null : new BigDecimal(limit.toString());
    } catch (NumberFormatException e) {
      return null; // the server checks the value
    }
  }

  /**
   * Returns a number in the usual form if that is short. For example, 1e1999999999 has two billion
   * digits.
   */
  private static String shown(BigDecimal number) {
    boolean isShort = number.precision() <= PLAIN && Math.abs((long) number.scale()) <= PLAIN;
    return Table.cut(isShort ? number.toPlainString() : number.toString(), 2 * PLAIN);
  }

  private String type() {
    String type = schema.string("type");
    return type == null ? "string" : type;
  }
}
