package dev.repartee.generator;

import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.Types.Member;
import dev.repartee.generator.Types.Variant;
import java.util.List;
import java.util.stream.Collectors;

/** Writes the record of a structure, with the methods that read and write it. */
final class RecordWriter {
  private final Types types;
  private final String name;
  private final Structure structure;
  private final List<Member> members;
  private final List<Member> components;
  private final StringBuilder out = new StringBuilder();

  private RecordWriter(Types types, Structure structure) {
    this.types = types;
    this.structure = structure;
    this.name = structure.name();
    this.members = types.members(structure);
    this.components = members.stream().filter(each -> each.literal().isEmpty()).toList();
  }

  static String source(Types types, Structure structure) {
    return new RecordWriter(types, structure).source();
  }

  private String source() {
    StringBuilder doc = new StringBuilder(
        Javadoc.body(structure.documentation(), "The type {@code " + name + "}."));
    for (Member each : components) {
      String absent = each.isTristate()
          ? " Null if the member is absent, empty if it is JSON null."
          : each.optional() ? absent(each) : "";
      doc.append("\n")
          .append(components.indexOf(each) == 0 ? "\n" : "")
          .append("@param ")
          .append(each.java())
          .append(' ')
          .append(Javadoc.body(each.documentation(), "the member {@code " + each.name() + "}"))
          .append(absent);
    }
    out.append(Javadoc.comment("", doc.toString())).append(types.annotation(name));
    out.append("public record ").append(name).append('(');
    out.append(components.stream().map(this::declared).collect(Collectors.joining(", ")));
    out.append(')');
    List<String> above = types.above(name);
    if (!above.isEmpty()) {
      out.append(" implements ").append(String.join(", ", above));
    }
    out.append(" {\n");
    boolean protobuf = types.protocol().protobuf();
    out.append(protobuf ? "" : names());
    constructors();
    literals();
    components.stream().filter(each -> protobuf || each.optional()).forEach(this::withers);
    out.append(types.protocol().methods().getOrDefault(name, ""));
    if (!protobuf) {
      reader();
      writer();
    }
    return types.protocol().file(Protocol.TYPES, out.toString().stripTrailing() + "\n}\n");
  }

  private static String absent(Member member) {
    return switch (member.absent()) {
      case "null" -> " Null if absent.";
      case "false" -> " False if absent.";
      default -> " Empty if absent.";
    };
  }

  private String names() {
    return "  private static final MemberNames NAMES = MemberNames.of(UnknownMembers.IGNORE"
        + members.stream().map(each -> ", \"" + each.name() + "\"").collect(Collectors.joining())
        + ");\n\n";
  }

  private String declared(Member member) {
    return type(member) + " " + member.java();
  }

  private static String type(Member member) {
    if (member.isTristate()) {
      return "@Nullable Optional<" + member.shape().boxed() + ">";
    }
    return member.isPresent()
            || member.optional() && member.hasDefault()
            || !member.optional() && member.shape() == Shape.Scalar.JSON
        ? member.shape().java()
        : "@Nullable " + member.shape().boxed();
  }

  private static boolean isChecked(Member member) {
    return !type(member).startsWith("@") && !member.shape().isPrimitive();
  }

  private void constructors() {
    List<Member> checked = components.stream().filter(RecordWriter::isChecked).toList();
    if (!checked.isEmpty()) {
      out.append("  /** Creates a value with all members. */\n");
      out.append("  public ").append(name).append(" {\n");
      checked.forEach(each -> out.append("    " + check(each).replace("%s", each.java()) + "\n"));
      out.append("  }\n\n");
    }
    List<Member> required = components.stream().filter(each -> !each.optional()).toList();
    if (required.size() < components.size()) {
      out.append("  /** Creates a value with the required members only. */\n");
      out.append("  public ").append(name).append('(');
      out.append(required.stream().map(this::declared).collect(Collectors.joining(", ")));
      out.append(") {\n    this(");
      out.append(components.stream()
          .map(each -> each.optional() ? each.absent() : each.java())
          .collect(Collectors.joining(", ")));
      out.append(");\n  }\n\n");
    }
    List<Member> unions =
        required.stream().filter(each -> !plainVariants(each).isEmpty()).toList();
    if (unions.size() == 1) {
      plainVariants(unions.get(0)).forEach(each -> plainConstructor(required, unions.get(0), each));
    }
  }

  private String check(Member member) {
    if (types.protocol().protobuf() && member.shape() instanceof Shape.Container container) {
      return container.isMap()
          ? "%s = Collections.unmodifiableMap(new LinkedHashMap<>(%s)); // keeps the order"
          : "%s = List.copyOf(%s);";
    }
    return "Objects.requireNonNull(%s, \"%s\");";
  }

