package dev.repartee.openrpc.generate;

import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The words of a name in a document, and the styles in which languages join them. Words end at a
 * character that is not a letter or digit, before an upper-case letter that follows a lower-case
 * letter or digit ({@code blockHash}), and before the last letter of upper-case letters that a
 * lower-case letter follows ({@code RPCError}). An apostrophe is dropped. Text is first brought to
 * the Unicode form NFKC, in which Python compares names.
 */
final class Words {
  private Words() {}

  static List<String> of(String name) {
    int[] text = Normalizer.normalize(name, Normalizer.Form.NFKC).codePoints().toArray();
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < text.length; i++) {
      int c = text[i];
      if (c == '\'' || c == '\u2019') {
        continue;
      }
      boolean part = Character.isLetterOrDigit(c);
      if ((!part || isStart(text, i)) && word.length() > 0) {
        words.add(word.toString());
        word.setLength(0);
      }
      if (part) {
        word.appendCodePoint(c);
      }
    }
    if (word.length() > 0) {
      words.add(word.toString());
    }
    return words;
  }

  private static boolean isStart(int[] text, int i) {
    if (i == 0 || !Character.isUpperCase(text[i])) {
      return false;
    }
    boolean afterUpper = Character.isUpperCase(text[i - 1]);
    return !afterUpper || i + 1 < text.length && Character.isLowerCase(text[i + 1]);
  }

  /** Returns {@code BlockHash}. A name that has this style already is unchanged. */
  static String upperCamel(String name) {
    return isIdentifier(name) && Character.isUpperCase(name.codePointAt(0))
        ? name
        : of(name).stream().map(Words::capitalized).collect(Collectors.joining());
  }

  /** Returns {@code blockHash}. A name that has this style already is unchanged. */
  static String lowerCamel(String name) {
    if (isIdentifier(name) && Character.isLowerCase(name.codePointAt(0))) {
      return name;
    }
    List<String> words = of(name);
    return words.isEmpty()
        ? ""
        : lower(words.get(0))
            + words.stream().skip(1).map(Words::capitalized).collect(Collectors.joining());
  }

  /** Returns {@code block_hash}. */
  static String snake(String name) {
    return of(name).stream().map(Words::lower).collect(Collectors.joining("_"));
  }

  /** Returns {@code BLOCK_HASH}. */
  static String upperSnake(String name) {
    return of(name).stream()
        .map(word -> word.toUpperCase(Locale.ROOT))
        .collect(Collectors.joining("_"));
  }

  /** Returns {@code block-hash}. */
  static String kebab(String name) {
    return snake(name).replace('_', '-');
  }

  private static boolean isIdentifier(String name) {
    return !name.isEmpty()
        && Normalizer.isNormalized(name, Normalizer.Form.NFKC)
        && name.codePoints().allMatch(Character::isLetterOrDigit);
  }

  private static String capitalized(String word) {
    int first = word.offsetByCodePoints(0, 1);
    String rest = word.substring(first);
    boolean acronym = rest.equals(rest.toUpperCase(Locale.ROOT));
    return word.substring(0, first).toUpperCase(Locale.ROOT) + (acronym ? lower(rest) : rest);
  }

  private static String lower(String word) {
    return word.toLowerCase(Locale.ROOT);
  }
}
