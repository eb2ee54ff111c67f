package dev.repartee.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.json.Json;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON text as parsed by Jackson, from characters that the JDK decoded; independent of core.
 * Numbers keep their text, and repeated members are all kept.
 *
 * <p>Jackson is as strict as RFC 8259, with the exceptions in {@link #ESCAPE} and {@link #parse}.
 * All its limits are lifted, except the depth.
 */
sealed interface Tree {
  /** An object. */
  record Members(List<Member> all) implements Tree {
    /** Returns the values under a name, in order. */
    List<Tree> named(String name) {
      return all.stream().filter(m -> m.name().equals(name)).map(Member::value).toList();
    }

    /** Returns the names, repeated ones included. */
    List<String> names() {
      return all.stream().map(Member::name).toList();
    }
  }

  /** One member of an object. */
  record Member(String name, Tree value) {}

  /** An array. */
  record Elements(List<Tree> all) implements Tree {}

  /** A decoded string; it may contain lone surrogates. */
  record Text(String text) implements Tree {}

  /** A number with its text. */
  record Number(String literal) implements Tree {
    @Override
    public boolean isBounded(int exponent) {
      String[] parts = literal.split("[eE]");
      String written = parts.length == 1 ? "0" : parts[1].replaceFirst("^[+-]?0*", "0");
      return parts[0].chars().filter(Character::isDigit).count() <= 1_000
          && written.length() <= 5
          && Integer.parseInt(written) <= exponent;
    }

    /** Returns the value of a bounded number. */
    BigDecimal value() {
      return new BigDecimal(literal);
    }
  }

  /** A literal. */
  enum Literal implements Tree {
    TRUE,
    FALSE,
    NULL
  }

  /**
   * Matches escapes, and U+FFFF itself, to hide some of them from Jackson. Jackson refuses lone
   * surrogates in names, which RFC 8259 allows. It checks only the low byte of hexadecimal digits,
   * and therefore accepts escapes with wrong digits.
   */
  Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)|\uFFFF", Pattern.DOTALL);

  /** Matches the replacement of a hidden escape or of U+FFFF. */
  Pattern HIDDEN = Pattern.compile("\uFFFF([0-9a-f]{4})");

  /** The parser factories by depth limit. */
  Map<Integer, JsonFactory> FACTORIES = new ConcurrentHashMap<>();

  private static String hide(MatchResult found) {
    String escape = found.group(1);
    if (escape == null) {
      return "\uFFFFffff";
    } else if (escape.equals("u")) {
      return "\\\\!";
    }
    boolean hidden = escape.matches("u([dD][89a-fA-F]..|[fF]{4})");
    return Matcher.quoteReplacement(
        hidden ? "\uFFFF" + escape.substring(1).toLowerCase(Locale.ROOT) : found.group());
  }

  private static String shown(String text) {
    return text.indexOf('\uFFFF') < 0
        ? text
        : HIDDEN
            .matcher(text)
            .replaceAll(found -> Matcher.quoteReplacement(
                Character.toString((char) Integer.parseInt(found.group(1), 16))));
  }

  /**
   * Parses a text. Returns null if it is not JSON or nests deeper than {@code depth}. The JDK
   * decodes the bytes, since Jackson would skip a byte order mark and detect UTF-16.
   */
  static @Nullable Tree parse(byte[] text, int depth) {
    try {
      String decoded = UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
      String hidden = ESCAPE.matcher(decoded).replaceAll(Tree::hide);
      return parse(FACTORIES
          .computeIfAbsent(depth, Tree::factory)
          .createParser(ObjectReadContext.empty(), hidden));
    } catch (CharacterCodingException | JacksonException e) {
      return null;
    }
  }

  /** Parses a message, which may begin with white space and one byte order mark. */
  static @Nullable Tree message(byte[] text, int depth) {
    int from = 0;
    while (from < text.length && " \t\r\n".indexOf(text[from]) >= 0) {
      from++;
    }
    boolean marked = text.length - from >= 3
        && (text[from] & 0xFF) == 0xEF
        && (text[from + 1] & 0xFF) == 0xBB
        && (text[from + 2] & 0xFF) == 0xBF;
    return parse(marked ? Arrays.copyOfRange(text, from + 3, text.length) : text, depth);
  }

  private static JsonFactory factory(int depth) {
    return JsonFactory.builder()
        .streamReadConstraints(StreamReadConstraints.builder()
            .maxNestingDepth(depth)
            .maxNumberLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .maxNameLength(Integer.MAX_VALUE)
            .build())
        .build();
  }

  private static @Nullable Tree parse(JsonParser text) {
    try (text) {
      JsonToken first = text.nextToken();
      Tree tree = first == null ? null : value(text, first);
      return text.nextToken() == null ? tree : null;
    }
  }

  private static Tree value(JsonParser parser, JsonToken token) {
    return switch (token) {
      case START_OBJECT -> {
        List<Member> all = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = shown(parser.currentName());
          all.add(new Member(name, value(parser, parser.nextToken())));
        }
        yield new Members(all);
      }
      case START_ARRAY -> {
        List<Tree> all = new ArrayList<>();
        for (JsonToken t; (t = parser.nextToken()) != JsonToken.END_ARRAY; ) {
          all.add(value(parser, t));
        }
        yield new Elements(all);
      }
      case VALUE_STRING -> new Text(shown(parser.getString()));
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Number(parser.getString());
      case VALUE_TRUE -> Literal.TRUE;
      case VALUE_FALSE -> Literal.FALSE;
      case VALUE_NULL -> Literal.NULL;
      default -> throw new AssertionError(token);
    };
  }

  /** Returns the tree of a {@link Json}, read through its public methods. */
  static Tree of(Json json) {
    return switch (json.kind()) {
      case OBJECT ->
        new Members(json.members().entrySet().stream()
            .map(e -> new Member(e.getKey(), of(e.getValue())))
            .toList());
      case ARRAY -> new Elements(json.elements().stream().map(Tree::of).toList());
      case STRING -> new Text(json.as(String.class));
      case NUMBER -> new Number(json.toString());
      case BOOLEAN -> json.as(boolean.class) ? Literal.TRUE : Literal.FALSE;
      case NULL -> Literal.NULL;
    };
  }

  /** Returns this tree with repeated members reduced to the last one. */
  default Tree distinct() {
    if (this instanceof Members members) {
      Map<String, Tree> last = new LinkedHashMap<>();
      members.all().forEach(m -> last.put(m.name(), m.value().distinct()));
      return new Members(last.entrySet().stream()
          .map(e -> new Member(e.getKey(), e.getValue()))
          .toList());
    }
    return this instanceof Elements elements
        ? new Elements(elements.all().stream().map(Tree::distinct).toList())
        : this;
  }

  /** Returns this tree with numbers in a normal form: equal numbers are then equal trees. */
  default Tree numeric() {
    if (this instanceof Members members) {
      return new Members(members.all().stream()
          .map(m -> new Member(m.name(), m.value().numeric()))
          .toList());
    } else if (this instanceof Elements elements) {
      return new Elements(elements.all().stream().map(Tree::numeric).toList());
    }
    return this instanceof Number number
        ? new Number(number.value().stripTrailingZeros().toString())
        : this;
  }

  /**
   * Whether numbers of every type can be read from this tree, even a {@code BigInteger}, which
   * keeps all digits.
   */
  default boolean fitsIntegers() {
    return isBounded(308);
  }

  /** Whether every number has at most 1,000 digits and an exponent of at most 1,000. */
  default boolean isBounded() {
    return isBounded(1_000);
  }

  /** Whether every number has at most 1,000 digits and an exponent of at most {@code exponent}. */
  default boolean isBounded(int exponent) {
    if (this instanceof Members members) {
      return members.all().stream().allMatch(m -> m.value().isBounded(exponent));
    } else if (this instanceof Elements elements) {
      return elements.all().stream().allMatch(element -> element.isBounded(exponent));
    }
    return true;
  }
}