  /** Returns the strings, numbers and booleans among the variants of a member. */
  private List<Shape> plainVariants(Member member) {
    Types.Union union = types.unions.get(member.shape().boxed());
    return union == null
        ? List.of()
        : union.variants().stream()
            .map(Variant::shape)
            .filter(each -> each instanceof Shape.Scalar && each != Shape.Scalar.JSON)
            .toList();
  }

  /** Writes the constructor with the required members and a variant of one of them, unwrapped. */
  private void plainConstructor(List<Member> required, Member member, Shape variant) {
    out.append("  /** Creates a value with the required members only. */\n");
    out.append("  public ").append(name).append('(');
    out.append(required.stream()
        .map(each -> each == member ? variant.java() + " " + each.java() : declared(each))
        .collect(Collectors.joining(", ")));
    out.append(") {\n    this(");
    out.append(required.stream()
        .map(each ->
            each == member ? member.shape().boxed() + ".of(" + each.java() + ")" : each.java())
        .collect(Collectors.joining(", ")));
    out.append(");\n  }\n\n");
  }

  private void literals() {
    for (Member each : members) {
      if (!each.literal().isEmpty()) {
        out.append("  /** Returns the constant {@code \"%s\"}, which marks the type. */\n"
            .formatted(each.literal()));
        out.append("  public String %s() {\n    return \"%s\";\n  }\n\n"
            .formatted(each.java(), each.literal()));
      }
    }
  }

  private void withers(Member member) {
    String plain = Types.plain(member.name());
    String capital = Character.toUpperCase(plain.charAt(0)) + plain.substring(1);
    String parameter = member.isTristate()
        ? "@Nullable " + member.shape().boxed() + " " + member.java()
        : declared(member);
    String value =
        member.isTristate() ? "Optional.ofNullable(" + member.java() + ")" : member.java();
    String without = member.isTristate()
        ? ", JSON null for Java's null"
        : type(member).startsWith("@") ? ", or without it if null" : "";
    out.append(
        "  /** Returns a copy with this {@code %s}%s. */\n".formatted(member.name(), without));
    out.append("  public %s with%s(%s) {\n    return new %s(%s);\n  }\n\n"
        .formatted(
            name,
            capital,
            parameter,
            name,
            components.stream()
                .map(each -> each == member ? value : each.java())
                .collect(Collectors.joining(", "))));
    if (member.shape() == Shape.Scalar.LONG || member.shape() == Shape.Scalar.DECIMAL) {
      // Java does not box an int as either of them.
      out.append("  /** Returns a copy with this {@code %s}. */\n".formatted(member.name()));
      out.append("  public %s with%s(%s %s) {\n    return with%s(%s.valueOf(%s));\n  }\n\n"
          .formatted(
              name,
              capital,
              member.shape().java(),
              member.java(),
              capital,
              member.shape().boxed(),
              member.java()));
    }
    for (Shape variant : plainVariants(member)) {
      out.append("  /** Returns a copy with this {@code %s}. */\n".formatted(member.name()));
      out.append("  public %s with%s(%s %s) {\n    return with%s(%s.of(%s));\n  }\n\n"
          .formatted(
              name,
              capital,
              variant.java(),
              member.java(),
              capital,
              member.shape().boxed(),
              member.java()));
    }
  }

  private void reader() {
    out.append("  static ").append(name).append(" read(JsonReader in) {\n");
    if (members.isEmpty()) {
      out.append("    NAMES.first(in);\n    return new ").append(name).append("();\n  }\n\n");
      return;
    }
    long required = mask(members.stream()
        .filter(each -> each.isPresent() && types.neutral(structure, each) == null)
        .toList());
    if (required == 0 && types.mayBeNull(structure)) {
      out.append("    if (in.isNull()) {\n      return new ").append(name).append('(');
      out.append(components.stream()
          .map(each -> String.valueOf(types.neutral(structure, each)))
          .collect(Collectors.joining(", ")));
      out.append(");\n    }\n");
    }
    readMembers(List.of());
    if (required != 0) {
      out.append("    NAMES.require(0x%xL, seen);\n".formatted(required));
    }
    out.append("    return ").append(construction()).append(";\n  }\n\n");
  }

