package dev.repartee.json;

import dev.repartee.internal.Names;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The forms of the permitted types of a {@link OneOfType}: all that can be seen of a value without
 * reading the values inside of it. They are derived from the schemas of the types. Immutable.
 */
final class Forms {
  /** The maximum number of forms or names that an error message lists. */
  private static final int LISTED = 20;

  /**
   * One form of the values of a type.
   *
   * @param kinds the kinds of the values
   * @param texts the strings that are possible; null if any string is
   * @param members the members of an object
   * @param open whether an object may have other members
   * @param required the members that an object must have
   */
  private record Form(
      JsonType<@Nullable Object> type,
      Set<Json.Kind> kinds,
      @Nullable Set<String> texts,
      Set<String> members,
      boolean open,
      Set<String> required) {
    /** Returns the form as error messages describe it. */
    String phrase() {
      if (texts != null) {
        return choice(List.copyOf(texts));
      } else if (kinds.contains(Json.Kind.OBJECT) && !required.isEmpty()) {
        return "an object with " + String.join(", ", required);
      }
      return kinds.stream().map(Json.Kind::phrase).collect(Collectors.joining(" or "));
    }
  }

  /** The members of a form as sets of bits, by their numbers in {@link #names}. */
  private record Members(Form form, long[] required, long[] known) {}

  private final List<Form> all = new ArrayList<>();
  private final Map<Json.Kind, List<Form>> byKind = new EnumMap<>(Json.Kind.class);

  /** The members that any form of an object names. */
  private final Names names;

  private final List<Members> objects;

  /**
   * Derives the forms.
   *
   * @throws IllegalArgumentException if a value of the type could be a value of the type again
   *     without an array or object in between
   */
  Forms(OneOfType type) {
    add(type, type, new LinkedHashSet<>());
    for (Form form : all) {
      for (Json.Kind kind : form.kinds) {
        byKind.computeIfAbsent(kind, k -> new ArrayList<>()).add(form);
      }
    }
    // Forms of one type need no choice: its own message names the fault of a value better.
    byKind.replaceAll((kind, forms) ->
        forms.stream().map(Form::type).distinct().count() == 1 ? forms.subList(0, 1) : forms);
    List<Form> objects = byKind.getOrDefault(Json.Kind.OBJECT, List.of());
    List<String> members = objects.stream()
        .flatMap(form -> Stream.concat(form.members.stream(), form.required.stream()))
        .distinct()
        .toList();
    this.names = new Names(members);
    this.objects = objects.stream()
        .map(form -> new Members(form, bits(members, form.required), bits(members, form.members)))
        .toList();
  }

  private static long[] bits(List<String> all, Set<String> some) {
    long[] bits = new long[(all.size() + Long.SIZE - 1) / Long.SIZE];
    for (int i = 0; i < all.size(); i++) {
      if (some.contains(all.get(i))) {
        bits[i / Long.SIZE] |= 1L << i;
      }
    }
    return bits;
  }

  /** Refuses a type that contains itself without an array or object in between. */
  static void requireEnd(JsonType<?> type) {
    requireEnd(type, new LinkedHashSet<>());
  }

  private static void requireEnd(JsonType<?> type, Set<JsonType<?>> path) {
    if (!path.add(type)) {
      throw new IllegalArgumentException("a value would be read as the same type without end");
    }
    inside(type).forEach(each -> requireEnd(each, path));
    path.remove(type);
  }

  /** Returns the types with the same JSON: alternatives, or the component of an inline type. */
  private static List<JsonType<@Nullable Object>> inside(JsonType<?> type) {
    if (type instanceof OneOfType one) {
      return one.alternatives().stream().map(OneOfType.Alternative::type).toList();
    } else if (type instanceof InlineType<?> inline) {
      return List.of(inline.component());
    }
    return type instanceof OptionalType<?, ?> optional ? List.of(optional.inner()) : List.of();
  }

  /**
   * Adds the forms of a type.
   *
   * @param reader the type that reads the values
   */
  @SuppressWarnings("unchecked") // a JsonType is only used with the Java type it was made from
  private void add(JsonType<?> type, JsonType<?> reader, Set<JsonType<?>> path) {
    List<JsonType<@Nullable Object>> inside = inside(type);
    if (inside.isEmpty()) {
      add(type.schema(), (JsonType<@Nullable Object>) reader);
      return;
    } else if (!path.add(type)) {
      throw new IllegalArgumentException("a value would be read as the same type without end");
    }
    for (JsonType<@Nullable Object> each : inside) {
      // Only the member, and not the form, distinguishes the types below an interface with a
      // member.
      boolean direct = path.size() == 1
          || type instanceof OneOfType one && one.member().isEmpty() && reader == type;
      add(each, direct ? each : reader, path);
    }
    path.remove(type);
  }

