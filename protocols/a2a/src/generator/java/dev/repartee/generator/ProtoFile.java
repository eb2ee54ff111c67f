package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Alias;
import dev.repartee.generator.MetaModel.Property;
import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.MetaModel.Type;
import dev.repartee.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads the messages of a file in the language of Protocol Buffers 3, as far as {@code a2a.proto}
 * uses it, as a meta model: a message with a {@code oneof} alone is a union, any other message a
 * structure. Members have their names in JSON.
 */
final class ProtoFile {
  private static final Pattern BEGIN = Pattern.compile("(message|oneof|enum|service) (\\w+) \\{");
  private static final Pattern FIELD =
      Pattern.compile("(optional |repeated )?(map<string, \\S+>|\\S+) (\\w+) = \\d+(.*);");

  /** Comments to tools. */
  private static final Pattern TO_TOOLS =
      Pattern.compile("protolint:.*|\\(-- .*|aip\\.dev.*|api-linter.*|Next ID.*");

  private final Set<String> skipped;
  private final Set<String> ignoredOneofs;
  private final Map<String, Boolean> required;
  private final List<Structure> structures = new ArrayList<>();
  private final Map<String, List<Property>> unions = new LinkedHashMap<>();
  private final Map<String, Optional<String>> unionTexts = new LinkedHashMap<>();

  /**
   * Creates a reader.
   *
   * @param skipped the messages to leave out
   * @param ignoredOneofs the messages that are structures in spite of their {@code oneof}
   * @param required whether a field is required, where the file does not say it rightly, by message
   *     and name in JSON
   */
  ProtoFile(Set<String> skipped, Set<String> ignoredOneofs, Map<String, Boolean> required) {
    this.skipped = skipped;
    this.ignoredOneofs = ignoredOneofs;
    this.required = required;
  }

  /** Reads the lines of the file. */
  ProtoFile read(List<String> lines) {
    List<String> comment = new ArrayList<>();
    List<Property> members = new ArrayList<>();
    String kind = ""; // of the outermost block
    String message = "";
    Optional<String> text = Optional.empty();
    boolean isUnion = false;
    int depth = 0;
    for (String raw : lines) {
      String line = raw.strip();
      Matcher begin = BEGIN.matcher(line);
      Matcher field = FIELD.matcher(line);
      if (line.startsWith("//")) {
        comment.add(line.substring(2).strip());
        continue;
      } else if (begin.matches() && depth == 0) {
        kind = begin.group(1);
        message = begin.group(2);
        text = text(comment);
        members.clear();
        isUnion = false;
      } else if (begin.matches() && begin.group(1).equals("oneof")) {
        isUnion = true;
      } else if (kind.equals("message") && field.matches()) {
        members.add(member(message, isUnion && depth == 2, field, text(comment)));
      } else if (kind.equals("message") && !line.isEmpty() && !line.equals("}")) {
        throw new IllegalArgumentException("no field: " + line);
      }
      comment.clear();
      depth += line.endsWith("{") ? 1 : line.equals("}") || line.equals("};") ? -1 : 0;
      if (depth == 0 && kind.equals("message") && !skipped.contains(message)) {
        end(message, isUnion && !ignoredOneofs.contains(message), members, text);
        kind = "";
      }
    }
    return this;
  }

  private void end(String message, boolean isUnion, List<Property> members, Optional<String> text) {
    if (isUnion) {
      unions.put(message, List.copyOf(members));
      unionTexts.put(message, text);
    } else {
      structures.add(
          new Structure(message, Optional.empty(), List.copyOf(members), text, Optional.empty()));
    }
  }

  private Property member(
      String message, boolean inOneof, Matcher field, Optional<String> documentation) {
    String name = camel(field.group(3));
    String label = field.group(1) == null ? "" : field.group(1).strip();
    boolean isRequired =
        required.getOrDefault(message + "." + name, field.group(4).contains("REQUIRED"));
    Type type = type(field.group(2));
    if (label.equals("repeated")) {
      type = of("array", Optional.empty(), Optional.of(type), Optional.empty());
    } else if (label.equals("optional") || inOneof) {
      type = new Type(
          "or",
          Optional.empty(),
          Optional.of(List.of(type, named("base", "null"))),
          Optional.empty(),
          Optional.empty());
    }
    return new Property(name, type, Optional.of(!isRequired), documentation);
  }

  private static Type type(String name) {
    if (name.startsWith("map<")) {
      Type value = type(name.substring("map<string, ".length(), name.length() - 1));
      return of("map", Optional.empty(), Optional.empty(), Optional.of(Json.of(value)));
    }
    return switch (name) {
      case "string" -> named("base", "string");
      case "int32" -> named("base", "integer");
      case "bool" -> named("base", "boolean");
      case "google.protobuf.Struct", "google.protobuf.Value" -> named("reference", "LSPAny");
      case "google.protobuf.Timestamp" -> named("reference", "Instant");
      default -> named("reference", name);
    };
  }

  private static Type named(String kind, String name) {
    return of(kind, Optional.of(name), Optional.empty(), Optional.empty());
  }

  private static Type of(
      String kind, Optional<String> name, Optional<Type> element, Optional<Json> value) {
    return new Type(kind, name, Optional.empty(), element, value);
  }

  private static String camel(String name) {
    return Pattern.compile("_(\\w)")
        .matcher(name)
        .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
  }

  private static Optional<String> text(List<String> comment) {
    String text = comment.stream()
        .filter(each -> !TO_TOOLS.matcher(each).matches())
        .collect(Collectors.joining(" "));
    return text.isEmpty()
        ? Optional.empty()
        : Optional.of(text.replaceFirst("^(Optional|Required)\\. ", "")
            + (text.matches(".*[.)]") ? "" : "."));
  }

  /** Returns the fields of each union, by its name. */
  Map<String, List<Property>> unions() {
    return unions;
  }

  /** Returns the meta model. The variants of one union that are another union are this union. */
  MetaModel model() {
    List<Alias> aliases = new ArrayList<>();
    unions.forEach((name, fields) -> {
      List<String> variants = names(fields);
      List<String> items = new ArrayList<>(variants);
      unions.forEach((other, inner) -> {
        if (!other.equals(name) && items.containsAll(names(inner))) {
          items.removeAll(names(inner));
          items.add(0, other);
        }
      });
      List<Type> types = items.stream().map(each -> named("reference", each)).toList();
      aliases.add(new Alias(
          name,
          new Type("or", Optional.empty(), Optional.of(types), Optional.empty(), Optional.empty()),
          unionTexts.get(name)));
    });
    return new MetaModel(List.of(), List.of(), structures, List.of(), aliases);
  }

  private static List<String> names(List<Property> fields) {
    return fields.stream()
        .map(each -> each.type().items().orElseThrow().get(0).name().orElseThrow())
        .toList();
  }
}
