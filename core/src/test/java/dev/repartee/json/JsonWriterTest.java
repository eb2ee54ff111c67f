package dev.repartee.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@NullMarked
class JsonWriterTest {
  private static String text(double value) {
    return new JsonWriter().number(value).toString();
  }

  /** Returns non-integers of every kind: with few digits and many, large, small and tiny. */
  private static DoubleStream fractions() {
    Random random = new Random(1);
    return random
        .longs(50_000)
        .mapToObj(bits -> DoubleStream.of(
            Double.longBitsToDouble(bits),
            (bits >> 20) / Math.pow(10, bits & 15),
            (int) bits / Math.pow(10, bits & 7),
            Math.nextUp((short) bits / 1e3),
            (bits >>> 11) * 0x1p-53))
        .flatMapToDouble(values -> values)
        .filter(value -> Double.isFinite(value) && value != Math.rint(value));
  }

  @Test
  void aDoubleIsWrittenAsTheShortestTextThatReadsAsThatDouble() {
    assertThat(fractions().filter(value -> {
          String text = text(value);
          return Double.parseDouble(text) != value
              || text.length() > Double.toString(value).length()
              || Runtime.version().feature() > 18 && !text.equals(Double.toString(value));
        }))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "0.5,0.5",
    "-0.001,-0.001",
    "0.002,0.002", // 0.0020 before JDK 19
    "1234567.12345678,1234567.12345678",
    "9999999.99999999,9999999.99999999",
    "9999999.999999998,9999999.999999998",
    "0.000999,9.99E-4",
    "12345678.5,1.23456785E7",
    "0.1000000000000001,0.1000000000000001",
    "-0.0,-0.0",
    "19.0,19",
    "1e15,1.0E15",
    "1.7976931348623157e308,1.7976931348623157E308",
    "4.9e-324,4.9E-324"
  })
  void aDoubleHasAFractionOrAnExponentOnlyWhereItNeedsOne(double value, String text) {
    assertThat(text(value)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "exactly8",
        "a \"quote\"",
        "\\",
        "\u0000\b\t\n\f\r\u001f",
        "\u007f",
        "caf\u00e9 \u20ac \ud83d\ude00",
        "lone \ud83d surrogate",
        "\ude00"
      })
  void aStringIsReadAsItWasWritten(String text) {
    assertThat(Json.parse(new JsonWriter(0).string(text).toString()).as(String.class))
        .isEqualTo(text);
    CharSequence other = new StringBuilder(text);
    assertThat(new JsonWriter().string(other).toString())
        .isEqualTo(new JsonWriter().string(text).toString());
  }
}
