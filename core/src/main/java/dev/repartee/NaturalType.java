package dev.repartee;

import org.jspecify.annotations.Nullable;

/**
 * {@code Object}: reads what the text itself suggests - null, {@code Boolean}, {@code Long} or {@code
 * BigInteger}, {@code Double} where it keeps the value and else {@code BigDecimal}, {@code String},
 * {@code List}, {@code Map} - and writes by the class of the value.
 */
final class NaturalType extends Structured<@Nullable Object> {
  static final NaturalType INSTANCE = new NaturalType();

  private final ListType<@Nullable Object> list = new ListType<>(false, this);
  private final MapType<@Nullable Object> map = new MapType<>(this);

  private NaturalType() {}

  @Override
  @Nullable Object read(Cursor c) {
    int from = c.at;
    switch (Json.Kind.of(c.bytes[from])) {
      case OBJECT -> {
        return map.read(c);
      }
      case ARRAY -> {
        return list.read(c);
      }
      default -> c.at = Scanner.skip(c.bytes, from);
    }
    return switch (c.bytes[from]) {
      case '"' -> Text.string(c.bytes, from, c.at);
      case 't' -> true;
      case 'f' -> false;
      case 'n' -> null;
      default -> Decimals.readNatural(c.bytes, from, c.at);
    };
  }

  @Override
  public void write(Output out, @Nullable Object value) {
    Types.write(out, value);
  }
}
