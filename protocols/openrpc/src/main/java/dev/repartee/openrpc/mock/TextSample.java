package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Samples of strings: words, and texts of formats and patterns. */
final class TextSample {
  /** Words of letters from a to z, which fit most patterns and formats, of several lengths. */
  private static final List<String> WORDS = List.of(
      "oak",
      "sea",
      "sun",
      "tea",
      "lake",
      "moon",
      "rain",
      "snow",
      "apple",
      "beach",
      "cloud",
      "lemon",
      "olive",
      "river",
      "stone",
      "water",
      "bridge",
      "candle",
      "forest",
      "garden",
      "island",
      "meadow",
      "orange",
      "window",
      "harbour",
      "lantern",
      "morning",
      "orchard",
      "mountain",
      "sunshine");

  /** The patterns that match all words, as far as they are common. */
  private static final Pattern ANY_WORD = Pattern.compile(
      "\\^?(?:\\[-?(?:A-Z|0-9|[_. ])*a-z(?:A-Z|0-9|[_. ])*-?]|\\.|\\\\[wS])[*+]\\$?");

  /** The length of random letters without limits. */
  private static final int LETTERS = 6;

  /** A day in 2024, from which the samples of dates go forward. */
  private static final long EPOCH = 1_709_287_200;

  private static final int YEAR = 365 * 24 * 3600;

  private final Conjunction schema;
  private final Bounds bounds;
  private final Random random;
  private final Fit fit;
  private final boolean isWord;

  /** @param isWord whether texts are words, if possible; otherwise they rarely repeat */
  TextSample(Conjunction schema, Bounds bounds, Random random, Fit fit, boolean isWord) {
    this.schema = schema;
    this.bounds = bounds;
    this.random = random;
    this.fit = fit;
    this.isWord = isWord;
  }

  /**
   * Returns a text that fits the schema.
   *
   * @throws NoValueException if none is found
   */
  String text() {
    int least = schema.size("minLength", true, 0);
    int most = schema.size("maxLength", false, Integer.MAX_VALUE);
    if (least > most) {
      throw NoValueException.certain(
          schema.pointer(), "minLength " + least + " is greater than maxLength " + most);
    }
    if (schema.has("pattern")) {
      return ofPattern(least, most);
    }
    for (Conjunction.Keywords part : schema.parts()) {
      Json format = part.get("format");
      String text = format == null ? null : ofFormat(format.text());
      if (text != null && text.length() >= least && text.length() <= most) {
        bounds.characters(text.length());
        return text;
      }
    }
    return text(least, most);
  }

  /** Returns a text of one of the patterns that matches the others too. */
  private String ofPattern(int least, int most) {
    List<Place> patterns = new ArrayList<>();
    for (Conjunction.Keywords part : schema.parts()) {
      Place pattern = part.schema("pattern");
      if (pattern != null) {
        patterns.add(pattern);
      }
    }
    boolean fitsWords = most > 0
        && patterns.stream()
            .allMatch(each -> ANY_WORD.matcher(each.schema().text()).matches());
    if (fitsWords) {
      return text(least, most);
    }
    NoValueException failure = null;
    for (Place pattern : patterns) {
      try {
        String text = new PatternSample(pattern, bounds, random).text(least, most);
        if (patterns.size() == 1 || patterns.stream().allMatch(each -> fit.matches(each, text))) {
          return text;
        }
      } catch (NoValueException e) {
        failure = e;
      }
    }
    throw failure != null
        ? failure
        : NoValueException.unknown(
            patterns.get(0).pointer(), "no text was found that matches all patterns");
  }

  /** Returns a word if one has the length; otherwise several, of which the last may be cut. */
  private String text(int least, int most) {
    int length = Math.max(least, Math.min(most, LETTERS));
    bounds.characters(length);
    if (!isWord) {
      return random
          .ints(length, 'a', 'z' + 1)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();
    }
    StringBuilder text = new StringBuilder();
    int first = random.nextInt(WORDS.size());
    for (int i = 0; i < WORDS.size() || text.length() < least; i++) {
      String word = WORDS.get((first + i) % WORDS.size());
      if (word.length() >= least && word.length() <= most) {
        return word;
      }
      text.append(word);
    }
    text.setLength(length);
    return text.toString();
  }

  private String word() {
    return text(1, Integer.MAX_VALUE);
  }

  private @Nullable String ofFormat(String format) {
    Instant instant = Instant.ofEpochSecond(EPOCH + random.nextInt(YEAR));
    return switch (format) {
      case "date-time" -> instant.toString();
      case "date" -> LocalDate.ofEpochDay(instant.getEpochSecond() / 86_400).toString();
      case "time" -> instant.toString().substring("2024-03-01T".length());
      case "uuid" -> uuid();
      case "uri", "url", "iri", "uri-reference" -> "https://example.com/" + word();
      case "email", "idn-email" -> word() + "@example.com";
      case "hostname", "idn-hostname" -> word() + ".example.com";
      case "ipv4" -> "192.0.2." + random.nextInt(256); // RFC 5737
      case "ipv6" -> "2001:db8::" + (1 + random.nextInt(9)); // RFC 3849
      default -> null;
    };
  }

  /** Returns a random UUID (RFC 9562, section 5.4). */
  private String uuid() {
    long high = random.nextLong() & ~0xf000L | 0x4000L;
    long low = random.nextLong() & ~(3L << 62) | 2L << 62;
    return new UUID(high, low).toString();
  }
}
