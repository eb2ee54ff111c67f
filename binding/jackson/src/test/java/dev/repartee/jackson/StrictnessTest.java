package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.io.File;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.util.Calendar;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Timer;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;

/**
 * The rules in the Javadoc of {@link JacksonBinder#builder}, at every place where a value can be.
 */
@NullMarked
class StrictnessTest {
  static final class Bean {
    public double @Nullable [] doubles;
    public float @Nullable [] floats;
    public byte @Nullable [] bytes;
    public @Nullable OptionalDouble optional;
    public @Nullable Number number;
    public @Nullable Object any;
    public @Nullable List<Object> list;
    public @Nullable JsonNode tree;
    public @Nullable Map<Double, Integer> byDouble;
    public @Nullable Map<Integer, Integer> byInteger;
    public @Nullable Map<BigInteger, Integer> byBigInteger;
    public @Nullable Map<BigDecimal, Integer> byDecimal;
    public @Nullable Map<UUID, Integer> byId;
    public @Nullable Map<Date, Integer> byDate;
    public @Nullable Map<Month, Integer> byMonth;
    public @Nullable Instant instant;
    public @Nullable OffsetDateTime offset;
    public @Nullable LocalDateTime local;
    public @Nullable LocalDate date;
    public @Nullable Date old;
    public @Nullable Calendar calendar;
    public @Nullable Duration duration;
    public @Nullable Year year;
    public @Nullable YearMonth yearMonth;
    public @Nullable Month month;
    public @Nullable DayOfWeek day;
    public @Nullable EnumSet<Month> months;
    public @Nullable EnumMap<Month, Integer> enumMap;
    public @Nullable UUID id;
    public @Nullable StringBuilder builder;
    public @Nullable Pattern pattern;
    public @Nullable File file;

    @JsonFormat(shape = JsonFormat.Shape.NUMBER)
    public @Nullable Instant seconds;

    @JsonFormat(pattern = "dd.MM.yyyy")
    public @Nullable LocalDate german;

