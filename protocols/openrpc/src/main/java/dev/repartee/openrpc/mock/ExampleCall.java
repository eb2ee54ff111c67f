package dev.repartee.openrpc.mock;

import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import dev.repartee.json.JsonLayout;
import dev.repartee.openrpc.ExamplePairing.Argument;
import dev.repartee.openrpc.MethodDescriptor;
import dev.repartee.openrpc.ParamStructure;
import dev.repartee.openrpc.StreamDescriptor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An example call of a method, as a request and as command lines that can be pasted in a POSIX
 * shell.
 *
 * @param arguments the params, in the order of the parameters
 * @param result the result; null if the document has none
 */
public record ExampleCall(
    MethodDescriptor method,
    List<Argument> arguments,
    @Nullable Json result) {
  /** A word that no shell changes. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

  private static final String MESSAGE = "{\"message\":{\"messageId\":\"1\",\"role\":\"ROLE_USER\","
      + "\"parts\":[{\"text\":\"text\"}]}}";

  /** Returns the JSON-RPC request. */
  public Json request() {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("jsonrpc", "2.0");
    if (!method.isNotification()) {
      request.put("id", 1);
    }
    request.put("method", method.name());
    if (isByName()) {
      Map<String, Json> params = new LinkedHashMap<>();
      arguments.forEach(each -> params.put(each.name(), each.value()));
      request.put("params", params);
    } else if (!arguments.isEmpty()) {
      request.put("params", arguments.stream().map(Argument::value).toList());
    }
    return Json.of(request);
  }

  /** Returns a command line that sends the request over HTTP with {@code curl}. */
  public String curl(String uri) {
    return "curl -s -H 'Content-Type: application/json' -d " + quoted(line(request())) + ' '
        + word(uri);
  }

  /**
   * Returns a command line that makes the call with {@code repartee}: {@code mcp call} for a tool
   * of an MCP server, and a message for a skill of an A2A agent, as {@code repartee openrpc}
   * describes them.
   */
  public String repartee(String uri) {
    List<String> words = new ArrayList<>(List.of("repartee"));
    if (isMarked("x-mcp")) {
      words.addAll(List.of("mcp", "call", uri));
      List<String> named =
          arguments.stream().map(each -> each.name() + "=" + line(each.value())).toList();
      addCall(words, List.of(), named);
    } else if (isMarked("x-a2a")) {
      words.addAll(List.of("call", uri, "SendMessage", "--params", MESSAGE));
    } else {
      words.addAll(List.of(method.isNotification() ? "notify" : "call", uri));
      List<String> options = new ArrayList<>();
      List<String> values = new ArrayList<>();
      addStream(options);
      addArguments(options, values);
      addCall(words, options, values);
    }
    return String.join(" ", words.stream().map(ExampleCall::word).toList());
  }

  /**
   * Adds the name and the arguments. A document may come from a stranger: a name such as {@code
   * --trace=FILE} must not be read as an option.
   */
  private void addCall(List<String> words, List<String> options, List<String> values) {
    boolean looksLikeOption =
        method.name().startsWith("-") || values.stream().anyMatch(value -> value.startsWith("--"));
    if (looksLikeOption) {
      words.addAll(options);
      words.add("--");
      words.add(method.name());
    } else {
      words.add(method.name());
      words.addAll(options);
    }
    words.addAll(values);
  }

  private boolean isMarked(String extension) {
    return method.json().get(extension) != null;
  }

  private boolean isByName() {
    return method.paramStructure() == ParamStructure.BY_NAME && !arguments.isEmpty();
  }

  private void addStream(List<String> options) {
    StreamDescriptor stream = method.stream();
    if (stream != null && stream.form().equals("subscription")) {
      options.addAll(List.of("--subscribe", stream.notification() + "," + stream.unsubscribe()));
    } else if (stream != null) {
      options.add("--stream");
    }
  }

  private void addArguments(List<String> options, List<String> values) {
    for (Argument each : arguments) {
      if (isByName()) {
        options.addAll(List.of("--named", each.name() + "=" + argument(each.value())));
      } else {
        values.add(argument(each.value()));
      }
    }
  }

  /** Returns a value as the command parses it: a text that is not JSON stands for itself. */
  private static String argument(Json value) {
    String text = value.string();
    return text == null || text.isEmpty() || text.startsWith("-") || isJson(text)
        ? line(value)
        : text;
  }

  /** Returns JSON without the line ends that it may have in the document. */
  private static String line(Json value) {
    return JsonLayout.ONE_LINE.text(value);
  }

  private static boolean isJson(String text) {
    try {
      Json.parse(text);
      return true;
    } catch (JsonException e) {
      return false;
    }
  }

  private static String word(String text) {
    return PLAIN.matcher(text).matches() ? text : quoted(text);
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
