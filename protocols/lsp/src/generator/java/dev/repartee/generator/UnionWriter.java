package dev.repartee.generator;

import static java.util.Comparator.comparingInt;

import dev.repartee.generator.MetaModel.Structure;
import dev.repartee.generator.Types.Member;
import dev.repartee.generator.Types.Union;
import dev.repartee.generator.Types.Variant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes the sealed interface of a union, and the class that reads and writes it. */
final class UnionWriter {
  private final Types types;
  private final Union union;
  private final StringBuilder out = new StringBuilder();

  UnionWriter(Types types, Union union) {
    this.types = types;
    this.union = union;
  }

  /** Returns the source of the interface. */
  String type() {
    String alternatives =
        union.variants().stream().map(this::described).collect(Collectors.joining(", "));
    out.append(Javadoc.comment(
        "",
        Javadoc.body(union.documentation(), "One of several types.")
            + "\n\n<p>One of: "
            + alternatives
            + "."));
    out.append(types.annotation(union.name()));
    out.append("public sealed interface ").append(union.name());
    List<String> above = types.above(union.name());
    if (!above.isEmpty()) {
      out.append(" extends ").append(String.join(", ", above));
    }
    out.append("\n    permits ");
    out.append(union.variants().stream()
        .map(
            each -> each.name().isEmpty() ? each.shape().boxed() : union.name() + "." + each.name())
        .collect(Collectors.joining(", ")));
    out.append(" {\n");
    out.append(types.protocol().methods().getOrDefault(union.name(), ""));
    long lists = union.variants().stream()
        .filter(each -> each.shape() instanceof Shape.Container)
        .count();
    for (Variant each : union.variants()) {
      if (!each.name().isEmpty()) {
        wrapper(each, lists > 1 && each.shape() instanceof Shape.Container);
      }
    }
    return types.protocol().file(Protocol.TYPES, out.append("}\n").toString());
  }

  private String described(Variant variant) {
    String name =
        variant.name().isEmpty() ? variant.shape().boxed() : union.name() + "." + variant.name();
    return "{@link " + name + "}";
  }

  private void wrapper(Variant variant, boolean named) {
    String java = variant.shape().java();
    boolean primitive = variant.shape().isPrimitive();
    String factory = named ? "o" + variant.name().substring(1) : "of";
    out.append("  /** Returns the union with this value. */\n");
    out.append("  static %s %s(%s value) {\n    return new %s(value);\n  }\n\n"
        .formatted(union.name(), factory, java, variant.name()));
    out.append("  /**\n   * The variant {@code %s}.\n   *\n   * @param value the value\n   */\n"
        .formatted(java));
    out.append("  @GeneratedType\n  record %s(%s value) implements %s {\n"
        .formatted(variant.name(), java, union.name()));
    if (!primitive) {
      out.append("    /** Creates the variant. */\n    public %s {\n".formatted(variant.name()));
      out.append("      Objects.requireNonNull(value, \"value\");\n    }\n");
    }
    out.append("  }\n\n");
  }

  /** Returns the source of the class that reads and writes the union. */
  String codec() {
    String name = union.name();
    out.append("/** Reads and writes {@link ").append(name).append("}. */\n");
    out.append("final class ").append(name).append("Json {\n");
    out.append("  private ").append(name).append("Json() {}\n\n");
    out.append("  static ").append(name).append(" read(JsonReader in) {\n");
    out.append("    return switch (in.kind()) {\n");
    List<String> expected = new ArrayList<>();
    byKind('s', "STRING", "a string", expected);
    byKind('n', "NUMBER", "a number", expected);
    byKind('b', "BOOLEAN", "a boolean", expected);
    arrays(expected);
    objects(expected);
    out.append("      default -> throw Wire.unexpected(in, \"")
        .append(String.join(" or ", expected))
        .append("\");\n    };\n  }\n\n");
    List<Structure> structures = types.structuresIn(union);
    if (structures.size() > 1) {
      out.append(chooser(structures));
    }
    out.append("  static void write(JsonWriter out, ").append(name).append(" value) {\n");
    String otherwise = "    ";
    for (Variant each : union.variants()) {
      String type = each.name().isEmpty() ? each.shape().boxed() : name + "." + each.name();
      out.append(otherwise).append("if (value instanceof ").append(type).append(" it) {\n      ");
      out.append(each.shape().write(each.name().isEmpty() ? "it" : "it.value()"));
      out.append(";\n    }");
      otherwise = " else ";
    }
    return types.protocol().file(Protocol.TYPES, out.append("\n  }\n}\n").toString());
  }

  private void byKind(char letter, String kind, String phrase, List<String> expected) {
    for (Variant each : leaves(union)) {
      if (each.shape().letter() == letter) {
        String read = each.shape().read();
        out.append("      case ").append(kind).append(" -> ");
        out.append(each.name().isEmpty() ? read : "new " + each.name() + "(" + read + ")");
        out.append(";\n");
        expected.add(phrase);
        return;
      }
    }
  }

