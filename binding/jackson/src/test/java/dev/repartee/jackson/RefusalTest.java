package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.repartee.jackson.BindingTest.Side;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.limits.Limits;
import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.DatabindException;

@NullMarked
class RefusalTest {
  enum Color {
    RED,
    GREEN
  }

  record Point(int x, @JsonProperty("y") long y) {
    Point {
      if (x > 1_000) {
        throw new IllegalArgumentException("secret of " + Point.class);
      }
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes(@JsonSubTypes.Type(value = Cat.class, name = "cat"))
  interface Animal {}

  record Cat(String name) implements Animal {}

  static final class Bean {
    public @Nullable Point point;
    public int number;
    public @Nullable Integer boxed;
    public byte small;
    public double real;
    public boolean flag;
    public @Nullable String text;
    public @Nullable Color color;
    public @Nullable Instant time;
    public @Nullable LocalDate date;
    public @Nullable UUID uuid;
    public @Nullable URI uri;
    public @Nullable BigDecimal decimal;
    public @Nullable List<Point> points;
    public @Nullable Map<Color, Integer> colors;
    public @Nullable Animal animal;
    public @Nullable Side side;
    public @Nullable Parsed parsed;
    public @Nullable Class<?> type;
  }

  static final class Parsed {
    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    Parsed(String text) {
      throw new IllegalStateException("secret " + text);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|expected an object, got an array",
        "\"x\"|expected an object, got a string",
        "{\"number\":\"1\"}|member 'number': expected an integer from -2147483648 to 2147483647, got a string",
        "{\"number\":1.0}|member 'number': expected an integer from -2147483648 to 2147483647, got another number",
        "{\"number\":99999999999}|member 'number': expected an integer from -2147483648 to 2147483647, got another number",
        "{\"number\":null}|member 'number': expected an integer from -2147483648 to 2147483647, got null",
        "{\"number\":true}|member 'number': expected an integer from -2147483648 to 2147483647, got a boolean",
        "{\"number\":[1]}|member 'number': expected an integer from -2147483648 to 2147483647, got an array",
        "{\"boxed\":\"\"}|member 'boxed': expected an integer from -2147483648 to 2147483647, got a string",
        "{\"number\":10000000000000000000000000000000000000000000000000}|member 'number': expected an integer from -2147483648 to 2147483647, got another number",
        "{\"small\":300}|member 'small': expected an integer from -128 to 127, got another number",
        "{\"small\":200}|member 'small': expected an integer from -128 to 127, got another number",
        "{\"real\":\"NaN\"}|member 'real': expected a number that a double can hold, got a string",
        "{\"real\":1e999}|member 'real': expected a number that a double can hold, got another number",
        "{\"flag\":1}|member 'flag': expected true or false, got a number",
        "{\"flag\":\"true\"}|member 'flag': expected true or false, got a string",
        "{\"text\":1}|member 'text': expected a string, got a number",
        "{\"text\":{}}|member 'text': expected a string, got an object",
        "{\"color\":\"BLUE\"}|member 'color': expected one of \"RED\", \"GREEN\", got another string",
        "{\"color\":0}|member 'color': expected one of \"RED\", \"GREEN\", got a number",
        "{\"color\":\"0\"}|member 'color': expected one of \"RED\", \"GREEN\", got another string",
        "{\"time\":0}|member 'time': expected a time such as 2026-01-31T12:00:00Z, got a number",
        "{\"time\":\"now\"}|member 'time': expected a time such as 2026-01-31T12:00:00Z, got another string",
        "{\"date\":[2026,1,31]}|member 'date': expected a date such as 2026-01-31, got an array",
        "{\"uuid\":\"x\"}|member 'uuid': expected a UUID, got another string",
        "{\"uri\":\"a b\"}|member 'uri': expected a URI, got another string",
        "{\"decimal\":\"1\"}|member 'decimal': expected a number, got a string",
        "{\"decimal\":1e9999}|member 'decimal': expected a number of at most 1000 digits with an exponent from -1000 to 1000, got another number",
        "{\"nobody\":1}|unknown member 'nobody'; known are point, number, boxed, small, real, flag, text, color, time, date, uuid, uri, decimal, points, colors, animal, side, parsed, type",
        "{\"number\":1,\"number\":1}|member 'number' occurs twice",
        "{\"point\":{\"x\":1}}|member 'point': missing: y",
        "{\"point\":{\"x\":1,\"y\":2,\"x\":3}}|member 'point': member 'x' occurs twice",
        "{\"point\":{\"x\":1,\"y\":2,\"z\":3}}|member 'point': unknown member 'z'; known are x, y",
        "{\"point\":{\"x\":null,\"y\":2}}|member 'point': member 'x': expected an integer from -2147483648 to 2147483647, got null",
        "{\"point\":{\"x\":5000,\"y\":2}}|member 'point': the value does not fit",
        "{\"points\":[{\"x\":1,\"y\":2},7]}|member 'points': element 1: expected an object, got a number",
        "{\"points\":{}}|member 'points': expected an array, got an object",
        "{\"colors\":{\"BLUE\":1}}|member 'colors': expected one of \"RED\", \"GREEN\", got another name",
        "{\"animal\":{\"name\":\"Tom\"}}|member 'animal': missing: kind",
        "{\"animal\":{\"kind\":\"dog\",\"name\":\"Tom\"}}|member 'animal': member 'kind': unknown kind; known are cat",
        "{\"animal\":7}|member 'animal': expected an object, got a number",
        "{\"side\":{\"up\":1}}|member 'side': the value does not fit",
        "{\"parsed\":\"x\"}|member 'parsed': the value does not fit",
        "{\"parsed\":7}|member 'parsed': the value does not fit",
      })
  void whatDoesNotFitIsToldWithItsPlaceAndWithoutJava(String text, String told) {
    Json json = Json.parse(text);
    JsonException fault =
        catchThrowableOfType(JsonException.class, () -> json.as((Class<?>) Bean.class));
    assertThat(fault).hasMessage(told);
    assertThat(fault.getMessage()).doesNotContain("java", "jackson", "Bean", "Point", "secret");
  }

  @Test
  void aLongNameIsQuotedInPart() {
    Json json = Json.parse("{\"" + "n".repeat(500) + "\":1}");
    assertThatThrownBy(() -> json.as(Bean.class))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("unknown member '" + "n".repeat(60) + "...'; known are");
  }

  @Test
  void noValueThatDoesNotFitIsTold() {
    int refused = 0;
    for (Field field : Bean.class.getFields()) {
      for (String value : List.of(
          "\"hunter2\"",
          "8675309.25",
          "8675309e300",
          "[\"hunter2\"]",
          "[8675309]",
          "{\"x\":\"hunter2\"}",
          "{\"kind\":\"hunter2\"}",
          "{\"RED\":\"hunter2\"}",
          "[{\"x\":8675309.25}]")) {
        Json json = Json.parse("{\"" + field.getName() + "\":" + value + "}");
        try {
          json.as(Bean.class);
        } catch (JsonException e) {
          assertThat(e.getMessage()).as("%s", json).doesNotContain("hunter2", "8675309");
          refused++;
        } catch (IllegalStateException e) {
          assertThat(field.getType()).isEqualTo(Class.class); // Jackson cannot read it
        }
      }
    }
    assertThat(refused).isGreaterThan(100);
  }

  /** A record that contains itself to any depth. */
  record Nested(@JsonProperty("in") @Nullable Nested in) {}

  @Test
  void nestingIsBoundedInBothDirections() {
    int depth = Limits.DEPTH;
    Json deepest = Json.parse("{\"in\":".repeat(depth) + "null" + "}".repeat(depth));
    Nested read = deepest.as(Nested.class);
    assertThat(Json.of(read)).isEqualTo(deepest);
    assertThatThrownBy(() -> Json.of(new Nested(read)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void numbersAreBounded() {
    Json json = Json.parse("{\"number\":" + "1".repeat(5_000) + "}");
    assertThatThrownBy(() -> json.as(Bean.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("the value nests too deep or holds a text or number that is too long");
  }

  static final class Gadget {
    static int made;

    Gadget() {
      made++;
    }
  }

  static final class Holder {
    public @Nullable Object anything;
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
  interface ByClass {}

  static final class Trojan implements ByClass {
    static int made;

    Trojan() {
      made++;
    }
  }

  @Test
  void aClassNamedByAPeerIsNotInstantiated() {
    String name = "\"" + Gadget.class.getName() + "\"";
    Holder holder =
        Json.parse("{\"anything\":[" + name + ",{\"@class\":" + name + "}]}").as(Holder.class);
    assertThat(holder.anything)
        .isEqualTo(List.of(Gadget.class.getName(), Map.of("@class", Gadget.class.getName())));
    assertThat(Gadget.made).isZero();
  }

  @Test
  void aClassNamedByAPeerIsNotInstantiatedWhereThatWasDeclaredEither() {
    Json json = Json.parse("{\"@class\":\"" + Trojan.class.getName() + "\"}");
    assertThatThrownBy(() -> json.as(ByClass.class)).isInstanceOf(IllegalStateException.class);
    assertThat(Trojan.made).isZero();
    Json type = Json.parse("{\"type\":\"" + Trojan.class.getName() + "\"}");
    assertThatThrownBy(() -> type.as(Bean.class)).isInstanceOf(IllegalStateException.class);
  }

  static final class Silent {
    @SuppressWarnings("unused")
    public void setValue(String value) {
      throw new DatabindException(null, (String) null) {
        private static final long serialVersionUID = 1;
      };
    }
  }

  @Test
  void anExceptionOfAUserWithoutAMessageIsAValueThatDoesNotFit() {
    Json json = Json.parse("{\"value\":\"x\"}");
    assertThatThrownBy(() -> json.as(Silent.class))
        .isInstanceOf(JsonException.class)
        .hasMessage("member 'value': the value does not fit");
  }
}
