package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Property;
import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.Types.Member;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes the class that reads and writes the messages of Protocol Buffers in their JSON form, with
 * a method for each message and direction. Subclasses override those that another version of the
 * protocol has in another form.
 */
final class ProtoJsonWriter {
  private static final String TIME = "Instant";

  private final Types types;
  private final MetaModel model;
  private final Map<String, List<Property>> unions;
  private final List<String> enumerations;
  private final StringBuilder out = new StringBuilder();

  ProtoJsonWriter(
      Types types, MetaModel model, Map<String, List<Property>> unions, List<String> enumerations) {
    this.types = types;
    this.model = model;
    this.unions = unions;
    this.enumerations = enumerations;
  }

  /**
   * Returns the source.
   *
   * @param byHand the messages whose methods are written by hand
   */
  String source(String name, List<String> byHand) {
    out.append("/** Reads and writes the messages of the protocol, in the JSON of its latest "
        + "version. */\nabstract class " + name + " {\n");
    enumerations.forEach(
        each -> out.append("  abstract %1$s read%1$s(Members in, String name);\n\n".formatted(each))
            .append("  abstract String write%1$s(%1$s value);\n\n".formatted(each)));
    byHand.forEach(each -> out.append("  abstract %1$s read%1$s(Members in);\n\n".formatted(each))
        .append("  abstract JsonObjectBuilder write%1$s(%1$s value);\n\n".formatted(each)));
    model.structures().stream()
        .filter(each -> !byHand.contains(each.name()))
        .forEach(this::structure);
    unions.forEach(this::union);
    out.append("""
          private static <T> @Nullable Json object(
              @Nullable T value, Function<T, JsonObjectBuilder> writer) {
            return value == null ? null : writer.apply(value).build();
          }

          private static <T> List<Json> objects(
              List<T> values, Function<T, JsonObjectBuilder> writer) {
            return values.stream().map(each -> writer.apply(each).build()).toList();
          }

          private static <T> @Nullable Map<String, Json> objects(
              Map<String, T> values, Function<T, JsonObjectBuilder> writer) {
            Map<String, Json> objects = new LinkedHashMap<>();
            values.forEach((name, each) -> objects.put(name, writer.apply(each).build()));
            return objects.isEmpty() ? null : objects;
          }
        """);
    return types.protocol().file("wire", out.append("}\n").toString());
  }

  private void structure(Structure structure) {
    String name = structure.name();
    List<Member> members = types.members(structure);
    out.append("  %1$s read%1$s(Members in) {\n    return new %1$s(\n        ".formatted(name));
    out.append(members.stream().map(this::read).collect(Collectors.joining(",\n        ")));
    out.append(");\n  }\n\n  JsonObjectBuilder write%1$s(%1$s value) {\n".formatted(name));
    out.append("    return new JsonObjectBuilder()");
    members.forEach(each -> out.append("\n        .").append(write(each)));
    out.append(";\n  }\n\n");
  }

  private String read(Member member) {
    String name = "\"" + member.name() + "\"";
    boolean required = !member.optional();
    String type = member.shape().boxed();
    if (member.shape() instanceof Shape.Scalar scalar) {
      return "in."
          + switch (scalar) {
            case STRING -> required ? "string" : "given";
            case INTEGER -> required ? "number" : "count";
            case BOOLEAN -> member.hasDefault() ? "flag" : "optionalFlag";
            default -> "object";
          }
          + "(" + name + ")";
    } else if (member.shape() instanceof Shape.Container container) {
      boolean isText = container.element() == Shape.Scalar.STRING;
      String element = isText ? "" : ", this::read" + container.element().boxed();
      String method = container.isMap()
          ? isText ? "texts" : "map"
          : isText ? "stringList" : required ? "requiredList" : "list";
      return "in." + method + "(" + name + element + ")";
    } else if (type.equals(TIME)) {
      return "in.time(" + name + ")";
    } else if (enumerations.contains(type)) {
      String read = "read" + type + "(in, " + name + ")";
      return required ? read : "in.given(" + name + ") == null ? null : " + read;
    }
    String method = required ? "required" : member.hasDefault() ? "orEmpty" : "optional";
    return "in." + method + "(" + name + ", this::read" + type + ")";
  }

  private String write(Member member) {
    String name = "\"" + member.name() + "\", ";
    String value = "value." + member.java() + "()";
    String type = member.shape().boxed();
    if (member.shape() instanceof Shape.Container container) {
      String all = container.element() == Shape.Scalar.STRING
          ? value
          : "objects(" + value + ", this::write" + container.element().boxed() + ")";
      if (container.isMap()) {
        return "put(" + name
            + (member.optional() && all.equals(value) ? value + ".isEmpty() ? null : " : "") + all
            + ")";
      }
      return (member.optional() ? "putUnlessEmpty(" : "put(") + name + all + ")";
    } else if (member.shape() instanceof Shape.Scalar) {
      return (member.hasDefault() ? "flag(" : "put(") + name + value + ")";
    } else if (type.equals(TIME)) {
      return "put(" + name + "Times.text(" + value + "))";
    } else if (enumerations.contains(type)) {
      String written = "write" + type + "(" + value + ")";
      return "put(" + name + (member.optional() ? value + " == null ? null : " + written : written)
          + ")";
    }
    return "put(" + name + "object(" + value + ", this::write" + type + "))";
  }

  /** Writes the methods of a union: an object with one member, whose name chooses the variant. */
  private void union(String name, List<Property> fields) {
    out.append("  /** Returns null if the object is none of the union. */\n");
    out.append("  @Nullable %1$s read%1$s(Members in) {\n".formatted(name));
    for (Property each : fields) {
      out.append(
          "    if (in.has(\"%1$s\")) {\n      return in.required(\"%1$s\", this::read%2$s);\n    }\n"
              .formatted(each.name(), type(each)));
    }
    out.append(
        "    return null;\n  }\n\n  JsonObjectBuilder write%1$s(%1$s value) {\n".formatted(name));
    out.append("    JsonObjectBuilder out = new JsonObjectBuilder();\n");
    String start = "    ";
    for (Property each : fields) {
      out.append(start)
          .append(
              "if (value instanceof %2$s it) {\n      out.put(\"%1$s\", write%2$s(it).build());\n    }"
                  .formatted(each.name(), type(each)));
      start = " else ";
    }
    out.append("\n    return out;\n  }\n\n");
  }

  private static String type(Property field) {
    return field.type().items().orElseThrow().get(0).name().orElseThrow();
  }
}
