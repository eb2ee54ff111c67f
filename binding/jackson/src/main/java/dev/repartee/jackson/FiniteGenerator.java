package dev.repartee.jackson;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.util.JsonGeneratorDelegate;

/** Refuses to write NaN and infinite numbers, as core does. Jackson would write strings instead. */
final class FiniteGenerator extends JsonGeneratorDelegate {
  FiniteGenerator(JsonGenerator generator) {
    super(generator);
  }

  @Override
  public JsonGenerator writeNumber(double value) {
    return super.writeNumber(finite(value));
  }

  @Override
  public JsonGenerator writeNumber(float value) {
    finite(value);
    return super.writeNumber(value);
  }

  @Override
  public JsonGenerator writeArray(double[] values, int offset, int length) {
    for (int i = offset; i < offset + length; i++) {
      finite(values[i]);
    }
    return super.writeArray(values, offset, length);
  }

  private static double finite(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException(value + " is not a JSON number");
    }
    return value;
  }
}
