package dev.repartee.jackson;

import dev.repartee.json.Json;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Returns JSON Schemas of the types with a form that is certain: enums, and strings of a format
 * that has a name.
 */
final class Schemas {
  private static final Map<String, String> FORMATS = Map.of(
      "java.time.Instant", "date-time",
      "java.time.OffsetDateTime", "date-time",
      "java.time.ZonedDateTime", "date-time",
      "java.util.Date", "date-time",
      "java.time.LocalDate", "date",
      "java.util.UUID", "uuid",
      "java.net.URI", "uri");

  private Schemas() {}

  static Json of(JsonMapper mapper, JavaType type) {
    if (type.isEnumType() && type.getRawClass().isEnum()) {
      List<Json> names = EnumNames.of(mapper, type.getRawClass());
      return Json.of(Map.of("enum", names));
    }
    String format = FORMATS.get(type.getRawClass().getName());
    boolean text = !mapper.isEnabled(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS);
    return format == null || !text
        ? Json.TRUE
        : Json.parse("{\"type\":\"string\",\"format\":\"" + format + "\"}");
  }
}
