package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.Json;
import dev.repartee.JsonException;
import dev.repartee.Limits;
import dev.repartee.Output;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * What a command calls and where, and with which params: by position, by name, or whole.
 *
 * <p>A word such as {@code -5} or {@code -x} behind the method is an argument unless it is an
 * option that the command knows. A word such as {@code --tiemout} is refused, for it is more often
 * a slip than an argument; behind {@code --} everything is one.
 */
final class Arguments {
  @Parameters(
      index = "0",
      paramLabel = "URI",
      description = {
        "Where the peer is: http://HOST:PORT/PATH, ws://... (under TLS https: and wss:),"
            + " tcp://HOST:PORT, unix:PATH, or exec:COMMAND for a program that talks on its standard"
            + " input and output.",
        "In byte streams (tcp, unix, exec) messages are lines; #framing=NAME behind the URI says"
            + " otherwise: content-length, length-prefix, json-seq, concatenated.",
        "#lenient=NAME behind the URI tolerates a deviation of the peer: null-params, missing-version,"
            + " null-id-fails-lone-call, or all."
      })
  String uri = "";

  @Parameters(index = "1", paramLabel = "METHOD", description = "The name of the method.")
  String method = "";

  @Parameters(
      index = "2..*",
      paramLabel = "ARG",
      description = {
        "Arguments by position: JSON where the word is JSON (-5, true, '[1,2]'), else a string.",
        "What stands behind -- is an argument, even --timeout."
      })
  List<String> words = new ArrayList<>();

  @Option(
      names = "--named",
      paramLabel = "NAME=VALUE",
      description = "An argument by name, its value read as an ARG is; may be repeated.")
  List<String> named = new ArrayList<>();

  @Option(
      names = "--params",
      paramLabel = "JSON",
      description = "All params at once, an array or an object; - reads them from standard input.")
  @Nullable String params;

  /** Lets words that look like options reach {@link #words}. */
  static CommandLine accept(CommandLine line) {
    return line.setUnmatchedOptionsArePositionalParams(true)
        .setPosixClusteredShortOptionsAllowed(false);
  }

  /** Refuses words that look like options and stand where they must be ones. */
  void check(CommandSpec spec) {
    for (String word : List.of(uri, method)) {
      if (word.startsWith("-")) {
        throw unknownOption(word);
      }
    }
    List<String> line = spec.commandLine().getParseResult().originalArgs();
    int end = line.indexOf("--");
    List<String> options = end < 0 ? line : line.subList(0, end);
    for (String word : words) {
      if (word.length() > 2
          && word.startsWith("--")
          && Character.isLetter(word.charAt(2))
          && options.contains(word)) {
        throw unknownOption(word);
      }
    }
  }

  private static Failure unknownOption(String word) {
    return Failure.usage(
        "unknown option '" + word + "'; if it is an argument, put it behind the method and --");
  }

  /**
   * The params, or null where the call has none.
   *
   * @throws Failure if they contradict each other or are no params
   */
  @Nullable Json json(InputStream in) {
    String whole = params;
    if (whole != null) {
      if (!words.isEmpty() || !named.isEmpty()) {
        throw Failure.usage("--params gives all params at once; leave out the other arguments, "
            + (words.isEmpty() ? "--named" : "'" + words.get(0) + "'"));
      }
      return whole.equals("-") ? structured(read(in), "standard input") : structured(whole);
    }
    if (!words.isEmpty() && !named.isEmpty()) {
      throw Failure.usage("'" + words.get(0) + "' is given by position and '" + named.get(0)
          + "' by name; give all arguments one way");
    }
    if (!named.isEmpty()) {
      return byName();
    }
    return words.isEmpty() ? null : byPosition();
  }

  private Json byPosition() {
    Output out = new Output();
    char separator = '[';
    for (String word : words) {
      out.put(separator);
      value(out, word);
      separator = ',';
    }
    return parsed(out.put(']').toBytes(), "the arguments");
  }

  private Json byName() {
    Map<String, String> values = new LinkedHashMap<>();
    for (String pair : named) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw Failure.usage("--named '" + pair + "' is not NAME=VALUE; say --named count=5");
      }
      String name = pair.substring(0, equals);
      if (values.putIfAbsent(name, pair.substring(equals + 1)) != null) {
        throw Failure.usage("the argument '" + name + "' is named twice; name it once");
      }
    }
    Output out = new Output();
    char separator = '{';
    for (Map.Entry<String, String> entry : values.entrySet()) {
      out.put(separator).string(entry.getKey()).put(':');
      value(out, entry.getValue());
      separator = ',';
    }
    return parsed(out.put('}').toBytes(), "the arguments");
  }

  private static void value(Output out, String word) {
    try {
      out.json(Json.parse(word));
    } catch (JsonException noJson) {
      out.string(word);
    }
  }

  private static Json structured(String text) {
    return structured(text.getBytes(UTF_8), "--params");
  }

  private static Json structured(byte[] text, String source) {
    Json json = parsed(text, source);
    return switch (json.kind()) {
      case ARRAY, OBJECT -> json;
      default ->
        throw Failure.usage("params are an array or an object, but " + source + " holds "
            + excerpt(json) + "; put it in [ ]");
    };
  }

  private static Json parsed(byte[] text, String source) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      throw Failure.usage("params are an array or an object in JSON, but " + source
          + " cannot be read: " + Failure.reason(e));
    }
  }

  private static String excerpt(Json json) {
    String text = json.toString();
    return text.length() <= 60 ? text : text.substring(0, 60) + "...";
  }

  /** Reads no more than a message may hold. */
  private static byte[] read(InputStream in) {
    int limit = Limits.DEFAULT.frameBytes();
    try {
      byte[] text = in.readNBytes(limit);
      if (text.length == limit) {
        throw Failure.usage(
            "standard input holds " + limit + " bytes or more, which no message may; send less");
      }
      return text;
    } catch (IOException e) {
      throw Failure.usage("standard input cannot be read: " + Failure.reason(e));
    }
  }
}
