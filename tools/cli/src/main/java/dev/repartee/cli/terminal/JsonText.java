package dev.repartee.cli.terminal;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;

/** JSON that the user has typed, or has in a file. */
public final class JsonText {
  private static final int EXCERPT = 60;

  private JsonText() {}

  /**
   * Parses a text.
   *
   * @param failed the start of the sentence if it is not JSON; the reason follows
   */
  public static Json parse(byte[] text, String failed) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      throw Failure.usage(failed + Failure.reason(e));
    }
  }

  /** Returns the start of a text, for messages. */
  public static String excerpt(String text) {
    return text.length() <= EXCERPT ? text : text.substring(0, EXCERPT) + "...";
  }

  /** Returns a text as JSON, or as a string if it is not JSON. */
  public static Json orString(String text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return Json.of(text);
    }
  }
}