    @JsonFormat(shape = JsonFormat.Shape.STRING)
    public @Nullable Year text;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "doubles|[\"NaN\"]|element 0: expected a number",
        "doubles|[1e400]|element 0: expected a number",
        "doubles|[\"\"]|element 0: expected a number",
        "doubles|[null]|element 0: expected a number",
        "doubles|\"\"|expected an array, got a string",
        "floats|[1e40]|element 0: expected a number",
        "floats|\"NaN\"|expected an array, got a string",
        "bytes|[200]|element 0: expected an integer from -128 to 127, got another number",
        "optional|\"NaN\"|expected a number that a double can hold, got a string",
        "optional|1e400|expected a number that a double can hold, got another number",
        "number|\"NaN\"|expected a number, got a string",
        "number|\"1\"|expected a number, got a string",
        "number|1e1001|expected a number of at most 1000 digits with an exponent from -1000 to 1000, got another number",
        "any|1e99999|expected a number of at most 1000 digits with an exponent from -1000 to 1000, got another number",
        "any|[{\"a\":-1e99999}]|expected a number of at most 1000 digits",
        "list|[1,1e-99999]|element 1: expected a number of at most 1000 digits",
        "tree|{\"a\":[1e99999]}|expected a number of at most 1000 digits",
        "byDouble|{\"NaN\":1}|another name",
        "byDouble|{\"1e400\":1}|another name",
        "byDouble|{\"0x1p3\":1}|another name",
        "byInteger|{\"01\":1,\"1\":2}|another name",
        "byInteger|{\"+1\":1}|another name",
        "byBigInteger|{\"007\":1}|another name",
        "byDecimal|{\"1e99999\":1}|another name",
        "byId|{\"1-1-1-1-1\":1}|another name",
        "byDate|{\"2026\":1}|another name",
        "byMonth|{\"5\":1}|expected one of \"JANUARY\", ",
        "instant|\"1\"|expected a time such as 2026-01-31T12:00:00Z, got another string",
        "offset|\"1.5\"|expected a time",
        "local|\"2026-01-31\"|expected a time",
        "date|\"2026-01-01T00:00:00Z\"|expected a date such as 2026-01-31, got another string",
        "date|\"2026-02-31\"|expected a date such as 2026-01-31, got another string",
        "old|\"2026\"|expected a time such as 2026-01-31T12:00:00Z, got another string",
        "old|\"2026-02-31T00:00:00Z\"|expected a time",
        "old|\"2026-01-31T25:00:00Z\"|expected a time",
        "old|\"Sat, 31 Jan 2026 12:00:00 GMT\"|expected a time",
        "calendar|\"2026\"|expected a time",
        "duration|\"5\"|expected a duration such as PT1H30M, got another string",
        "year|\"2026\"|expected a year, got a string",
        "month|1|expected one of \"JANUARY\", \"FEBRUARY\"",
        "month|\"1\"|expected one of \"JANUARY\", \"FEBRUARY\"",
        "day|1|expected one of \"MONDAY\", ",
        "months|[1]|element 0: expected one of \"JANUARY\", ",
        "enumMap|{\"5\":1}|another name",
        "id|\"AAAAAAAAAAAAAAAAAAAAAA==\"|expected a UUID, got another string",
        "builder|1|the value does not fit",
        "pattern|1|the value does not fit",
        "file|1|the value does not fit",
      })
  void aTextNotInTheFormOfItsTypeIsRefused(String member, String value, String told) {
    Json json = Json.parse("{\"" + member + "\":" + value + "}");
    assertThatThrownBy(() -> json.as(Bean.class))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("member '" + member + "': ")
        .hasMessageContaining(told);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "doubles|[1.5,-2.0]",
        "floats|[1.5]",
        "bytes|\"AQI=\"",
        "optional|1.5",
        "number|12345678901234567890.10",
        "number|1",
        "any|[1,0.1,{\"a\":123456789012345678901234567890.123456789012345678901234567890}]",
        "tree|{\"a\":[1,0.10,123456789012345678901234567890.123456789012345678901234567890]}",
        "any|1E+400",
        "tree|1E+400",
        "byDouble|{\"1.0\":1}",
        "byInteger|{\"-1\":1}",
        "byMonth|{\"MAY\":1}",
        "instant|\"2026-01-31T12:00:00Z\"",
        "instant|\"+1000000000-12-31T23:59:59.999999999Z\"",
        "offset|\"2026-01-31T12:00:00+05:30\"",
        "local|\"2026-01-31T12:00:00\"",
        "date|\"2026-01-31\"",
        "old|\"2026-01-31T12:00:00.000Z\"",
        "duration|\"PT1H\"",
        "year|2026",
        "yearMonth|\"2026-01\"",
        "month|\"MAY\"",
        "day|\"MONDAY\"",
        "months|[\"MAY\"]",
        "enumMap|{\"MAY\":1}",
        "id|\"00000000-0000-0001-0000-000000000002\"",
        "builder|\"a\"",
        "seconds|1767225600.000000000",
        "german|\"31.01.2026\"",
        "text|\"2026\"",
      })
  void aTextInTheFormOfItsTypeIsReadAndWrittenAgain(String member, String value) {
    Bean bean = Json.parse("{\"" + member + "\":" + value + "}").as(Bean.class);
    Map<String, Json> written = Json.of(bean).members();
    assertThat(written.get(member)).hasToString(value);
  }

  @Test
  void schemasAndErrorsUseTheNamesOfMonths() {
    assertThat(Json.schemaOf(Month.class).toString())
        .startsWith("{\"enum\":[\"JANUARY\",\"FEBRUARY\",");
  }

  static final class Own extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Test
  void anObjectThatOnlyItsOwnClassMakesIsNotRead() {
    for (Class<?> type : List.of(Throwable.class, Own.class, Thread.class, Timer.class)) {
      Json empty = Json.EMPTY_OBJECT;
      assertThatThrownBy(() -> empty.as((Class<?>) type))
          .as(type.getName())
          .isInstanceOf(RuntimeException.class)
          .isNotInstanceOf(JsonException.class);
    }
  }

  static final class Classes {
    public @Nullable Map<Class<?>, Integer> keys;
    public @Nullable JavaType type;
    public @Nullable List<Class<?>> values;
  }

  /** Reports that it was initialized. */
  static final class Evil {
    static {
      System.setProperty("repartee.evil", "initialised");
    }
  }

  @ParameterizedTest
  @CsvSource({"keys,{'%s':1}", "type,'\"%s\"'", "values,['%s']"})
  void aClassNamedByAPeerIsNotLoadedWhereverTheNameStands(String member, String value) {
    String name = "dev.repartee.jackson.StrictnessTest$Evil";
    Json json = Json.parse(("{'" + member + "':" + value.formatted(name) + "}").replace('\'', '"'));
    assertThatThrownBy(() -> json.as(Classes.class)).isInstanceOf(IllegalStateException.class);
    assertThat(System.getProperty("repartee.evil")).isNull();
  }
}
