package dev.repartee.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds what the variables of a template are in a URI. Immutable. */
final class UriTemplate {
  private static final Pattern EXPRESSION = Pattern.compile("\\{(\\+?)([A-Za-z0-9_.]+)}");

  private final List<String> names = new ArrayList<>();
  private final Pattern pattern;

  /**
   * A template.
   *
   * @throws IllegalArgumentException if it has expressions that are not understood, or one name twice
   */
  UriTemplate(String template) {
    StringBuilder regex = new StringBuilder();
    Matcher expressions = EXPRESSION.matcher(template);
    int at = 0;
    while (expressions.find()) {
      regex.append(literal(template, at, expressions.start()));
      regex.append(expressions.group(1).isEmpty() ? "([^/?#]+)" : "([^?#]+)");
      if (names.contains(expressions.group(2))) {
        throw new IllegalArgumentException("'" + template + "' has the variable '"
            + expressions.group(2) + "' twice; give the second another name");
      }
      names.add(expressions.group(2));
      at = expressions.end();
    }
    regex.append(literal(template, at, template.length()));
    this.pattern = Pattern.compile(regex.toString());
  }

  private static String literal(String template, int from, int to) {
    String text = template.substring(from, to);
    if (text.indexOf('{') >= 0 || text.indexOf('}') >= 0) {
      throw new IllegalArgumentException(
          "'" + template + "' is no template with expressions as {name} and {+name} alone");
    }
    return Pattern.quote(text);
  }

  /** The names of its variables, in their order. */
  List<String> names() {
    return names;
  }

  /** What the variables are in that URI, decoded; null if it does not fit. */
  @Nullable Map<String, String> match(String uri) {
    Matcher parts = pattern.matcher(uri);
    if (!parts.matches()) {
      return null;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    try {
      for (int i = 0; i < names.size(); i++) {
        // A plus stands for itself in a URI, other than in the forms that this decoder is for.
        String part = parts.group(i + 1).replace("+", "%2B");
        variables.put(names.get(i), URLDecoder.decode(part, UTF_8));
      }
    } catch (IllegalArgumentException e) {
      return null; // a percent sign that begins no byte
    }
    return variables;
  }
}