  /** Returns the variants that are no unions, with the full names of their wrappers. */
  private List<Variant> leaves(Union of) {
    List<Variant> leaves = new ArrayList<>();
    for (Variant each : of.variants()) {
      Union inner = types.unions.get(each.shape().boxed());
      if (each.name().isEmpty() && inner != null) {
        leaves.addAll(leaves(inner));
      } else {
        leaves.add(
            new Variant(each.shape(), each.name().isEmpty() ? "" : of.name() + "." + each.name()));
      }
    }
    return leaves;
  }

  /** The element of a list decides which of several lists it is. */
  private void arrays(List<String> expected) {
    List<Variant> lists =
        leaves(union).stream().filter(each -> each.shape().letter() == 'a').toList();
    if (lists.isEmpty()) {
      return;
    }
    expected.add("an array");
    out.append("      case ARRAY -> ");
    if (lists.size() > 1) {
      List<Structure> elements = lists.stream()
          .map(
              each -> types.structure(((Shape.Container) each.shape()).element().boxed()))
          .toList();
      List<Structure> order = ordered(elements);
      for (Structure each : order.subList(0, order.size() - 1)) {
        Variant list = lists.get(elements.indexOf(each));
        out.append("Wire.firstHas(in, \"")
            .append(String.join("\", \"", required(each).keySet()))
            .append("\")\n          ? new ")
            .append(list.name())
            .append('(')
            .append(list.shape().read())
            .append(")\n          : ");
      }
      lists = List.of(lists.get(elements.indexOf(order.get(order.size() - 1))));
    }
    Variant last = lists.get(0);
    out.append("new ")
        .append(last.name())
        .append('(')
        .append(last.shape().read())
        .append(");\n");
  }

  private void objects(List<String> expected) {
    List<Structure> structures = types.structuresIn(union);
    String object = null;
    for (Variant each : leaves(union)) {
      if (each.shape() == Shape.Scalar.JSON) {
        object = "new " + each.name() + "(" + each.shape().read() + ")";
      }
    }
    if (!structures.isEmpty()) {
      object = structures.size() > 1 ? "object(in)" : structures.get(0).name() + ".read(in)";
    }
    if (object != null) {
      expected.add("an object");
      out.append("      case OBJECT -> ").append(object).append(";\n");
    }
  }

  /** Returns the required members of a structure with the kinds of their values. */
  private Map<String, Character> required(Structure structure) {
    Map<String, Character> required = new LinkedHashMap<>();
    for (Member each : types.members(structure)) {
      if (!each.optional()) {
        required.put(each.name(), each.nullable() ? '*' : each.shape().letter());
      }
    }
    return required;
  }

  private List<String> literals(Structure structure) {
    return types.members(structure).stream()
        .map(Member::literal)
        .filter(each -> !each.isEmpty())
        .toList();
  }

  /** Returns the name of the member that marks the structures. */
  private String tag(List<Structure> structures) {
    return structures.stream()
        .flatMap(each -> types.members(each).stream())
        .filter(each -> !each.literal().isEmpty())
        .findFirst()
        .orElseThrow()
        .name();
  }

  /**
   * Returns the structures in the order in which they are tried: those with a literal, then those
   * with more required members; of two with the same number the one with members that fewer others
   * have, then the one that fits more values of a member, and then the one with more members.
   */
  private List<Structure> ordered(List<Structure> structures) {
    return structures.stream()
        .sorted(comparingInt((Structure each) -> -literals(each).size())
            .thenComparingInt(each -> -required(each).size())
            .thenComparingInt(each -> shared(each, structures))
            .thenComparingInt(each -> -loose(each, structures))
            .thenComparingInt(each -> -types.members(each).size()))
        .toList();
  }

  private int shared(Structure structure, List<Structure> among) {
    int shared = 0;
    for (Structure other : among) {
      List<String> names = types.members(other).stream().map(Member::name).toList();
      shared +=
          other != structure && required(structure).keySet().stream().anyMatch(names::contains)
              ? 1
              : 0;
    }
    return shared;
  }

  /** Returns the number of required members that fit more values than in another structure. */
  private int loose(Structure structure, List<Structure> among) {
    return (int) required(structure).entrySet().stream()
        .filter(each -> each.getValue() == '*')
        .filter(each -> among.stream()
            .anyMatch(other -> required(other).getOrDefault(each.getKey(), '*') != '*'))
        .count();
  }

  /**
   * Returns the names of the members by which a structure is chosen before the others: those that
   * it requires, without those that all others require too.
   */
  private List<String> chosenBy(Structure structure, List<Structure> others) {
    List<String> required = List.copyOf(required(structure).keySet());
    List<String> own = required.stream()
        .filter(name -> others.stream().anyMatch(other -> !required(other).containsKey(name)))
        .toList();
    return own.isEmpty() ? required : own;
  }

