package dev.repartee.openrpc.generate;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The identifiers of one scope in generated code. All languages follow one rule:
 *
 * <ol>
 *   <li>The name in the document is brought into the style of the language; see {@link Words}.
 *       Characters that are not letters or digits only separate words.
 *   <li>A name without letters and digits becomes {@code unnamed}, in the style of the language.
 *   <li>A name of more than 100 characters is cut.
 *   <li>A name that starts with a digit gets the prefix {@code _}.
 *   <li>A name that the language or the generated code reserves gets the suffix {@code _}.
 *   <li>A name that an earlier name of the scope has, or equals except for case, gets the suffix 2,
 *       3 and so on.
 * </ol>
 */
final class Names {
  private static final int LONGEST = 100; // a name may be that of a file

  private final UnaryOperator<String> style;
  private final Set<String> reserved;
  private final Set<String> taken = new HashSet<>();
  private final Map<String, Integer> last = new HashMap<>();

  Names(UnaryOperator<String> style, Set<String> reserved) {
    this.style = style;
    this.reserved = reserved;
  }

  /** Returns an identifier for a name of the document that no earlier call has returned. */
  String unique(String name) {
    String plain = plain(name);
    String unique = plain;
    while (!taken.add(unique.toLowerCase(Locale.ROOT))) {
      unique = plain + last.merge(plain, 2, (number, two) -> number + 1);
    }
    return unique;
  }

  /** Makes an identifier unavailable. */
  void reserve(String identifier) {
    taken.add(identifier.toLowerCase(Locale.ROOT));
  }

  /** Returns the identifier of a name without regard to others in the scope. */
  String plain(String name) {
    String styled = style.apply(name);
    if (styled.isEmpty()) {
      styled = style.apply("unnamed");
    }
    if (styled.length() > LONGEST) {
      boolean pair = Character.isHighSurrogate(styled.charAt(LONGEST - 1));
      styled = styled.substring(0, pair ? LONGEST - 1 : LONGEST);
    }
    if (Character.isDigit(styled.codePointAt(0))) {
      styled = '_' + styled;
    }
    return reserved.contains(styled) ? styled + '_' : styled;
  }
}
