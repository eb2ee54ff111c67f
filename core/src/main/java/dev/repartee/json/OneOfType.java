package dev.repartee.json;

import dev.repartee.internal.Names;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The type of a sealed interface; see {@link OneOf}. Reads a value in two steps: it looks for the
 * permitted type, without reading values inside of the value, and then reads the value as this type.
 * No type is tried, and {@link JsonReader#look} bounds the time: looks at alternatives inside of
 * alternatives skip each byte twice, and not once for each level.
 */
final class OneOfType extends StreamingType<@Nullable Object> implements TypeResolver.Part {
  /**
   * A permitted type.
   *
   * @param name the name that the member has for it
   */
  record Alternative(Class<?> raw, String name, JsonType<@Nullable Object> type) {}

  /**
   * The permitted types by the names that the member has for them, and by the classes that they
   * write; with the permitted types of the permitted interfaces.
   */
  private record Table(
      Names names,
      List<JsonType<@Nullable Object>> named,
      Map<Class<?>, JsonType<@Nullable Object>> byClass) {}

  private final Type declared;
  private final JsonTypes types;
  private final String member;

  /** Finds the member in an object; null if the form decides. */
  private final @Nullable MemberNames label;

  /** Set before the type is published, since a permitted type may contain this one. */
  private List<Alternative> alternatives = List.of();

  private @Nullable Json schema;

  // Null until they are needed: they depend on all types of this resolution. A race creates equal
  // ones.
  private @Nullable Table table;
  private @Nullable Forms forms;

  /** Creates the type without the permitted types. */
  OneOfType(Type declared, JsonTypes types, String member) {
    this.declared = declared;
    this.types = types;
    this.member = member;
    this.label = member.isEmpty() ? null : new MemberNames(UnknownMembers.IGNORE, List.of(member));
  }

  void describe(List<Alternative> alternatives) {
    this.alternatives = List.copyOf(alternatives);
  }

  String member() {
    return member;
  }

  List<Alternative> alternatives() {
    return alternatives;
  }

  @Override
  public void drawSchema() {
    schema = draw(JsonType::schema);
  }

  /**
   * Checks the permitted types together.
   *
   * @throws IllegalArgumentException if two of them have one name, one has no place for the member,
   *     or a value would be read as this type without end
   */
  @Override
  public void check() {
    try {
      table();
      forms();
      if (!member.isEmpty()) {
        requireRecords(this);
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(declared.getTypeName() + ": " + e.getMessage(), e);
    }
  }

  private void requireRecords(OneOfType part) {
    for (Alternative alternative : part.alternatives) {
      if (alternative.type() instanceof OneOfType inner) {
        requireRecords(inner);
      } else if (!(alternative.type() instanceof RecordType)) {
        throw new IllegalArgumentException(alternative.raw().getSimpleName()
            + " has no place for the member '" + member + "', since its JSON is not the object of a"
            + " plain record");
      }
    }
  }

  private Table table() {
    Table known = table;
    if (known == null) {
      Map<String, JsonType<@Nullable Object>> named = new LinkedHashMap<>();
      Map<Class<?>, JsonType<@Nullable Object>> byClass = new HashMap<>();
      collect(this, named, byClass);
      known = new Table(
          new Names(List.copyOf(named.keySet())), List.copyOf(named.values()), Map.copyOf(byClass));
      table = known;
    }
    return known;
  }

  private void collect(
      OneOfType part,
      Map<String, JsonType<@Nullable Object>> named,
      Map<Class<?>, JsonType<@Nullable Object>> byClass) {
    for (Alternative alternative : part.alternatives) {
      if (alternative.type() instanceof OneOfType inner && inner.member.equals(member)) {
        collect(inner, named, byClass);
        continue;
      }
      byClass.put(alternative.raw(), alternative.type());
      if (named.put(alternative.name(), alternative.type()) != null && !member.isEmpty()) {
        throw new IllegalArgumentException("two permitted types have the name '"
            + alternative.name() + "'; change one with @OneOf.Name");
      }
    }
  }

  @Override
  public @Nullable Object read(JsonReader c) {
    if (c.isNull()) {
      return null;
    }
    int start = c.at;
    c.look();
    JsonType<@Nullable Object> type = label == null ? forms().find(c) : find(c, label);
    c.looked(start);
    return c.value(type);
  }

  /** Returns the type that the member names. */
  private JsonType<@Nullable Object> find(JsonReader c, MemberNames label) {
    byte[] bytes = c.bytes;
    if (bytes[c.at] != '{') {
      throw JsonException.expected("an object with the member '" + member + "'", bytes, c.at);
    }
    Table known = table();
    if (label.first(c) < 0) {
      throw JsonException.unfit("missing: " + member + ", which is " + choice(known));
    } else if (bytes[c.at] != '"') {
      throw label.in(0, JsonException.expected(choice(known), bytes, c.at));
    }
    int end = JsonScanner.skipString(bytes, c.at) - 1;
    int index = known.names.find(bytes, c.at + 1, end, 0);
    if (index < 0) {
      throw label.in(0, JsonException.unfit("expected " + choice(known) + ", got another string"));
    }
    return known.named.get(index);
  }

  private static String choice(Table table) {
    return Forms.choice(
        IntStream.range(0, table.names.count()).mapToObj(table.names::at).toList());
  }

  @Override
  public void write(JsonWriter out, @Nullable Object value) {
    if (value == null) {
      out.nil();
      return;
    }
    Class<?> type =
        value instanceof Enum<?> constant ? constant.getDeclaringClass() : value.getClass();
    JsonType<@Nullable Object> writer = table().byClass.get(type);
    (writer == null ? ofInterface(value) : writer).write(out, value);
  }

  /** Returns the permitted interface of a value. */
  private JsonType<@Nullable Object> ofInterface(Object value) {
    for (Alternative alternative : alternatives) {
      if (alternative.raw().isInstance(value)) {
        return alternative.type();
      }
    }
    throw new ClassCastException(
        value.getClass() + " is no permitted type of " + declared.getTypeName());
  }

  @Override
  public Json schema() {
    return schema == null ? Json.TRUE : schema;
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return definitions.named(declared, types, () -> draw(type -> type.schema(definitions)));
  }

  private Json draw(Function<JsonType<?>, Json> schemas) {
    return Schemas.oneOf(alternatives.stream()
        .map(alternative -> schemas.apply(alternative.type()))
        .toList());
  }

  private Forms forms() {
    Forms known = forms;
    if (known == null) {
      known = new Forms(this);
      forms = known;
    }
    return known;
  }
}
