package dev.repartee.examples.guides;

import dev.repartee.json.Binder;
import java.math.BigInteger;

record Quantity(BigInteger value) {
  static final Binder HEX = Binder.text(
      Quantity.class, "a quantity such as \"0x1f\"", Quantity::parse, Quantity::toString);

  static Quantity of(long value) {
    return new Quantity(BigInteger.valueOf(value));
  }

  static Quantity parse(String text) {
    if (!text.matches("0x[0-9a-fA-F]{1,64}")) {
      throw new IllegalArgumentException(text);
    }
    return new Quantity(new BigInteger(text.substring(2), 16));
  }

  @Override
  public String toString() {
    return "0x" + value.toString(16);
  }
}
