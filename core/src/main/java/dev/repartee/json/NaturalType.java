package dev.repartee.json;

import org.jspecify.annotations.Nullable;

/**
 * The type {@code Object}. The JSON text decides which class is read: null, {@code Boolean}, {@code
 * Long} or {@code BigInteger}, {@code Double} if it is exact and otherwise {@code BigDecimal},
 * {@code String}, {@code List}, {@code Map}. The class of the value decides how it is written.
 */
final class NaturalType extends StreamingType<@Nullable Object> {
  private final JsonTypes types;
  private final ListType<@Nullable Object> list = new ListType<>(false, this);
  private final MapType<@Nullable Object> map = new MapType<>(this);

  /** Creates the type of a registry, which writes the values by their classes. */
  NaturalType(JsonTypes types) {
    this.types = types;
  }

  @Override
  public @Nullable Object read(JsonReader c) {
    return switch (Json.Kind.of(c.bytes[c.at])) {
      case OBJECT -> map.read(c);
      case ARRAY -> list.read(c);
      case STRING -> c.readString();
      case BOOLEAN -> Scalars.readBoolean(c);
      case NUMBER -> Decimals.readNatural(c);
      case NULL -> c.nothing();
    };
  }

  @Override
  public void write(JsonWriter out, @Nullable Object value) {
    types.write(out, value);
  }
}
