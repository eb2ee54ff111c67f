package dev.repartee.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The type of an enum without a binder, or with an {@link OneOf.Name} on a constant. */
final class EnumType extends StreamingType<@Nullable Enum<?>> {
  private final Class<?> declared;
  private final JsonTypes types;
  private final Map<String, Enum<?>> constants = new HashMap<>();

  /** The names by the ordinals of the constants. */
  private final List<String> names = new ArrayList<>();

  private final Json schema;

  /**
   * Creates the type of an enum.
   *
   * @param names the names of the constants in JSON; a constant without an entry has its own
   * @throws IllegalArgumentException if two constants have one name
   */
  EnumType(Class<?> declared, JsonTypes types, Map<String, String> names) {
    this.declared = declared;
    this.types = types;
    for (Object each : declared.getEnumConstants()) {
      Enum<?> constant = (Enum<?>) each;
      String name = names.getOrDefault(constant.name(), constant.name());
      if (constants.put(name, constant) != null) {
        throw new IllegalArgumentException(
            declared.getTypeName() + ": two constants have the name '" + name + "' in JSON");
      }
      this.names.add(name);
    }
    JsonWriter out = new JsonWriter().ascii("{\"enum\":[");
    for (int i = 0; i < this.names.size(); i++) {
      out.ascii(i == 0 ? "" : ",").string(this.names.get(i));
    }
    this.schema = Schemas.json(out.ascii("]}"));
  }

  @Override
  public @Nullable Enum<?> read(JsonReader c) {
    if (c.isNull()) {
      return null;
    } else if (c.bytes[c.at] != '"') {
      throw JsonException.expected(Forms.choice(names), c.bytes, c.at);
    }
    Enum<?> constant = constants.get(c.readString());
    if (constant == null) {
      throw JsonException.unfit("expected " + Forms.choice(names) + ", got another string");
    }
    return constant;
  }

  @Override
  public void write(JsonWriter out, @Nullable Enum<?> value) {
    if (value == null) {
      out.nil();
    } else {
      out.string(names.get(value.ordinal()));
    }
  }

  @Override
  public Json schema() {
    return schema;
  }

  @Override
  public Json schema(SchemaDefinitions definitions) {
    return definitions.named(declared, types, this::schema);
  }
}