  private void add(Json schema, JsonType<@Nullable Object> type) {
    for (String union : new String[] {"anyOf", "oneOf"}) {
      Json alternatives = schema.get(union);
      if (alternatives != null) {
        alternatives.elements().forEach(each -> add(each, type));
        return;
      }
    }
    Set<String> texts = texts(schema);
    Json properties = schema.get("properties");
    Json required = schema.get("required");
    boolean open = !Json.FALSE.equals(schema.get("additionalProperties"));
    all.add(new Form(
        type,
        texts != null ? EnumSet.of(Json.Kind.STRING) : kinds(schema.get("type")),
        texts,
        properties == null ? Set.of() : properties.members().keySet(),
        open,
        required == null ? Set.of() : new LinkedHashSet<>(strings(required))));
  }

  private static @Nullable Set<String> texts(Json schema) {
    Json constant = schema.get("const");
    List<Json> values = constant != null
        ? List.of(constant)
        : schema.get("enum") == null
            ? List.of()
            : Objects.requireNonNull(schema.get("enum")).elements();
    return values.isEmpty() || values.stream().anyMatch(v -> v.kind() != Json.Kind.STRING)
        ? null
        : values.stream()
            .map(value -> value.as(String.class))
            .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private static Set<Json.Kind> kinds(@Nullable Json type) {
    if (type == null || type.kind() != Json.Kind.STRING) {
      return EnumSet.allOf(Json.Kind.class);
    }
    return switch (type.as(String.class)) {
      case "object" -> EnumSet.of(Json.Kind.OBJECT);
      case "array" -> EnumSet.of(Json.Kind.ARRAY);
      case "string" -> EnumSet.of(Json.Kind.STRING);
      case "boolean" -> EnumSet.of(Json.Kind.BOOLEAN);
      case "null" -> EnumSet.of(Json.Kind.NULL);
      default -> EnumSet.of(Json.Kind.NUMBER);
    };
  }

  private static List<String> strings(Json array) {
    return array.elements().stream().map(each -> each.as(String.class)).toList();
  }

  /**
   * Returns the type of the first form that fits the value at the reader's position. Moves the
   * reader.
   *
   * @throws JsonException if no form fits
   */
  JsonType<@Nullable Object> find(JsonReader c) {
    Json.Kind kind = c.kind();
    List<Form> possible = byKind.getOrDefault(kind, List.of());
    Form found = possible.isEmpty()
        ? null
        : possible.size() == 1
            ? possible.get(0)
            : switch (kind) {
              case OBJECT -> ofObject(c);
              case STRING -> ofString(c, possible);
              default -> possible.get(0);
            };
    if (found == null) {
      throw JsonException.unfit("expected " + phrase() + ", got "
          + (possible.isEmpty()
              ? kind.phrase()
              : kind == Json.Kind.OBJECT ? "an object with other members" : "another string"));
    }
    return found.type;
  }

  private static @Nullable Form ofString(JsonReader c, List<Form> possible) {
    String text = null;
    for (Form form : possible) {
      if (form.texts == null) {
        return form;
      }
      text = text == null ? c.readString() : text;
      if (form.texts.contains(text)) {
        return form;
      }
    }
    return null;
  }

  private @Nullable Form ofObject(JsonReader c) {
    long[] present = new long[(names.count() + Long.SIZE - 1) / Long.SIZE];
    boolean others = false;
    c.enterObject();
    for (int guess = 0; c.more(); guess++) {
      int from = c.at + 1;
      int member = names.find(c.bytes, from, c.name(), guess);
      if (member < 0) {
        others = true;
      } else {
        present[member / Long.SIZE] |= 1L << member;
        guess = member;
      }
      c.skip();
    }
    Form lenient = null;
    for (Members members : objects) {
      if (containsAll(present, members.required)) {
        if (members.form.open || !others && containsAll(members.known, present)) {
          return members.form;
        }
        lenient = lenient == null ? members.form : lenient;
      }
    }
    return c.unknown() == UnknownMembers.IGNORE ? lenient : null;
  }

  private static boolean containsAll(long[] bits, long[] some) {
    for (int i = 0; i < bits.length; i++) {
      if ((some[i] & ~bits[i]) != 0) {
        return false;
      }
    }
    return true;
  }

  private String phrase() {
    return joined(all.stream().map(Form::phrase).distinct().toList());
  }

  /** Returns names as error messages list the possible ones. */
  static String choice(List<String> names) {
    return joined(names.stream().map(name -> '"' + name + '"').toList());
  }

  private static String joined(List<String> parts) {
    if (parts.size() > LISTED) {
      return String.join(", ", parts.subList(0, LISTED)) + ", or another";
    }
    int last = parts.size() - 1;
    return last < 1
        ? String.join("", parts)
        : String.join(", ", parts.subList(0, last)) + " or " + parts.get(last);
  }
}
