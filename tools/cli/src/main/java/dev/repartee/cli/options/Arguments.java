package dev.repartee.cli.options;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.JsonText;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonWriter;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The endpoint, the method and the params of a call: params by position, by name, or as one JSON
 * text.
 *
 * <p>A word such as {@code -5} or {@code -x} after the method is an argument unless it is an option
 * of the command. A word such as {@code --tiemout} is rejected, because it is more likely a typo
 * than an argument. Every word after {@code --} is an argument.
 */
public final class Arguments {
  @Parameters(index = "0", paramLabel = "URI", description = """
          The endpoint of the peer: http://HOST:PORT/PATH, ws://... (with TLS https: and wss:), \
          tcp://HOST:PORT (with TLS tls:), unix:PATH, or exec:COMMAND, which starts a program and \
          uses its standard input and output. ssh://USER@HOST/COMMAND does so on another machine. Behind a \
          broker: nats://HOST/SUBJECT, amqp://USER@HOST/QUEUE. With ZeroMQ sockets: \
          zmq+tcp://HOST:PORT. Over XMPP: xmpp://ACCOUNT/SERVICE.
          On byte streams (tcp, tls, unix, exec, ssh) each message is a line. #framing=NAME after the \
          URI selects another framing: content-length, length-prefix, json-seq, concatenated.
          #lenient=NAME after the URI tolerates a deviation from the specification: null-params, \
          missing-version, null-outcome, null-id-fails-lone-call, or all.
          'URI|URI' are alternatives: the first one that can be reached is used.""")
  public String uri = "";

  @Parameters(index = "1", paramLabel = "METHOD", description = "The name of the method.")
  public String method = "";

  @Parameters(index = "2..*", paramLabel = "ARG", description = """
          Arguments by position: JSON if the word is JSON (-5, true, '[1,2]'), otherwise a \
          string.
          Every word after -- is an argument, even --timeout.""")
  public List<String> words = new ArrayList<>();

  @Option(names = "--named", paramLabel = "NAME=VALUE", description = """
          An argument by name, its value parsed like ARG; may be repeated.""")
  public List<String> named = new ArrayList<>();

  @Option(names = "--params", paramLabel = "JSON", description = """
          All params as one JSON array or object; @FILE reads it from a file, - from standard \
          input.""")
  @Nullable String params;

  private CommandSpec command = CommandSpec.create();

  /** Makes the parser put unknown options, such as {@code -5}, into {@link #words}. */
  @Spec(Spec.Target.MIXEE)
  void command(CommandSpec command) {
    this.command = command;
    command
        .parser()
        .unmatchedOptionsArePositionalParams(true)
        .posixClusteredShortOptionsAllowed(false);
  }

  /**
   * Rejects an endpoint or a method that starts with {@code -}, and arguments before {@code --}
   * that look like long options.
   */
  public void check() {
    for (String word : List.of(uri, method)) {
      if (word.startsWith("-")) {
        throw unknownOption(word);
      }
    }
    List<String> line = command.commandLine().getParseResult().originalArgs();
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

  /** The message leaves out the value of {@code --option=value}, which may be a secret. */
  private Failure unknownOption(String given) {
    String word = given.replaceFirst("=.*", "");
    String suggestion = Suggestion.of(word, command.optionsMap().keySet());
    return Failure.usage("unknown option '" + word + "'" + suggestion
        + (suggestion.isEmpty() ? "; to" : " To")
        + " pass it as an argument, put it after the method and --");
  }

  /**
   * Returns the params, or null if the call has none.
   *
   * @param in standard input, read only for {@code --params -}
   */
  public @Nullable Json json(InputStream in) {
    String whole = params;
    if (whole != null) {
      if (!words.isEmpty() || !named.isEmpty()) {
        throw Failure.usage("--params contains all params; leave out the other arguments, "
            + (words.isEmpty() ? "--named" : "'" + words.get(0) + "'"));
      }
      return structured(Source.Value.of(whole, "--params", in));
    }
    if (!words.isEmpty() && !named.isEmpty()) {
      throw Failure.usage("'" + words.get(0) + "' is given by position and '" + named.get(0)
          + "' by name; give all arguments one way");
    }
    if (!named.isEmpty()) {
      return byName();
    }
    return words.isEmpty() ? null : byPosition(words);
  }

  /** Returns params by position. Each word is JSON if it can be parsed, otherwise a string. */
  public static Json byPosition(List<String> words) {
    JsonWriter out = new JsonWriter();
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
        throw Failure.usage("--named '" + pair + "' is not NAME=VALUE; example: --named count=5");
      }
      String name = pair.substring(0, equals);
      if (values.putIfAbsent(name, pair.substring(equals + 1)) != null) {
        throw Failure.usage("the argument '" + name + "' is named twice; name it once");
      }
    }
    return byName(values);
  }

  /** Returns params by name. Each value is JSON if it can be parsed, otherwise a string. */
  public static Json byName(Map<String, String> values) {
    JsonWriter out = new JsonWriter().put('{');
    String separator = "";
    for (Map.Entry<String, String> entry : values.entrySet()) {
      out.ascii(separator).string(entry.getKey()).put(':');
      value(out, entry.getValue());
      separator = ",";
    }
    return parsed(out.put('}').toBytes(), "the arguments");
  }

  /** Writes a word as JSON if it is JSON, otherwise as a string. */
  private static void value(JsonWriter out, String word) {
    try {
      out.json(Json.parse(word));
    } catch (JsonException noJson) {
      out.string(word);
    }
  }

  private static Json structured(Source.Value given) {
    Json json = parsed(given.text(), given.origin());
    return switch (json.kind()) {
      case ARRAY, OBJECT -> json;
      default ->
        throw Failure.usage("params must be an array or an object, but " + given.origin()
            + " holds " + JsonText.excerpt(json.toString()) + "; put the value in [ ]");
    };
  }

  private static Json parsed(byte[] text, String source) {
    return JsonText.parse(
        text, "params must be a JSON array or object, but " + source + " cannot be parsed: ");
  }
}
