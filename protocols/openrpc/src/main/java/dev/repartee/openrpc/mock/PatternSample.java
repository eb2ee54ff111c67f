package dev.repartee.openrpc.mock;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Writes texts that match a regular expression. It knows characters, classes, groups, alternatives
 * and repetitions; {@code ^} and {@code $} count as nothing. Assertions, back-references and
 * Unicode properties are unknown. Every step of writing counts as {@link Bounds}. Not thread-safe.
 */
final class PatternSample {
  private static final String DIGITS = "0123456789";
  private static final String LOWER = "abcdefghijklmnopqrstuvwxyz";
  private static final String WORD = LOWER + DIGITS + LOWER.toUpperCase(Locale.ROOT) + "_";
  private static final String ANY = LOWER + DIGITS;

  private static final int LONGEST_PATTERN = 10_000;
  private static final int DEEPEST = 50;

  /** The number of attempts of each kind at a length. */
  private static final int ATTEMPTS = 64;

  /** The most further repetitions of a text without a wanted length. */
  private static final int FEW = 8;

  private final Place place;
  private final String pattern;
  private final Bounds bounds;
  private final Random random;
  private final Part whole;
  private int at;

  private sealed interface Part {}

  /** One of these characters. */
  private record Chars(String allowed) implements Part {}

  private record Sequence(List<Part> parts) implements Part {}

  private record Either(List<Part> parts) implements Part {}

  private record Repeat(Part part, int least, int most) implements Part {}

  /**
   * Reads a regular expression.
   *
   * @param place the place of the pattern in the document
   * @throws NoValueException if it is not known
   */
  PatternSample(Place place, Bounds bounds, Random random) {
    this.place = place;
    this.pattern = place.schema().text();
    this.bounds = bounds;
    this.random = random;
    if (pattern.length() > LONGEST_PATTERN) {
      throw unknown();
    }
    bounds.characters(pattern.length());
    this.whole = either(0);
    if (at < pattern.length()) {
      throw unknown();
    }
  }

  private NoValueException unknown() {
    return NoValueException.unknown(place.pointer(), "the pattern is not known to the sampler");
  }

  /**
   * Returns a text of a length in these limits.
   *
   * @throws NoValueException if none is found
   */
  String text(int least, int most) {
    List<Supplier<String>> attempts = new ArrayList<>(List.of(
        () -> written(FEW, true),
        () -> written(0, false),
        () -> written(Math.max(0, least - written(0, false).length()), false)));
    for (int i = 0; i < ATTEMPTS; i++) {
      int more = i;
      attempts.add(() -> written(more, false));
      attempts.add(() -> written(Math.max(least, FEW), true));
    }
    for (Supplier<String> attempt : attempts) {
      String text = attempt.get();
      if (text.length() >= least && text.length() <= most) {
        return text;
      }
    }
    throw NoValueException.unknown(
        place.pointer(), "no text was found that matches the pattern and has the length");
  }

  /**
   * @param more the number of repetitions in addition to the least
   * @param varies whether the number is chosen up to {@code more}
   */
  private String written(int more, boolean varies) {
    StringBuilder text = new StringBuilder();
    write(whole, text, more, varies);
    return text.toString();
  }

  private void write(Part part, StringBuilder text, int more, boolean varies) {
    bounds.characters(1);
    if (part instanceof Chars chars) {
      text.append(chars.allowed.charAt(random.nextInt(chars.allowed.length())));
    } else if (part instanceof Sequence sequence) {
      sequence.parts.forEach(each -> write(each, text, more, varies));
    } else if (part instanceof Either either) {
      write(either.parts.get(random.nextInt(either.parts.size())), text, more, varies);
    } else if (part instanceof Repeat repeat) {
      int further = Math.min(more, repeat.most - repeat.least);
      int count = repeat.least + (varies ? random.nextInt(further + 1) : further);
      for (int i = 0; i < count; i++) {
        write(repeat.part, text, more, varies);
      }
    }
  }

  private boolean isNext(char expected) {
    return at < pattern.length() && pattern.charAt(at) == expected;
  }

  private boolean skip(String expected) {
    boolean there = pattern.startsWith(expected, at);
    if (there) {
      at += expected.length();
    }
    return there;
  }

  private char next() {
    if (at == pattern.length()) {
      throw unknown();
    }
    return pattern.charAt(at++);
  }

