package dev.repartee.jackson;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.repartee.json.Json;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/** Describes the JSON that a Java type expects, in words that do not name Java types. */
final class Expected {
  /** The most enum constants that a description lists. */
  private static final int MOST_NAMES = 20;

  private static final Map<Class<?>, String> WORDS = Map.ofEntries(
      word(boolean.class, "true or false"),
      word(char.class, "a string of one character"),
      word(byte.class, integer(Byte.MIN_VALUE, Byte.MAX_VALUE)),
      word(short.class, integer(Short.MIN_VALUE, Short.MAX_VALUE)),
      word(int.class, integer(Integer.MIN_VALUE, Integer.MAX_VALUE)),
      word(long.class, integer(Long.MIN_VALUE, Long.MAX_VALUE)),
      word(float.class, "a number that a float can hold"),
      word(double.class, "a number that a double can hold"),
      word(java.math.BigInteger.class, "an integer"),
      word(java.math.BigDecimal.class, "a number"),
      word(Number.class, "a number"),
      word(java.util.OptionalDouble.class, "a number that a double can hold"),
      word(String.class, "a string"),
      word(java.util.UUID.class, "a UUID"),
      word(java.net.URI.class, "a URI"),
      word(java.time.Instant.class, "a time such as 2026-01-31T12:00:00Z"),
      word(java.util.Date.class, "a time such as 2026-01-31T12:00:00Z"),
      word(java.util.Calendar.class, "a time such as 2026-01-31T12:00:00Z"),
      word(java.time.OffsetDateTime.class, "a time such as 2026-01-31T12:00:00+01:00"),
      word(java.time.ZonedDateTime.class, "a time such as 2026-01-31T12:00:00+01:00"),
      word(java.time.LocalDateTime.class, "a time such as 2026-01-31T12:00:00"),
      word(java.time.LocalDate.class, "a date such as 2026-01-31"),
      word(java.time.LocalTime.class, "a time of day such as 12:00:00"),
      word(java.time.Duration.class, "a duration such as PT1H30M"),
      word(java.time.Period.class, "a period such as P1Y2M3D"),
      word(java.time.Year.class, "a year"));

  private final JsonMapper mapper;

  Expected(JsonMapper mapper) {
    this.mapper = mapper;
  }

  private static Map.Entry<Class<?>, String> word(Class<?> type, String word) {
    return Map.entry(type, word);
  }

  private static String integer(long min, long max) {
    return "an integer from " + min + " to " + max;
  }

  /** Returns the description of a type, or null if there is none that is certainly right. */
  @Nullable String by(Class<?> type) {
    JavaType known = mapper.constructType(type);
    String word = WORDS.get(unboxed(type));
    if (word != null) {
      return word;
    } else if (type.isEnum()) {
      return constants(type);
    } else if (known.isCollectionLikeType() || known.isArrayType()) {
      return "an array";
    } else if (known.isMapLikeType() || isObject(type)) {
      return "an object";
    }
    return null;
  }

  private static Class<?> unboxed(Class<?> type) {
    return java.lang.invoke.MethodType.methodType(type).unwrap().returnType();
  }

  private String constants(Class<?> type) {
    List<Json> names = EnumNames.of(mapper, type);
    String listed =
        names.stream().limit(MOST_NAMES).map(Json::toString).collect(Collectors.joining(", "));
    return "one of " + listed + (names.size() > MOST_NAMES ? ", ..." : "");
  }

  /**
   * Whether a type is written as an object: a type outside the JDK without annotations that change
   * its form.
   */
  private static boolean isObject(Class<?> type) {
    return !type.getName().startsWith("java")
        && Stream.of(type.getDeclaredConstructors(), type.getDeclaredMethods())
            .flatMap(Stream::of)
            .noneMatch(e ->
                e.isAnnotationPresent(JsonCreator.class) || e.isAnnotationPresent(JsonValue.class));
  }
}
