package dev.repartee.testkit;

import dev.repartee.Json;
import java.util.Objects;

/** Looks into JSON texts that tests hear. */
final class JsonTexts {
  private JsonTexts() {}

  static String id(String message) {
    return Objects.requireNonNull(Json.parse(message).get("id")).toString();
  }
}
