package dev.repartee.cli.mcp;

import dev.repartee.cli.options.Arguments;
import dev.repartee.cli.options.Source;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.json.Json;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the arguments of a tool or a prompt: by name, or as one JSON object. */
final class NamedArguments {
  private NamedArguments() {}

  /**
   * Returns the arguments as an object.
   *
   * @param words the words NAME=VALUE
   * @param whole the value of {@code --args}, or null
   * @param in standard input, read only for {@code --args -}
   */
  static Json json(List<String> words, @Nullable String whole, InputStream in) {
    if (whole != null) {
      if (!words.isEmpty()) {
        throw Failure.usage("--args contains all arguments; leave out '" + words.get(0) + "'");
      }
      return object(whole, in);
    }
    return Arguments.byName(byName(words));
  }

  /** Splits words of the form NAME=VALUE. */
  static Map<String, String> byName(List<String> words) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw Failure.usage(
            "'" + word + "' is not NAME=VALUE; arguments have names here, such as city=Oslo");
      }
      String name = word.substring(0, equals);
      if (values.putIfAbsent(name, word.substring(equals + 1)) != null) {
        throw Failure.usage("the argument '" + name + "' is given twice; give it once");
      }
    }
    return values;
  }

  private static Json object(String given, InputStream in) {
    Source.Value value = Source.Value.of(given, "--args", in);
    Json json = JsonText.parse(
        value.text(),
        "the arguments must be a JSON object, but " + value.origin() + " cannot be parsed: ");
    if (json.kind() != Json.Kind.OBJECT) {
      throw Failure.usage("the arguments must be a JSON object such as {\"city\":\"Oslo\"}, but "
          + value.origin() + " holds " + json.kind().phrase());
    }
    return json;
  }
}
