package dev.repartee.testkit;

import dev.repartee.json.Json;
import java.util.Objects;

/** Reads members of JSON texts that tests receive. */
final class JsonTexts {
  private JsonTexts() {}

  static String id(String message) {
    return Objects.requireNonNull(Json.parse(message).get("id")).toString();
  }
}
