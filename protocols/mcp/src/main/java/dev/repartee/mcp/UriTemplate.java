package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Matches URIs with a template and extracts the values of its variables. If several assignments
 * match, the first variable is as long as possible, then the second, and so on.
 *
 * <p>Matching takes time linear in the length of the URI, because URIs are sent by peers. A regular
 * expression would try all ways to divide the text between the variables of a segment. Immutable.
 */
final class UriTemplate {
  /** The maximum length of a URI that is matched, in characters. */
  static final int MAX_URI = 8 << 10;

  private static final Pattern EXPRESSION = Pattern.compile("\\{(\\+?)([A-Za-z0-9_.]+)}");

  private final List<String> names = new ArrayList<>();

  /** The indexes of the variables that may contain slashes. */
  private final BitSet reserved = new BitSet();

  /** The literal texts before each variable, and the text after the last variable. */
  private final List<String> literals = new ArrayList<>();

  /**
   * Parses a template.
   *
   * @throws IllegalArgumentException if it has expressions other than {@code {name}} and {@code
   *     {+name}}, a duplicate variable, or two variables without a character between them
   */
  UriTemplate(String template) {
    Matcher expressions = EXPRESSION.matcher(template);
    int at = 0;
    while (expressions.find()) {
      literals.add(literal(template, at, expressions.start()));
      if (names.contains(expressions.group(2))) {
        throw new IllegalArgumentException("'" + template + "' has the variable '"
            + expressions.group(2) + "' twice; give the second another name");
      }
      if (!names.isEmpty() && at == expressions.start()) {
        throw new IllegalArgumentException("'" + template + "' does not separate '"
            + names.get(names.size() - 1) + "' from '" + expressions.group(2)
            + "'; put a character between them");
      }
      reserved.set(names.size(), !expressions.group(1).isEmpty());
      names.add(expressions.group(2));
      at = expressions.end();
    }
    literals.add(literal(template, at, template.length()));
  }

  private static String literal(String template, int from, int to) {
    String text = template.substring(from, to);
    if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "'" + template + "' has expressions other than {name} and {+name}");
    }
    return text;
  }

  /** Returns the names of the variables in order. */
  List<String> names() {
    return names;
  }

  /**
   * Returns the decoded values of the variables in a URI, or null if the URI does not match. A URI
   * does not match if a value contains a control character, even encoded, or a slash, except for
   * {@code {+name}}.
   */
  @Nullable Map<String, String> match(String uri) {
    String first = literals.get(0);
    if (uri.length() > MAX_URI || !uri.startsWith(first)) {
      return null;
    }
    BitSet[] fits = fits(uri);
    int at = 0;
    if (!fits[0].get(at)) {
      return null;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      int from = at + literals.get(i).length();
      int most = from;
      while (most < uri.length() && isAllowed(i, uri.charAt(most))) {
        most++;
      }
      at = fits[i + 1].previousSetBit(most);
      String value = decode(uri.substring(from, at), reserved.get(i));
      if (value == null) {
        return null;
      }
      variables.put(names.get(i), value);
    }
    return variables;
  }

  /**
   * Returns for each literal the positions in the URI where the literal occurs and the rest of the
   * URI matches the rest of the template.
   */
  private BitSet[] fits(String uri) {
    int last = names.size();
    BitSet[] fits = new BitSet[last + 1];
    fits[last] = new BitSet();
    int end = uri.length() - literals.get(last).length();
    if (last == 0) {
      fits[0].set(0, uri.equals(literals.get(0)));
    } else if (end >= 0 && uri.endsWith(literals.get(last))) {
      fits[last].set(end);
    }
    for (int i = last - 1; i >= 0; i--) {
      BitSet begins = begins(i, uri, fits[i + 1]);
      String literal = literals.get(i);
      fits[i] = new BitSet();
      for (int from = begins.nextSetBit(literal.length());
          from >= 0;
          from = begins.nextSetBit(from + 1)) {
        int start = from - literal.length();
        fits[i].set(start, uri.startsWith(literal, start));
      }
    }
    return fits;
  }

  /**
   * Returns the positions at which a variable of at least one character may begin, given the
   * possible positions of its end.
   */
  private BitSet begins(int variable, String uri, BitSet ends) {
    BitSet begins = new BitSet();
    boolean reaches = false;
    for (int i = uri.length() - 1; i >= 0; i--) {
      reaches = (reaches || ends.get(i + 1)) && isAllowed(variable, uri.charAt(i));
      begins.set(i, reaches);
    }
    return begins;
  }

  private boolean isAllowed(int variable, char c) {
    return c != '?' && c != '#' && (c != '/' || reserved.get(variable));
  }

  /** Decodes a part of a URI. Returns null if it is not a valid value of a variable. */
  private static @Nullable String decode(String part, boolean slashes) {
    String decoded;
    try {
      decoded = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(part))).toString();
    } catch (CharacterCodingException | NumberFormatException e) {
      return null; // invalid UTF-8, or a percent sign without two hexadecimal digits
    }
    boolean taken =
        decoded.chars().noneMatch(Character::isISOControl) && (slashes || decoded.indexOf('/') < 0);
    return taken ? decoded : null;
  }

  private static byte[] bytes(String part) throws CharacterCodingException {
    ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(part));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    while (encoded.hasRemaining()) {
      byte b = encoded.get();
      if (b == '%') {
        if (encoded.remaining() < 2) {
          throw new NumberFormatException("no two digits");
        }
        b = (byte) (digit(encoded.get()) << 4 | digit(encoded.get()));
      }
      bytes.write(b);
    }
    return bytes.toByteArray();
  }

  private static int digit(byte c) {
    int digit = Character.digit(c, 16);
    if (digit < 0) {
      throw new NumberFormatException("no digit");
    }
    return digit;
  }
}
