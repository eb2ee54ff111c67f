package dev.repartee.examples.guides;

import dev.repartee.json.*;
import java.lang.reflect.Type;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

public final class Quantity {
  private final BigInteger value;

  private Quantity(BigInteger value) {
    this.value = value;
  }

  public static Quantity of(long value) {
    return new Quantity(BigInteger.valueOf(value));
  }

  public BigInteger value() {
    return value;
  }

  @Override
  public String toString() {
    return "0x" + value.toString(16);
  }

  public static final class Hex implements Binder, JsonType<Quantity> {
    @Override
    public @Nullable JsonType<?> bind(Type type, JsonTypes types) {
      return type == Quantity.class ? this : null;
    }

    @Override
    public Quantity read(byte[] bytes, int from, int to) {
      String text = JsonType.of(String.class).read(bytes, from, to);
      if (!text.matches("0x[0-9a-fA-F]{1,64}")) {
        throw new JsonException("expected a quantity such as \"0x1f\"");
      }
      return new Quantity(new BigInteger(text.substring(2), 16));
    }

    @Override
    public void write(JsonWriter out, Quantity value) {
      out.string(value.toString());
    }
  }
}