  private Part either(int depth) {
    if (depth > DEEPEST) {
      throw unknown();
    }
    List<Part> parts = new ArrayList<>();
    do {
      parts.add(sequence(depth));
    } while (skip("|"));
    return parts.size() == 1 ? parts.get(0) : new Either(parts);
  }

  private Part sequence(int depth) {
    List<Part> parts = new ArrayList<>();
    while (at < pattern.length() && !isNext('|') && !isNext(')')) {
      if (!skip("^") && !skip("$")) {
        parts.add(repeated(atom(depth)));
      }
    }
    return new Sequence(parts);
  }

  private Part atom(int depth) {
    char c = next();
    return switch (c) {
      case '(' -> group(depth);
      case '[' -> new Chars(oneOf());
      case '.' -> new Chars(ANY);
      case '\\' -> new Chars(escaped());
      case '*', '+', '?', '{' -> throw unknown();
      default -> new Chars(String.valueOf(c));
    };
  }

  private Part group(int depth) {
    if (!skip("?:") && isNext('?')) {
      throw unknown();
    }
    Part part = either(depth + 1);
    if (!skip(")")) {
      throw unknown();
    }
    return part;
  }

  private Part repeated(Part part) {
    int least;
    int most = Integer.MAX_VALUE;
    if (skip("*")) {
      least = 0;
    } else if (skip("+")) {
      least = 1;
    } else if (skip("?")) {
      least = 0;
      most = 1;
    } else if (skip("{")) {
      least = number();
      most = skip(",") ? isNext('}') ? Integer.MAX_VALUE : number() : least;
      if (!skip("}") || most < least) {
        throw unknown();
      }
    } else {
      return part;
    }
    if (isNext('+')) {
      throw unknown(); // a possessive repetition, or an error
    }
    skip("?"); // a reluctant one matches the same texts
    return new Repeat(part, least, most);
  }

  private int number() {
    int from = at;
    while (at < pattern.length() && DIGITS.indexOf(pattern.charAt(at)) >= 0) {
      at++;
    }
    try {
      return Integer.parseInt(pattern.substring(from, at));
    } catch (NumberFormatException e) { // no digit, or too many
      throw unknown();
    }
  }

  /** Returns the characters of an escape outside and inside of a class. */
  private String escaped() {
    char c = next();
    return switch (c) {
      case 'd' -> DIGITS;
      case 'w' -> WORD;
      case 's' -> " ";
      case 'D', 'S' -> LOWER;
      case 'W' -> "-";
      case 'n' -> "\n";
      case 't' -> "\t";
      case 'r' -> "\r";
      case 'x' -> code(2);
      case 'u' -> code(4);
      default -> {
        if (Character.isLetterOrDigit(c)) {
          throw unknown();
        }
        yield String.valueOf(c);
      }
    };
  }

  private String code(int digits) {
    int from = at;
    at = Math.min(at + digits, pattern.length());
    try {
      return String.valueOf((char) Integer.parseUnsignedInt(pattern.substring(from, at), 16));
    } catch (NumberFormatException e) {
      throw unknown();
    }
  }

  /** Returns the characters of a class, of which the opening bracket was read. */
  private String oneOf() {
    boolean isNegated = skip("^");
    StringBuilder allowed = new StringBuilder();
    while (!isNext(']')) {
      if (isNext('[') || isNext('&')) {
        throw unknown(); // Java has classes in classes
      }
      String from = skip("\\") ? escaped() : String.valueOf(next());
      if (isNext('-') && !pattern.startsWith("-]", at)) {
        at++;
        String to = skip("\\") ? escaped() : String.valueOf(next());
        range(from, to, allowed);
      } else {
        allowed.append(from);
      }
    }
    at++;
    String shown = isNegated ? others(allowed.toString()) : allowed.toString();
    if (shown.isEmpty()) {
      throw unknown();
    }
    return shown;
  }

  private void range(String from, String to, StringBuilder allowed) {
    if (from.length() != 1 || to.length() != 1 || from.charAt(0) > to.charAt(0)) {
      throw unknown();
    }
    // One character of a large range is enough.
    int last = Math.min(to.charAt(0), from.charAt(0) + 0x7f);
    for (int c = from.charAt(0); c <= last; c++) {
      allowed.append((char) c);
    }
  }

  private static String others(String refused) {
    StringBuilder others = new StringBuilder();
    for (char c = ' '; c <= '~'; c++) {
      if (refused.indexOf(c) < 0) {
        others.append(c);
      }
    }
    return others.toString();
  }
}
