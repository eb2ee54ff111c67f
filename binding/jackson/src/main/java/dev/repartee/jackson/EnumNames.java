package dev.repartee.jackson;

import dev.repartee.json.Json;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Returns the JSON values of the constants of an enum. */
final class EnumNames {
  private EnumNames() {}

  static List<Json> of(JsonMapper mapper, Class<?> type) {
    return Stream.of(type.getEnumConstants())
        .map(constant -> Json.parse(mapper.writeValueAsBytes(constant)))
        .toList();
  }
}
