package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Constant;
import dev.repartee.generator.MetaModel.Enumeration;
import dev.repartee.json.Json;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Writes an enumeration as a record with constants; other values remain possible. */
final class EnumWriter {
  private EnumWriter() {}

  static String source(Types types, Enumeration enumeration) {
    String name = enumeration.name();
    boolean text = enumeration.type().name().orElseThrow().equals("string");
    String java = text ? "String" : "int";
    StringBuilder out = new StringBuilder();
    out.append(Javadoc.comment(
        "",
        Javadoc.body(enumeration.documentation(), "The enumeration {@code " + name + "}.")
            + "\n\n"
            + "<p>Open to other values than those of the constants.\n\n"
            + "@param value the value"));
    out.append("@GeneratedType\npublic record ").append(name).append('(').append(java);
    out.append(" value)");
    List<String> above = types.above(name);
    out.append(above.isEmpty() ? "" : " implements " + String.join(", ", above));
    out.append(" {\n");
    for (Constant each : enumeration.values()) {
      out.append(Javadoc.comment(
          "  ", Javadoc.body(each.documentation(), "The value {@code " + escaped(each) + "}.")));
      out.append("  public static final %s %s = new %s(%s);\n\n"
          .formatted(name, constant(each), name, each.value()));
    }
    if (text) {
      out.append("  /** Creates a value. */\n  public ").append(name).append(" {\n");
      out.append("    Objects.requireNonNull(value, \"value\");\n  }\n\n");
    }
    out.append("  /** Returns the constant of a value, or a new object if there is none. */\n");
    out.append(
        "  public static %s of(%s value) {\n    return switch (value) {\n".formatted(name, java));
    Set<Json> seen = new HashSet<>(); // two constants may have one value
    for (Constant each : enumeration.values()) {
      if (seen.add(each.value())) {
        out.append("      case %s -> %s;\n".formatted(each.value(), constant(each)));
      }
    }
    out.append("      default -> new ").append(name).append("(value);\n    };\n  }\n\n");
    String read = types.shape(enumeration.type(), "", Optional.empty()).read();
    out.append(
        "  static %s read(JsonReader in) {\n    return of(%s);\n  }\n\n".formatted(name, read));
    out.append("  static void write(JsonWriter out, ").append(name).append(" value) {\n    out.");
    out.append(text ? "string" : "number").append("(value.value());\n  }\n}\n");
    return types.protocol().file(Protocol.TYPES, out.toString());
  }

  private static String escaped(Constant constant) {
    return constant.value().toString();
  }

  private static String constant(Constant constant) {
    return constant
        .name()
        .replaceAll("[^A-Za-z0-9]", "_")
        .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
        .replaceAll("([A-Z]+)([A-Z][a-z])", "$1_$2")
        .toUpperCase(Locale.ROOT);
  }
}