  private String names(List<Structure> structures, List<String> lookedFor) {
    StringBuilder source = new StringBuilder(
        "  private static final MemberNames NAMES = MemberNames.of(UnknownMembers.IGNORE");
    StringBuilder kinds = new StringBuilder();
    for (String name : lookedFor) {
      source.append(", \"").append(name).append('"');
      List<Character> letters = structures.stream()
          .map(each -> required(each).get(name))
          .filter(each -> each != null)
          .distinct()
          .toList();
      kinds.append(letters.size() == 1 ? letters.get(0) : '*');
    }
    source.append(");\n\n  /** The kinds of the values; see {@link Wire#look}. */\n");
    return source
        .append("  private static final String KINDS = \"" + kinds + "\";\n\n")
        .toString();
  }

  /**
   * Returns the method that chooses among the structures by their required members, with the
   * constants that it needs. Any object is read as the last of them, and the error is that of the
   * union if a required member is missing there.
   */
  private String chooser(List<Structure> structures) {
    List<Structure> order = ordered(structures);
    Structure last = order.get(order.size() - 1);
    String expected = order.stream().map(this::described).collect(Collectors.joining(", "));
    if (isOnePass(order)) {
      return RecordWriter.either(
          types,
          union.name(),
          order.get(0),
          last,
          chosenBy(order.get(0), order.subList(1, 2)),
          "throw Wire.noVariant(in, \"" + expected + "\");");
    }
    Map<Structure, List<String>> chosenBy = new LinkedHashMap<>();
    for (int i = 0; i < order.size() - 1; i++) {
      if (literals(order.get(i)).isEmpty()) {
        chosenBy.put(order.get(i), chosenBy(order.get(i), order.subList(i + 1, order.size())));
      }
    }
    List<String> names =
        chosenBy.values().stream().flatMap(List::stream).distinct().toList();
    StringBuilder source = new StringBuilder();
    source.append("  private static ").append(union.name()).append(" object(JsonReader in) {\n");
    if (order.stream().anyMatch(each -> !literals(each).isEmpty())) {
      source.append("    String kind = Wire.tag(in, TAG);\n");
      source.insert(
          0,
          "  private static final MemberNames TAG = MemberNames.of(UnknownMembers.IGNORE, \""
              + tag(order) + "\");\n\n");
    }
    if (!names.isEmpty()) {
      source.insert(0, names(structures, names));
      source.append("    long has = Wire.look(NAMES, KINDS, in);\n");
    }
    for (Structure each : order) {
      List<String> literals = literals(each);
      if (each == last && literals.isEmpty()) {
        break;
      }
      source.append("    if (");
      if (literals.isEmpty()) {
        long mask = 0;
        for (String name : chosenBy.get(each)) {
          mask |= 1L << names.indexOf(name);
        }
        source.append("(has & 0x%xL) == 0x%xL".formatted(mask, mask));
      } else {
        source.append("kind.equals(\"" + literals.get(0) + "\")");
      }
      source.append(") {\n      return ").append(each.name()).append(".read(in);\n    }\n");
    }
    if (!literals(last).isEmpty()) {
      source.append(leaves(union).stream()
          .filter(each -> each.shape() == Shape.Scalar.JSON)
          .findFirst()
          .map(each -> "    return new " + each.name() + "(Wire.json(in));\n")
          .orElse("    throw Wire.noVariant(in, \"" + expected + "\");\n"));
    } else if (required(last).isEmpty()) {
      source.append("    return ").append(last.name()).append(".read(in);\n");
    } else {
      source.append("    int start = in.position();\n    try {\n      return ");
      source.append(last.name()).append(".read(in);\n    } catch (JsonException e) {\n");
      source.append("      in.position(start);\n      throw Wire.hasAll(in, \"");
      source.append(String.join("\", \"", required(last).keySet()));
      source.append("\") ? e : Wire.noVariant(in, \"").append(expected).append("\");\n    }\n");
    }
    return source.append("  }\n\n").toString();
  }

  /**
   * Returns whether a union has two structures of which the first has all members of the second,
   * and requires others, too. So one pass reads both, however long the members are.
   */
  private boolean isOnePass(List<Structure> order) {
    if (order.size() != 2 || order.stream().anyMatch(each -> !literals(each).isEmpty())) {
      return false;
    }
    List<Member> all = types.members(order.get(0));
    List<String> chosenBy = chosenBy(order.get(0), order.subList(1, 2));
    return types.members(order.get(1)).stream()
            .allMatch(part -> all.stream()
                .anyMatch(each -> each.name().equals(part.name())
                    && each.shape().equals(part.shape())
                    && each.optional() == part.optional()
                    && each.nullable() == part.nullable()))
        && all.stream()
            .filter(each -> chosenBy.contains(each.name()))
            .allMatch(each -> each.isPresent()
                && !each.shape().isPrimitive()
                && !required(order.get(1)).containsKey(each.name()));
  }

  /** Returns the name of a structure and its required members, for an error message. */
  private String described(Structure structure) {
    String members = types.members(structure).stream()
        .filter(each -> !each.optional())
        .map(each ->
            each.literal().isEmpty() ? each.name() : each.name() + " '" + each.literal() + "'")
        .collect(Collectors.joining(", "));
    return structure.name() + " {" + members + "}";
  }
}