  /**
   * Returns the method that reads a union of two structures in one pass: the first has all members
   * of the second, and is chosen if it has others, too.
   *
   * @param chosenBy the members of the first that choose it
   * @param otherwise the statement for an object without the required members of both
   */
  static String either(
      Types types,
      String union,
      Structure first,
      Structure second,
      List<String> chosenBy,
      String otherwise) {
    RecordWriter reader = new RecordWriter(types, first);
    RecordWriter other = new RecordWriter(types, second);
    long required = reader.mask(other.members.stream().filter(Member::isPresent).toList());
    reader.out.append(reader.names());
    reader.out.append("  private static ").append(union).append(" object(JsonReader in) {\n");
    reader.out.append("    int start = in.position();\n");
    reader.readMembers(chosenBy);
    if (required != 0) {
      reader.out.append(
          "    if ((seen & 0x%xL) != 0x%xL) {\n      in.position(start);\n      %s\n    }\n"
              .formatted(required, required, otherwise));
    }
    String chosen = chosenBy.stream()
        .map(each -> Types.java(each) + " != null")
        .collect(Collectors.joining(" && "));
    return reader
        .out
        .append("    return %s\n        ? %s\n        : %s;\n  }\n\n"
            .formatted(chosen, reader.construction(), other.construction()))
        .toString();
  }

  /** Returns the bits of members of this structure by their names. */
  private long mask(List<Member> some) {
    long mask = 0;
    for (int i = 0; i < members.size(); i++) {
      String member = members.get(i).name();
      mask |= some.stream().anyMatch(each -> each.name().equals(member)) ? 1L << i : 0;
    }
    return mask;
  }

  private String construction() {
    return "new " + name + "("
        + components.stream().map(Member::java).collect(Collectors.joining(", ")) + ")";
  }

  /** Reads all members into variables; those listed may be null. */
  private void readMembers(List<String> nullable) {
    for (Member each : components) {
      boolean primitive = !type(each).startsWith("@") && each.shape().isPrimitive();
      String neutral = primitive ? each.shape().neutral() : types.neutral(structure, each);
      boolean json = each.shape() == Shape.Scalar.JSON && isChecked(each);
      String none = json && !nullable.contains(each.name()) ? "Json.NULL" : "null";
      String initial = neutral == null ? none : neutral;
      String type = type(each).replace("@Nullable ", "");
      out.append("    ").append(type).append(' ').append(each.java());
      out.append(" = ").append(initial).append(";\n");
    }
    out.append("    long seen = 0;\n");
    out.append("    for (int i = NAMES.first(in); i >= 0; i = NAMES.next(in, i)) {\n");
    out.append("      seen = NAMES.see(i, seen);\n      try {\n        switch (i) {\n");
    for (int i = 0; i < members.size(); i++) {
      String label = i == members.size() - 1 ? "default" : "case " + i;
      Member member = members.get(i);
      out.append("          ").append(label).append(" -> ");
      out.append(
          member.literal().isEmpty()
              ? member.java() + " = "
                  + (nullable.contains(member.name()) ? "in.isNull() ? null : " : "")
                  + readExpression(member)
              : "Wire.literal(in, \"" + member.literal() + "\")");
      out.append(";\n");
    }
    out.append("        }\n      } catch (JsonException e) {\n");
    out.append("        throw NAMES.in(i, e);\n      }\n    }\n");
  }

  private String readExpression(Member member) {
    String read = member.shape().read();
    String neutral = types.neutral(structure, member);
    if (neutral != null) {
      return "in.isNull() ? " + neutral + " : " + read;
    }
    if (member.isTristate()) {
      return "in.isNull() ? Optional.empty() : Optional.of(" + read + ")";
    }
    boolean json = member.shape() == Shape.Scalar.JSON; // represents null itself
    return member.isPresent() || json
        ? read
        : "in.isNull() ? null : " + (member.shape().isPrimitive() ? boxed(member) : read);
  }

  /** Boxes explicitly: a conditional expression of null and a primitive is fragile. */
  private static String boxed(Member member) {
    return member.shape().boxed() + ".valueOf(" + member.shape().read() + ")";
  }

  private void writer() {
    out.append("  static void write(JsonWriter out, ").append(name).append(" value) {\n");
    out.append("    out.open('{');\n");
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      String field = "value." + member.java();
      if (!member.literal().isEmpty()) {
        out.append(
            "    NAMES.write(out, %d);\n    out.string(\"%s\");\n".formatted(i, member.literal()));
      } else if (member.optional()) {
        String present = member.isTristate() ? field + ".get()" : field;
        String write = member.shape().write(present);
        out.append("    if (%s != null) {\n      NAMES.write(out, %d);\n".formatted(field, i));
        out.append(
            member.isTristate()
                ? "      if (%s.isEmpty()) {\n        out.nil();\n      } else {\n        %s;\n      }\n"
                    .formatted(field, write)
                : "      %s;\n".formatted(write));
        out.append("    }\n");
      } else {
        out.append("    NAMES.write(out, %d);\n".formatted(i));
        String write = member.shape().write(field);
        out.append(
            type(member).startsWith("@")
                ? "    if (%s == null) {\n      out.nil();\n    } else {\n      %s;\n    }\n"
                    .formatted(field, write)
                : "    %s;\n".formatted(write));
      }
    }
    out.append("    out.close('}');\n  }\n");
  }
}
